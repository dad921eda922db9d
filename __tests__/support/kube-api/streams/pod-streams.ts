import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { ApiError, badRequest, notFound, statusBody } from '../api-error.js';
import { type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';
import type { PodBackends } from '../pods/backends.js';
import { containerEnvironment } from '../pods/environment.js';
import type { Address } from '../requests/address.js';
import type { Store } from '../store.js';
import { serveExec } from './exec.js';
import { forwardChannels, forwardSpdy } from './port-forward.js';

const SPDY_TUNNEL = 'SPDY/3.1+portforward.k8s.io';
const CHANNEL_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** What a client does with a running Pod: read its log, run a command in it, reach its ports. */
export class PodStreams {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => CHANNEL_PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  });

  constructor(
    private readonly store: Store,
    private readonly backends: PodBackends,
  ) {
    // the tunnel's name is no token of HTTP, which the library refuses: taken off the request, put back on the answer
    this.#sockets.on('headers', (headers, request) => {
      if (isTunnel(request)) headers.push(`Sec-WebSocket-Protocol: ${SPDY_TUNNEL}`);
    });
  }

  log(address: Address, query: URLSearchParams, response: ServerResponse): void {
    const pod = this.#pod(address);
    const container = pickContainer(pod, query.get('container'));
    const previous = query.get('previous') === 'true';
    checkStarted(pod, container, previous);
    const follow = query.get('follow') === 'true';
    const log = this.backends.of(pod).log?.({ pod, container, follow, previous }) ?? '';
    response.writeHead(200, { 'content-type': 'text/plain' });
    if (typeof log === 'string') response.end(tail(log, query.get('tailLines')));
    else void pump(log, response);
  }

  upgrade(address: Address, request: IncomingMessage, socket: Socket, head: Buffer): void {
    const pod = this.#pod(address);
    const query = new URL(request.url ?? '/', 'https://server').searchParams;
    if (address.subresource === 'exec') {
      const target = this.#execTarget(pod, query);
      this.#accept(request, socket, head, (client) => void serveExec(client, target, this.backends.of(pod)));
      return;
    }
    if (address.subresource !== 'portforward') throw badRequest(`no stream ${address.subresource}`);
    if (valueAt(pod, 'status', 'phase') !== 'Running') {
      throw badRequest(
        `unable to forward port because pod is not running. Current status=${valueAt(pod, 'status', 'phase')}`,
      );
    }
    const localPort = (port: number) => this.backends.of(pod).ports?.[port];
    const ports = query.getAll('ports').flatMap((list) => list.split(',').map(Number));
    this.#accept(request, socket, head, (client) => {
      if (isTunnel(request)) forwardSpdy(createWebSocketStream(client), localPort);
      else forwardChannels(client, ports, localPort);
    });
  }

  #accept(request: IncomingMessage, socket: Socket, head: Buffer, serve: (client: WebSocket) => void): void {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      throw badRequest('only WebSocket connections can be upgraded');
    }
    if (request.headers['sec-websocket-protocol']?.includes(SPDY_TUNNEL)) {
      tunnels.add(request);
      delete request.headers['sec-websocket-protocol'];
    }
    this.#sockets.handleUpgrade(request, socket, head, serve);
  }

  #pod({ resource, namespace, name = '' }: Address): KubeObject {
    const pod = this.store.get(resource, namespace, name);
    if (!pod) throw notFound(resource, name);
    return pod;
  }

  #execTarget(pod: KubeObject, query: URLSearchParams) {
    const container = pickContainer(pod, query.get('container'));
    if (valueAt(statusOf(pod, container), 'state', 'running') === undefined) {
      throw new ApiError(statusBody(500, 'InternalError', `container not found ("${container}")`));
    }
    const spec = listAt(pod, 'spec', 'containers').find(({ name }) => name === container) ?? {};
    const environment = containerEnvironment(this.store, pod, spec);
    return {
      pod,
      container,
      command: query.getAll('command'),
      environment: 'values' in environment ? environment.values : {},
      tty: query.get('tty') === 'true',
      hasStdin: query.get('stdin') === 'true',
    };
  }
}

const tunnels = new WeakSet<IncomingMessage>();
const isTunnel = (request: IncomingMessage): boolean => tunnels.has(request);

/** The named container, or the only one. */
function pickContainer(pod: KubeObject, asked: string | null): string {
  const named = (list: string) => listAt(pod, 'spec', list).map(({ name }) => String(name));
  const names = named('containers');
  if (asked === null || asked === '') {
    const [only] = names;
    if (names.length === 1 && only !== undefined) return only;
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
    );
  }
  if ([...names, ...named('initContainers')].includes(asked)) return asked;
  throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
}

const statusOf = (pod: KubeObject, container: string): JsonObject | undefined =>
  [...listAt(pod, 'status', 'containerStatuses'), ...listAt(pod, 'status', 'initContainerStatuses')].find(
    ({ name }) => name === container,
  );

function checkStarted(pod: KubeObject, container: string, previous: boolean): void {
  const status = statusOf(pod, container);
  const waiting = valueAt(status, 'state', 'waiting', 'reason');
  const hasRunBefore = valueAt(status, 'lastState', 'terminated') !== undefined;
  const { name } = pod.metadata;
  if (previous && !hasRunBefore) {
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  }
  if (!status || (waiting !== undefined && !hasRunBefore)) {
    throw badRequest(
      `container "${container}" in pod "${name}" is waiting to start: ${waiting ?? 'ContainerCreating'}`,
    );
  }
}

function tail(log: string, tailLines: string | null): string {
  if (tailLines === null) return log;
  const lines = log.replace(/\n$/, '').split('\n').slice(-Number(tailLines));
  return Number(tailLines) === 0 || log === '' ? '' : `${lines.join('\n')}\n`;
}

async function pump(lines: AsyncIterable<string>, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  for await (const line of lines) {
    if (response.destroyed) return;
    response.write(line.endsWith('\n') ? line : `${line}\n`);
  }
  response.end();
}
