import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Certificate } from '../../../support/certificates.js';

/** A server on a free loopback port that can be stopped while clients are still connected. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

export async function listen(server: Server): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { host: `127.0.0.1:${port}`, port, stop };
}

/** Serves HTTP, or HTTPS where there is a certificate. */
export function serve(listener: RequestListener, certificate?: Certificate): Promise<RunningServer> {
  if (!certificate) return listen(createServer(listener));
  return listen(createHttpsServer({ cert: certificate.certificate, key: certificate.key }, listener));
}

export interface Seen {
  method: string;
  path: string;
  status: number;
  authorization: string | undefined;
}

export interface Recorder extends RunningServer {
  /** All requests so far; each is recorded before its answer is sent. */
  readonly seen: Seen[];
  /** The requests that were answered with 200, as `METHOD /path`. */
  succeeded(method: string): string[];
}

export interface Change {
  status?: number;
  /** Set, or taken out (undefined). */
  headers?: Record<string, string | undefined>;
  body?: Buffer;
}

/** Looks at an answer on its way, and may change or delay it. */
export type Tamper = (seen: Seen) => Change | undefined | Promise<Change | undefined>;

/** Stands before a registry, records each request with the status of its answer, and may change answers. */
export async function record(target: { port: number }, tamper?: Tamper): Promise<Recorder> {
  const seen: Seen[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port: target.port, method, path, headers });
    forwarded.on('error', () => outgoing.destroy());
    forwarded.on('response', async (answer) => {
      const { authorization } = headers;
      const entry: Seen = { method, path, status: answer.statusCode ?? 0, authorization };
      const change = (await tamper?.(entry)) ?? {};
      entry.status = change.status ?? entry.status;
      seen.push(entry);
      const length = change.body && { 'content-length': String(change.body.length) };
      const kept = Object.entries({ ...answer.headers, ...length, ...change.headers });
      outgoing.writeHead(entry.status, Object.fromEntries(kept.filter(([, value]) => value !== undefined)));
      if (!change.body) return answer.pipe(outgoing);
      answer.resume();
      return outgoing.end(method === 'HEAD' ? undefined : change.body);
    });
    incoming.pipe(forwarded);
  });
  const succeeded = (wanted: string) =>
    seen
      .filter(({ method, status }) => method === wanted && status === 200)
      .map(({ method, path }) => `${method} ${path}`);
  return { ...(await listen(server)), seen, succeeded };
}

export interface LoggingProxy extends RunningServer {
  /** What was asked for: `CONNECT host:port`, `GET http://host/path`. */
  readonly log: string[];
}

/** A proxy that leads each host name to a loopback port: those names exist nowhere but behind it. */
export async function startProxy(ports: Readonly<Record<string, number>>): Promise<LoggingProxy> {
  const log: string[] = [];
  const server = createServer((incoming: IncomingMessage, outgoing) => {
    log.push(`${incoming.method} ${incoming.url}`);
    const url = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const path = url.pathname + url.search;
    incoming.pipe(
      request({ host: '127.0.0.1', port: ports[url.host], method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      }),
    );
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    log.push(`CONNECT ${incoming.url}`);
    const port = ports[incoming.url ?? ''];
    if (port === undefined) return client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    return undefined;
  });
  return { ...(await listen(server)), log };
}
