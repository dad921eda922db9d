import { badRequest, gone, notFound } from '../api-error.js';
import type { KubeObject } from '../json.js';
import { type ApiResource, apiVersionOf } from '../resources.js';
import type { Store } from '../store.js';
import type { Address } from './address.js';
import { queryMatcher } from './selectors.js';

/** The object in the version that was asked for. */
export const inVersion = (object: KubeObject, resource: ApiResource, version: string): KubeObject => ({
  ...object,
  apiVersion: apiVersionOf(resource.group, version),
});

export function getObject(store: Store, { resource, namespace, name = '', version }: Address): KubeObject {
  const object = store.get(resource, namespace, name);
  if (!object) throw notFound(resource, name);
  return inVersion(object, resource, version);
}

/** A list, filtered by the query's selectors, in pages of its `limit`. */
export function listObjects(store: Store, address: Address, query: URLSearchParams): Record<string, unknown> {
  const { resource, namespace, version } = address;
  const limit = Number(query.get('limit') ?? 0);
  const start = continueFrom(query.get('continue'), store);
  const matching = store.list(resource, namespace).filter(queryMatcher(query));
  const page = limit > 0 ? matching.slice(start, start + limit) : matching.slice(start);
  const next = start + page.length;
  const rest = matching.length - next;
  return {
    kind: `${resource.kind}List`,
    apiVersion: apiVersionOf(resource.group, version),
    metadata: {
      resourceVersion: store.resourceVersion,
      ...(rest > 0 && { continue: token(store.resourceVersion, next), remainingItemCount: rest }),
    },
    items: page.map((object) => inVersion(object, resource, version)),
  };
}

const token = (version: string, start: number): string =>
  Buffer.from(`${version}:${start}`).toString('base64url');

/** Pages are of one version of the list: a write in between makes the token too old. */
function continueFrom(given: string | null, store: Store): number {
  if (!given) return 0;
  const match = /^(\d+):(\d+)$/.exec(Buffer.from(given, 'base64url').toString());
  if (!match) throw badRequest('continue key is not valid');
  if (match[1] !== store.resourceVersion)
    throw gone('The provided continue parameter is too old to display a consistent list result.');
  return Number(match[2]);
}
