import { createSecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { Failure } from '../../failure/index.js';
import { packageName, packageVersion } from '../../package/index.js';
import { badAnswer, lostRequest } from './faults.js';
import { type Route, routeTo } from './proxy.js';
import { trustedRoots } from './trust.js';

/** How one registry is to be spoken to. */
export interface RegistrySettings {
  /** Plain HTTP is allowed, and a certificate is not checked. */
  readonly insecure?: boolean | undefined;
  /** A PEM file of authorities that are trusted beside the system's. */
  readonly caFile?: string | undefined;
}

export interface HttpRequest {
  readonly method: 'HEAD' | 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

type OutgoingRequest = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>;

/** No manifest or image configuration comes near this. */
const LARGEST_BODY = 4 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** HTTP to one registry, its token server and where it redirects to: proxies, trust, redirects and the time limit. */
export class Transport {
  readonly #settings: RegistrySettings;
  readonly #env: NodeJS.ProcessEnv;
  readonly #timeoutMs: number;
  readonly #dispatchers = new Map<string, Promise<Dispatcher>>();

  constructor(settings: RegistrySettings, env: NodeJS.ProcessEnv, timeoutMs: number) {
    this.#settings = settings;
    this.#env = env;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request and reads the answer, whatever its status. Throws a Failure where none comes in time. */
  async send({ method, url, headers = {}, body }: HttpRequest): Promise<HttpAnswer> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const sent: Record<string, string> = { 'user-agent': `${packageName}/${packageVersion}`, ...headers };
    let target = url;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const answer = await this.#exchange(target, { method, headers: sent, body: body ?? null }, signal);
      const location = answer.headers.location;
      // What is posted is a login: it goes nowhere but where it was addressed to.
      const followed = REDIRECTS.has(answer.status) && method !== 'POST';
      if (!followed || typeof location !== 'string') return answer;
      const next = URL.canParse(location, target.href) ? new URL(location, target) : undefined;
      if (!next || !/^https?:$/.test(next.protocol))
        throw badAnswer(url.host, 'It redirects to no HTTP address.');
      if (target.protocol === 'https:' && next.protocol === 'http:' && !this.#settings.insecure) {
        throw badAnswer(url.host, `It redirects from HTTPS to plain HTTP (${next.host}).`);
      }
      // A login is for the host that asked for it.
      if (next.origin !== target.origin) delete sent.authorization;
      target = next;
    }
    throw badAnswer(url.host, `It redirects more than ${MOST_REDIRECTS} times.`);
  }

  /** Gives up what is still under way and closes all connections. */
  async close(): Promise<void> {
    const made = await Promise.allSettled(this.#dispatchers.values());
    await Promise.all(
      made.map((dispatcher) => dispatcher.status === 'fulfilled' && dispatcher.value.destroy()),
    );
  }

  async #exchange(url: URL, request: OutgoingRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const route = routeTo(url, this.#env);
    const dispatcher = await this.#dispatcher(route);
    const ask = async () => {
      const { pathname, search, origin, host } = url;
      const answer = await dispatcher.request({ ...request, signal, origin, path: pathname + search });
      return { status: answer.statusCode, headers: answer.headers, body: await readBody(host, answer.body) };
    };
    try {
      return await Promise.race([ask(), aborted(signal)]);
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { host } = url;
      throw lostRequest({
        host,
        route: route.description,
        timeoutMs: this.#timeoutMs,
        error: error as Error,
      });
    }
  }

  #dispatcher(route: Route): Promise<Dispatcher> {
    const key = route.proxy?.href ?? '';
    let dispatcher = this.#dispatchers.get(key);
    if (!dispatcher) {
      dispatcher = this.#connect(route.proxy);
      this.#dispatchers.set(key, dispatcher);
    }
    return dispatcher;
  }

  async #connect(proxy: URL | undefined): Promise<Dispatcher> {
    const { insecure, caFile } = this.#settings;
    const timeout = this.#timeoutMs;
    const secureContext = createSecureContext({ ca: trustedRoots(this.#env, caFile) });
    const tls = { secureContext, rejectUnauthorized: !insecure, timeout };
    // Loaded only here: a render that needs no registry must not pay for an HTTP client.
    const { Agent, ProxyAgent } = await import('undici');
    if (!proxy) return new Agent({ connect: tls });
    const proxyTls = { ca: trustedRoots(this.#env), timeout };
    // Plain HTTP is forwarded instead of tunnelled, since many proxies tunnel to port 443 alone.
    return new ProxyAgent({ uri: proxy.href, requestTls: tls, proxyTls, proxyTunnel: false });
  }
}

/** The first value of an answer's header, by its lower-case name; undefined where it is absent or empty. */
export function headerText(answer: HttpAnswer, name: string): string | undefined {
  return [answer.headers[name] ?? []].flat()[0] || undefined;
}

/** Rejects when the signal fires. The dispatcher heeds it only once it is connected, so a proxy could hang for ever. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function readBody(host: string, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw badAnswer(host, `Its answer is larger than ${LARGEST_BODY} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
