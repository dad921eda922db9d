import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsError } from './aws-error.js';
import { Calls, type CloudCall } from './calls.js';
import type { Cloud } from './cloud.js';
import { type FaultRule, Faults, faultError } from './faults.js';
import { type Answer, errorAnswer } from './protocol/answer.js';
import { type Identity, identify } from './protocol/identify.js';
import { type AwsRequest, awsRequest } from './protocol/request.js';

/** Where clients connect to: records each call, and lets go wrong what a test wants to. */
export class AwsProxy {
  readonly calls = new Calls();
  readonly faults = new Faults();
  /** What went wrong in the emulation itself; a test that finds something here has found a mistake in it. */
  readonly defects: string[] = [];
  #server: Server | undefined;
  #port = 0;
  #hanging = new Set<ServerResponse>();

  constructor(readonly cloud: Cloud) {}

  get port(): number {
    return this.#port;
  }

  /** Listens, on the port of before when there was one. */
  async plugIn(): Promise<void> {
    if (this.#server) return;
    const server = createServer((incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch((error) => {
        this.defects.push(String(error));
        outgoing.destroy();
      });
    });
    // A client that is killed between two calls must not leave the next one a connection that is about to end.
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Nobody listens any more: connections are refused. */
  async unplug(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.releaseHanging();
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Ends the connections that hang. */
  releaseHanging(): void {
    for (const outgoing of this.#hanging) outgoing.destroy();
    this.#hanging.clear();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    try {
      for await (const part of incoming) parts.push(part as Buffer);
    } catch {
      return;
    }
    const { method = 'GET', url = '/', headers } = incoming;
    const request = awsRequest(method, url, headers, Buffer.concat(parts));
    const identity = identify(request, this.cloud.dataFolder);
    const call = this.calls.add({ ...identity, region: request.region, request: shownRequest(request) });
    const rules = this.faults.next(identity.service, identity.operation);
    for (const rule of rules.filter(({ when }) => when !== 'after')) {
      if (await this.#strike(rule, request, identity, call, outgoing)) return;
    }
    const result = await this.#answerOf(request, identity, call);
    for (const rule of rules.filter(({ when }) => when === 'after')) {
      if (await this.#strike(rule, request, identity, call, outgoing)) return;
    }
    send(outgoing, call, result);
  }

  async #answerOf(request: AwsRequest, identity: Identity, call: CloudCall): Promise<Answer> {
    try {
      return await this.cloud.handle(request, identity, call);
    } catch (error) {
      if (error instanceof AwsError) return errorAnswer(identity.service, error, request.method);
      this.defects.push(`${identity.service} ${identity.operation}: ${String(error)}`);
      return errorAnswer(
        identity.service,
        new AwsError('InternalFailure', String(error), 500),
        request.method,
      );
    }
  }

  /** Lets a rule's fault happen; whether the call is over with it. */
  async #strike(
    { fault }: FaultRule,
    request: AwsRequest,
    { service, operation }: Identity,
    call: CloudCall,
    outgoing: ServerResponse,
  ): Promise<boolean> {
    if (typeof fault === 'function') {
      await fault(call);
      return false;
    }
    const error = faultError(fault, service, operation);
    if (error) {
      send(outgoing, call, errorAnswer(service, error, request.method));
      return true;
    }
    if (fault === 'hang') {
      this.#hanging.add(outgoing);
      outgoing.once('close', () => this.#hanging.delete(outgoing));
      return true;
    }
    outgoing.socket?.resetAndDestroy();
    if (fault === 'refused') await this.unplug();
    return true;
  }
}

function send(outgoing: ServerResponse, call: CloudCall, { status, headers, body }: Answer): void {
  call.status = status;
  const text = body.toString('utf8');
  if (text.startsWith('{')) {
    try {
      call.response = JSON.parse(text);
    } catch {
      // It only looks like JSON.
    }
  }
  if (status >= 400)
    call.error = headers['x-amzn-errortype'] ?? /<Code>([^<]*)/.exec(text)?.[1] ?? String(status);
  // To a HEAD, the length is that of the object, not of the empty body.
  const { 'content-length': length, ...rest } = headers;
  outgoing.writeHead(status, {
    ...rest,
    'content-length': outgoing.req.method === 'HEAD' ? (length ?? '0') : body.length,
  });
  outgoing.end(body);
}

function shownRequest({ method, url, body, headers }: AwsRequest): unknown {
  if (headers['x-amz-target'] === undefined)
    return { method, url, body: body.toString('utf8').slice(0, 10_000) };
  try {
    return JSON.parse(body.toString('utf8') || '{}');
  } catch {
    return body.toString('utf8');
  }
}
