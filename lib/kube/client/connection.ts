import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request as httpsRequest, type RequestOptions } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { packageName, packageVersion } from '../../package/index.js';
import { routeTo } from '../images/proxy.js';
import { trustedRoots } from '../images/trust.js';
import { TunnelAgent } from './agent.js';
import { Credentials, readFile } from './credentials.js';
import { noConnection } from './failures.js';
import type { Access } from './kubeconfig.js';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path on the server, with its query. */
  path: string;
  body?: unknown;
  contentType?: string;
  accept?: string;
}

export interface ApiAnswer {
  status: number;
  /** The body, as JSON where it is. */
  body: unknown;
  /** What the server warns of. */
  warnings: string[];
}

const REQUEST_TIMEOUT_MS = 30_000;
const PAUSES_MS = [250, 1000];
const LONGEST_PAUSE_MS = 10_000;
/** What a server says that may do better a moment later. */
const PASSING = new Set([429, 502, 503, 504]);
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** HTTP to one API server: trust, credentials, proxies, time limits and retries. */
export class Connection {
  readonly #server: URL;
  readonly #credentials: Credentials;
  readonly #agents: (Agent | HttpAgent)[] = [];
  #options: Promise<RequestOptions> | undefined;
  #headers: Record<string, string> = {};

  constructor(
    readonly access: Access,
    private readonly env: NodeJS.ProcessEnv,
    private readonly timeoutMs: number = REQUEST_TIMEOUT_MS,
  ) {
    this.#server = new URL(access.cluster.server);
    this.#credentials = new Credentials(access, env);
  }

  /** Sends a request and reads the answer, whatever its status. Throws a Failure where none comes. */
  async send(request: ApiRequest): Promise<ApiAnswer> {
    for (const wait of [...PAUSES_MS, undefined]) {
      try {
        const incoming = await this.#exchange(request);
        const answer = await this.#read(incoming);
        // The login may have ended since it was made.
        if (answer.status === 401 && wait === PAUSES_MS[0]) this.forgetLogin();
        else if (wait === undefined || !PASSING.has(answer.status) || !isRepeatable(request)) return answer;
        else await pause(Math.max(wait, retryAfter(incoming)));
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const isBroken = BROKEN.has(code ?? '') || message === 'socket hang up';
        if (wait === undefined || !isBroken || !isRepeatable(request)) throw this.#lost(error as Error);
        await pause(wait);
      }
    }
    throw new Error('the last try returns or throws');
  }

  /** Opens a stream of text, such as a log. Its silence is no failure, its beginning must come in time. */
  async stream(path: string): Promise<IncomingMessage> {
    try {
      return await this.#exchange({ method: 'GET', path });
    } catch (error) {
      throw this.#lost(error as Error);
    }
  }

  /** What another protocol on the same server needs: its address, and the options of node:https. */
  async socketOptions(): Promise<RequestOptions & { server: string }> {
    const options = await this.#connectionOptions();
    return { ...options, headers: { ...this.#headers }, server: this.#server.href.replace(/\/$/, '') };
  }

  /** The next request logs in anew. */
  forgetLogin(): void {
    this.#options = undefined;
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  async #exchange({ method, path, body, contentType, accept }: ApiRequest): Promise<IncomingMessage> {
    const options = await this.#connectionOptions();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const isSecure = this.#server.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const outgoing = (isSecure ? httpsRequest : httpRequest)(
        {
          ...options,
          host: this.#server.hostname.replace(/^\[(.*)\]$/, '$1'),
          port: this.#server.port,
          method,
          path: this.#server.pathname.replace(/\/$/, '') + path,
          headers: {
            ...this.#headers,
            accept: accept ?? 'application/json',
            'user-agent': `${packageName}/${packageVersion}`,
            ...(text !== undefined && {
              'content-type': contentType ?? 'application/json',
              'content-length': Buffer.byteLength(text),
            }),
          },
        },
        (incoming) => {
          clearTimeout(timer);
          resolve(incoming);
        },
      );
      const timer = setTimeout(() => outgoing.destroy(new NoAnswer(this.timeoutMs)), this.timeoutMs);
      outgoing.once('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      outgoing.end(text);
    });
  }

  async #read(incoming: IncomingMessage): Promise<ApiAnswer> {
    const timer = setTimeout(() => incoming.destroy(new NoAnswer(this.timeoutMs)), this.timeoutMs);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString('utf8');
      return {
        status: incoming.statusCode ?? 0,
        body: jsonOr(text),
        warnings: warningsOf(incoming),
      };
    } finally {
      clearTimeout(timer);
    }
  }

  #connectionOptions(): Promise<RequestOptions> {
    this.#options ??= this.#makeOptions();
    return this.#options;
  }

  async #makeOptions(): Promise<RequestOptions> {
    const { cluster } = this.access;
    const { headers, cert, key } = await this.#credentials.find();
    this.#headers = headers;
    const data = cluster['certificate-authority-data'];
    const file = cluster['certificate-authority'];
    const own = data ? Buffer.from(data, 'base64') : file ? readFile(file) : undefined;
    const tls: AgentOptions = {
      keepAlive: true,
      ca: own ?? trustedRoots(this.env),
      ...(cert && key ? { cert, key } : {}),
      ...(cluster['tls-server-name'] ? { servername: cluster['tls-server-name'] } : {}),
      ...(cluster['insecure-skip-tls-verify'] ? { rejectUnauthorized: false } : {}),
    };
    const agent = this.#agent(tls);
    this.#agents.push(agent);
    return { ...tls, agent };
  }

  #agent(tls: AgentOptions): Agent | HttpAgent {
    if (this.#server.protocol === 'http:') return new HttpAgent({ keepAlive: true });
    const named = this.access.cluster['proxy-url'];
    const proxy = named ? new URL(named) : routeTo(this.#server, this.env).proxy;
    return proxy ? new TunnelAgent(proxy, trustedRoots(this.env), tls) : new Agent(tls);
  }

  #lost(error: Error): Error {
    const named = this.access.cluster['proxy-url'];
    const route = named ? 'through the proxy of the kubeconfig' : routeTo(this.#server, this.env).description;
    return noConnection(error, { server: this.#server.href, context: this.access.context, route });
  }
}

/** No answer came in time. */
class NoAnswer extends Error {
  constructor(readonly limitMs: number) {
    super(`no answer within ${limitMs / 1000} s`);
  }
}

/** Whether a second arrival of the request does no harm: an apply and a read say what is to be, a POST makes another. */
function isRepeatable({ method }: ApiRequest): boolean {
  return method !== 'POST';
}

function retryAfter({ headers }: IncomingMessage): number {
  const seconds = Number(headers['retry-after'] ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : 0;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The texts of `Warning: 299 - "…"` headers. */
function warningsOf({ headers }: IncomingMessage): string[] {
  const header = [headers.warning ?? []].flat().join(', ');
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
}
