import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError, noSuchPath, type StatusBody, statusBody, unauthorized } from '../api-error.js';
import { discoveryDocument } from '../discovery/discovery.js';
import { OPENAPI_V2, openApiDocument } from '../discovery/openapi.js';
import { type Address, parseAddress } from '../requests/address.js';
import { type Answer, handle } from '../requests/handle.js';
import { watchObjects } from '../requests/watch.js';
import type { Cluster } from '../requests/write.js';
import type { PodStreams } from '../streams/pod-streams.js';
import type { FaultRule, Faults } from './faults.js';
import type { LoggedRequest, RequestLog } from './request-log.js';

export interface ServerParts {
  cluster: Cluster;
  faults: Faults;
  log: RequestLog;
  streams: PodStreams;
  acceptToken: (token: string) => boolean;
  certificate: { cert: string; key: string };
}

/** The HTTPS server on a free port of the loopback interface. */
export class ApiServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  constructor(private readonly parts: ServerParts) {
    this.#server = createServer(
      parts.certificate,
      (request, response) => void this.#answer(request, response),
    );
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
  }

  /** Takes connections, on the same port as before where there was one. */
  async listen(): Promise<number> {
    await new Promise<void>((done) => this.#server.listen(this.#port, '127.0.0.1', done));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  async stop(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client went away while sending
    }
    const entry = this.#record(request, Buffer.concat(chunks).toString());
    const fault = this.parts.faults.next(entry.method, entry.url, entry.userAgent);
    if (fault && fault.when !== 'after') return this.#fail(fault, entry, response);
    try {
      this.#checkToken(request);
      const address = parseAddress(entry.path);
      if (address && entry.method === 'GET' && isWatch(entry.query)) {
        entry.code = 200;
        return watchObjects(this.parts.cluster.store, address, entry.query, response);
      }
      if (address?.resource.kind === 'Pod' && address.subresource === 'log') {
        entry.code = 200;
        return this.parts.streams.log(address, entry.query, response);
      }
      const answer = this.#resourceOrDocument(entry, address);
      if (fault) return this.#fail(fault, entry, response);
      send(response, entry, answer);
    } catch (error) {
      if (fault) return this.#fail(fault, entry, response);
      const body = error instanceof ApiError ? error.body : internalError(error);
      send(response, entry, { code: body.code, body });
    }
  }

  #resourceOrDocument(entry: LoggedRequest, address: Address | undefined): Answer {
    if (address) return handle(this.parts.cluster, address, entry);
    if (/^\/(healthz|livez|readyz)$/.test(entry.path)) return { code: 200, body: 'ok' };
    if (entry.path === '/openapi/v2') return { code: 200, body: OPENAPI_V2 };
    const document = discoveryDocument(entry.path) ?? openApiDocument(entry.path);
    if (!document) throw noSuchPath();
    return { code: 200, body: document };
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const entry = this.#record(request, '');
    entry.protocol = String(request.headers['sec-websocket-protocol'] ?? request.headers.upgrade ?? '');
    socket.on('error', () => socket.destroy());
    const fault = this.parts.faults.next(entry.method, entry.url, entry.userAgent);
    try {
      if (fault?.action.kind === 'run') fault.action.run();
      if (fault?.action.kind === 'drop' || fault?.action.kind === 'run') return void socket.destroy();
      if (fault?.action.kind === 'hang') return;
      if (fault?.action.kind === 'status') throw new ApiError(faultStatus(fault));
      this.#checkToken(request);
      const address = parseAddress(entry.path);
      if (address?.resource.kind !== 'Pod' || !address.subresource) throw noSuchPath();
      entry.code = 101;
      this.parts.streams.upgrade(address, request, socket, head);
    } catch (error) {
      const body = error instanceof ApiError ? error.body : internalError(error);
      entry.code = body.code;
      const text = JSON.stringify(body);
      socket.end(
        `HTTP/1.1 ${body.code} ${body.reason ?? 'Error'}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  }

  #record(request: IncomingMessage, body: string): LoggedRequest {
    const url = new URL(request.url ?? '/', 'https://server');
    const entry: LoggedRequest = {
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      path: url.pathname,
      query: url.searchParams,
      userAgent: String(request.headers['user-agent'] ?? ''),
      contentType: String(request.headers['content-type'] ?? ''),
      accept: String(request.headers.accept ?? ''),
      body,
      code: 0,
    };
    this.parts.log.entries.push(entry);
    return entry;
  }

  #checkToken(request: IncomingMessage): void {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined || !this.parts.acceptToken(token)) throw unauthorized();
  }

  #fail(rule: FaultRule, entry: LoggedRequest, response: ServerResponse): void {
    if (rule.action.kind === 'run') rule.action.run();
    if (rule.action.kind === 'drop' || rule.action.kind === 'run') response.destroy();
    if (rule.action.kind !== 'status') return;
    const { code, body, retryAfterSeconds } = rule.action;
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
    send(response, entry, { code, body: body ?? faultStatus(rule) });
  }
}

const isWatch = (query: URLSearchParams): boolean => ['true', '1'].includes(query.get('watch') ?? '');

function faultStatus({ action }: FaultRule): StatusBody {
  if (action.kind !== 'status') throw new Error('only a status fault has a Status');
  return statusBody(action.code, action.reason ?? 'InternalError', action.message ?? 'a fault of the test');
}

/** A mistake of this server: shown in full, since only tests talk to it. */
const internalError = (error: unknown): StatusBody =>
  statusBody(
    500,
    'InternalError',
    `the tests' API server failed: ${(error as Error).stack ?? String(error)}`,
  );

function send(response: ServerResponse, entry: LoggedRequest, { code, body, warnings = [] }: Answer): void {
  entry.code = code;
  if (warnings.length > 0)
    response.setHeader(
      'warning',
      warnings.map((text) => `299 - ${JSON.stringify(text)}`),
    );
  const isPlain = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(code, { 'content-type': isPlain ? 'text/plain' : 'application/json' });
  response.end(isPlain ? body : JSON.stringify(body));
}
