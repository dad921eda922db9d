import type { ServerResponse } from 'node:http';
import { gone } from '../api-error.js';
import type { KubeObject } from '../json.js';
import type { Store, StoreEvent } from '../store.js';
import type { Address } from './address.js';
import { inVersion } from './read.js';
import { queryMatcher } from './selectors.js';

/**
 * Streams changes from the query's resourceVersion on; without one, first what there is now. An object that stops
 * matching the selectors leaves as DELETED. Ends with the client, or after `timeoutSeconds`.
 */
export function watchObjects(
  store: Store,
  address: Address,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  const { resource, namespace, name, version } = address;
  const bySelectors = queryMatcher(query);
  const matches = (object: KubeObject) =>
    (!namespace || object.metadata.namespace === namespace) &&
    (!name || object.metadata.name === name) &&
    bySelectors(object);
  const write = (type: string, object: unknown) => response.write(`${JSON.stringify({ type, object })}\n`);
  const send = (type: string, object: KubeObject) => write(type, inVersion(object, resource, version));
  const bookmark = (annotations?: Record<string, string>) =>
    write('BOOKMARK', {
      kind: resource.kind,
      apiVersion: inVersion({} as KubeObject, resource, version).apiVersion,
      metadata: { resourceVersion: store.resourceVersion, ...(annotations && { annotations }) },
    });
  const onEvent = (event: StoreEvent) => {
    if (event.resource !== resource) return;
    const is = matches(event.object);
    const was = event.previous ? matches(event.previous) : false;
    if (event.type === 'DELETED') {
      if (was) send('DELETED', event.object);
    } else if (is) send(was ? 'MODIFIED' : 'ADDED', event.object);
    else if (was) send('DELETED', event.object);
  };

  const from = query.get('resourceVersion') ?? '';
  const wantsInitial = query.get('sendInitialEvents') === 'true' || from === '' || from === '0';
  const missed = wantsInitial ? [] : store.since(Number(from));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (!missed) {
    write('ERROR', gone(`too old resource version: ${from}`).body);
    response.end();
    return;
  }
  if (wantsInitial) {
    for (const object of store.list(resource, namespace).filter(matches)) send('ADDED', object);
    if (query.get('sendInitialEvents') === 'true') bookmark({ 'k8s.io/initial-events-end': 'true' });
  }
  for (const event of missed) onEvent(event);
  const unsubscribe = store.subscribe(onEvent);
  const allowsBookmarks = query.get('allowWatchBookmarks') === 'true';
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  const timer = seconds > 0 ? setTimeout(finish, seconds * 1000) : undefined;
  function finish(): void {
    if (allowsBookmarks) bookmark();
    response.end();
  }
  response.on('close', () => {
    unsubscribe();
    clearTimeout(timer);
  });
}
