import { Authorizer } from './authorizer.js';
import {
  badAnswer,
  imageFault,
  isTimeout,
  loginCommand,
  loginRefused,
  registryMessage,
  tooManyRequests,
} from './faults.js';
import type { DockerKeychain } from './keychain.js';
import { ACCEPTED_TYPES, hasDigest, isManifestType, type Manifest, parseManifest } from './manifest.js';
import { canonicalHost, type ImageReference, isDigest } from './reference.js';
import {
  type HttpAnswer,
  type HttpRequest,
  headerText,
  type RegistrySettings,
  Transport,
} from './transport.js';

export interface RegistryClientOptions {
  readonly settings: RegistrySettings;
  readonly keychain: DockerKeychain;
  readonly env: NodeJS.ProcessEnv;
  /** For each request, its redirects included. */
  readonly timeoutMs: number;
}

/** A status of a HEAD that a registry may give only because it does not know HEAD. */
const HEAD_NOT_SERVED = new Set([400, 404, 405, 406, 501]);

/** One registry, read only: which digest a tag has, and the manifests and configurations behind digests. */
export class RegistryClient {
  readonly #host: string;
  readonly #insecure: boolean;
  readonly #transport: Transport;
  readonly #authorizer: Authorizer;
  #base: Promise<string> | undefined;
  #limited: Error | undefined;

  constructor(host: string, { settings, keychain, env, timeoutMs }: RegistryClientOptions) {
    this.#host = host;
    this.#insecure = settings.insecure === true;
    this.#transport = new Transport(settings, env, timeoutMs);
    this.#authorizer = new Authorizer(this.#transport, keychain, settings);
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** The digest behind the reference's tag: by HEAD, or by GET where the HEAD's answer does not do. */
  async digestOfTag(reference: ImageReference): Promise<string> {
    const tag = reference.tag ?? 'latest';
    const answer = await this.#ask(reference, 'HEAD', `manifests/${tag}`);
    if (answer.status === 200) {
      const digest = headerText(answer, 'docker-content-digest');
      if (isDigest(digest) && isManifestType(headerText(answer, 'content-type'))) return digest;
    } else if (!HEAD_NOT_SERVED.has(answer.status)) {
      throw this.#fault(reference, answer);
    }
    return (await this.manifest(reference, tag)).digest;
  }

  /** Reads the manifest with this tag or digest, and verifies its digest. */
  async manifest(reference: ImageReference, tagOrDigest: string): Promise<Manifest> {
    const answer = await this.#ask(reference, 'GET', `manifests/${tagOrDigest}`);
    if (answer.status !== 200) throw this.#fault(reference, answer);
    const promised = [
      headerText(answer, 'docker-content-digest'),
      isDigest(tagOrDigest) ? tagOrDigest : undefined,
    ];
    try {
      for (const digest of promised) if (digest !== undefined) verify(answer.body, digest);
      return parseManifest(answer.body, headerText(answer, 'content-type'));
    } catch (error) {
      throw imageFault(
        reference,
        `The manifest that ${this.#host} gave for ${tagOrDigest} cannot be used: ${(error as Error).message}.`,
        'Push the image anew, or name another tag.',
      );
    }
  }

  /** Reads a blob, and verifies its digest. */
  async blob(reference: ImageReference, digest: string): Promise<Buffer> {
    if (!isDigest(digest))
      throw imageFault(reference, `It names a part by '${digest}'.`, 'Push the image anew.');
    const answer = await this.#ask(reference, 'GET', `blobs/${digest}`);
    if (answer.status !== 200) throw this.#fault(reference, answer);
    try {
      verify(answer.body, digest);
    } catch (error) {
      throw imageFault(
        reference,
        `A part of it is damaged: ${(error as Error).message}.`,
        'Push the image anew.',
      );
    }
    return answer.body;
  }

  async #ask(reference: ImageReference, method: HttpRequest['method'], path: string): Promise<HttpAnswer> {
    const url = new URL(`${await this.#baseUrl()}/v2/${reference.repository}/${path}`);
    const ask = (authorization?: string) => {
      // A registry that limits requests is not asked again: each try would count as well.
      if (this.#limited) throw this.#limited;
      return this.#transport.send({
        method,
        url,
        headers: { accept: ACCEPTED_TYPES, ...(authorization && { authorization }) },
      });
    };
    let authorization = await this.#authorizer.known(reference);
    let answer = await ask(authorization);
    if (answer.status === 401 && authorization === undefined) {
      authorization = await this.#authorizer.answer(reference, answer);
      answer = await ask(authorization);
    }
    if (answer.status === 401 && authorization?.startsWith('Basic '))
      throw loginRefused(this.#host, this.#host, true);
    if (answer.status === 429) {
      this.#limited ??= tooManyRequests(this.#host, headerText(answer, 'retry-after'));
      throw this.#limited;
    }
    return answer;
  }

  /** Where the registry's API is. One that is marked insecure is asked by HTTPS first, as Docker does. */
  #baseUrl(): Promise<string> {
    const apiHost = canonicalHost(this.#host) === 'docker.io' ? 'registry-1.docker.io' : this.#host;
    this.#base ??= this.#insecure ? this.#probe(apiHost) : Promise.resolve(`https://${apiHost}`);
    return this.#base;
  }

  async #probe(apiHost: string): Promise<string> {
    try {
      await this.#transport.send({ method: 'GET', url: new URL(`https://${apiHost}/v2/`) });
      return `https://${apiHost}`;
    } catch (error) {
      if (isTimeout((error as Error).cause)) throw error;
      return `http://${apiHost}`;
    }
  }

  #fault(reference: ImageReference, answer: HttpAnswer): Error {
    const { status } = answer;
    if (status === 404) {
      return imageFault(
        reference,
        `${this.#host} has no such image.`,
        'Check its name and tag, or push it first.',
      );
    }
    if (status === 401 || status === 403) {
      return imageFault(
        reference,
        `${this.#host} denies access to it (${status}): it may not exist, or the login may have expired or may not read it.`,
        loginCommand(this.#host),
      );
    }
    return badAnswer(this.#host, `It answered ${status}${registryMessage(answer.body)}.`);
  }
}

function verify(body: Buffer, digest: string): void {
  if (!hasDigest(body, digest)) throw new Error(`its digest is not the promised ${digest}`);
}
