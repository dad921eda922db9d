import { type Challenge, parseChallenges } from './challenge.js';
import { badAnswer, loginMissing, loginRefused, tooManyRequests } from './faults.js';
import type { Credential, DockerKeychain } from './keychain.js';
import type { ImageReference } from './reference.js';
import { type HttpAnswer, headerText, type RegistrySettings, type Transport } from './transport.js';

/** Answers one registry's challenges, with one Authorization header per repository for the whole run. */
export class Authorizer {
  readonly #headers = new Map<string, Promise<string>>();

  constructor(
    private readonly transport: Transport,
    private readonly keychain: DockerKeychain,
    private readonly settings: RegistrySettings,
  ) {}

  /** The header that an earlier challenge led to, if there was one. */
  known(reference: ImageReference): Promise<string> | undefined {
    return this.#headers.get(reference.name);
  }

  /** The header that answers a 401; the same for all who ask for this repository. */
  answer(reference: ImageReference, challenged: HttpAnswer): Promise<string> {
    let header = this.#headers.get(reference.name);
    if (!header) {
      header = this.#answer(reference, parseChallenges(challenged.headers['www-authenticate']));
      this.#headers.set(reference.name, header);
    }
    return header;
  }

  async #answer(reference: ImageReference, challenges: readonly Challenge[]): Promise<string> {
    const { host } = reference;
    const credential = await this.keychain.credentialFor(host);
    if (credential?.kind === 'registry-token') return `Bearer ${credential.token}`;
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (bearer) return `Bearer ${await this.#token(reference, bearer, credential)}`;
    if (!challenges.some(({ scheme }) => scheme === 'basic')) {
      throw badAnswer(host, 'It asks for a login, but neither for Basic nor for Bearer.');
    }
    if (credential?.kind !== 'password') throw loginMissing(host, this.keychain.file);
    return basic(credential);
  }

  async #token(
    reference: ImageReference,
    bearer: Challenge,
    credential: Credential | undefined,
  ): Promise<string> {
    const { host } = reference;
    const { realm = '', service, scope = `repository:${reference.repository}:pull` } = bearer.parameters;
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    if (!url || !/^https?:$/.test(url.protocol))
      throw badAnswer(host, `Its token server '${realm}' is no address.`);
    if (url.protocol === 'http:' && !this.settings.insecure) {
      throw badAnswer(
        host,
        `Its token server ${url.host} speaks plain HTTP, and a login would be sent in the clear.`,
      );
    }
    const answer = await this.#askTokenServer(url, { ...(service && { service }), scope }, credential);
    if (answer.status === 400 || answer.status === 401 || answer.status === 403) {
      throw loginRefused(host, url.host, credential !== undefined);
    }
    if (answer.status === 429) throw tooManyRequests(url.host, headerText(answer, 'retry-after'));
    const token = answer.status === 200 ? tokenIn(answer.body) : undefined;
    if (!token)
      throw badAnswer(url.host, `As the token server of ${host} it answered ${answer.status} and no token.`);
    return token;
  }

  #askTokenServer(
    url: URL,
    fields: Readonly<Record<string, string>>,
    credential: Credential | undefined,
  ): Promise<HttpAnswer> {
    if (credential?.kind === 'identity-token') {
      const form = {
        ...fields,
        grant_type: 'refresh_token',
        client_id: 'mlcc',
        refresh_token: credential.token,
      };
      return this.transport.send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
    }
    for (const [key, value] of Object.entries(fields)) url.searchParams.set(key, value);
    const headers = credential?.kind === 'password' ? { authorization: basic(credential) } : {};
    return this.transport.send({ method: 'GET', url, headers });
  }
}

function basic({ username, password }: Credential & { kind: 'password' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function tokenIn(body: Buffer): string | undefined {
  try {
    const { token, access_token: accessToken } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    return [token, accessToken].find((text): text is string => typeof text === 'string' && text !== '');
  } catch {
    return undefined;
  }
}
