import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../failure/index.js';
import { askCredentialHelper } from './credential-helper.js';
import { canonicalHost } from './reference.js';

/** A login for a registry, of one of the kinds that Docker's config.json can hold. */
export type Credential =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  /** To be exchanged for a token at the token server. */
  | { readonly kind: 'identity-token'; readonly token: string }
  /** To be sent to the registry as it is. */
  | { readonly kind: 'registry-token'; readonly token: string };

interface DockerConfig {
  readonly credHelpers: Readonly<Record<string, unknown>>;
  readonly credsStore: string | undefined;
  readonly auths: Readonly<Record<string, unknown>>;
}

/**
 * The logins of Docker's config.json (in DOCKER_CONFIG or ~/.docker): a host's own credential helper or else the general store, then
 * what the file itself holds. The file is read at the first question, and each registry is looked up once.
 */
export class DockerKeychain {
  /** The file, for messages. */
  readonly file: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #timeoutMs: number;
  readonly #answers = new Map<string, Promise<Credential | undefined>>();
  #config: DockerConfig | undefined;

  constructor(env: NodeJS.ProcessEnv, helperTimeoutMs: number) {
    this.file = join(env.DOCKER_CONFIG || join(env.HOME || homedir(), '.docker'), 'config.json');
    this.#env = env;
    this.#timeoutMs = helperTimeoutMs;
  }

  /** The login for a registry's host, or undefined where there is none. Throws a Failure for a bad file or helper. */
  credentialFor(host: string): Promise<Credential | undefined> {
    const registry = canonicalHost(host);
    let answer = this.#answers.get(registry);
    if (!answer) {
      answer = this.#lookUp(registry);
      this.#answers.set(registry, answer);
    }
    return answer;
  }

  async #lookUp(registry: string): Promise<Credential | undefined> {
    this.#config ??= readDockerConfig(this.file);
    const { credHelpers, credsStore, auths } = this.#config;
    const keys = configKeys(registry);
    const own = keys.map((key) => credHelpers[key]).find((name) => typeof name === 'string');
    const helper = typeof own === 'string' ? own : credsStore;
    // The first key is the address under which Docker itself stores the login.
    const [server = registry] = keys;
    if (helper) {
      const answer = await askCredentialHelper(helper, server, {
        env: this.#env,
        timeoutMs: this.#timeoutMs,
      });
      if (answer) return fromUserAndSecret(answer.username, answer.secret);
    }
    for (const [key, entry] of Object.entries(auths)) {
      const found = keys.some((wanted) => bareHost(key) === bareHost(wanted));
      const credential = found ? this.#fromEntry(key, entry) : undefined;
      if (credential) return credential;
    }
    return undefined;
  }

  /** An empty entry is what Docker leaves behind when a store keeps the login itself: it is no login. */
  #fromEntry(key: string, entry: unknown): Credential | undefined {
    const fields = (entry ?? {}) as Record<string, unknown>;
    const text = (name: string) => {
      const value = fields[name];
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    const identity = text('identitytoken');
    if (identity) return { kind: 'identity-token', token: identity };
    const registryToken = text('registrytoken');
    if (registryToken) return { kind: 'registry-token', token: registryToken };
    const auth = text('auth');
    if (auth) {
      const decoded = Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '');
      const colon = decoded.indexOf(':');
      if (colon < 1) throw damaged(this.file, `the 'auth' of '${key}' is not the base64 of USER:PASSWORD`);
      return fromUserAndSecret(decoded.slice(0, colon), decoded.slice(colon + 1));
    }
    const username = text('username');
    const password = text('password');
    return username && password ? fromUserAndSecret(username, password) : undefined;
  }
}

function readDockerConfig(file: string): DockerConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) text = '{}';
    else throw damaged(file, (error as Error).message);
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    // JSON.parse quotes the text that it stumbled over, which may be a password.
    throw damaged(file, 'it is not JSON');
  }
  if (!isRecord(config)) throw damaged(file, 'it is no JSON object');
  const { credHelpers = {}, credsStore, auths = {} } = config;
  if (!isRecord(credHelpers)) throw damaged(file, "'credHelpers' is no map");
  if (!isRecord(auths)) throw damaged(file, "'auths' is no map");
  if (credsStore !== undefined && typeof credsStore !== 'string')
    throw damaged(file, "'credsStore' is no text");
  return { credHelpers, credsStore, auths };
}

/** The names under which a registry may stand in config.json, first the one that Docker writes. */
function configKeys(registry: string): string[] {
  if (registry !== 'docker.io') return [registry];
  return ['https://index.docker.io/v1/', 'docker.io', 'index.docker.io', 'registry-1.docker.io'];
}

function bareHost(key: string): string {
  return key
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/(v[12]\/?)?$/, '');
}

/** Helpers and files mark an identity token with this user name. */
function fromUserAndSecret(username: string, secret: string): Credential {
  return username === '<token>'
    ? { kind: 'identity-token', token: secret }
    : { kind: 'password', username, password: secret };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(file: string, why: string): Failure {
  return new Failure({
    what: `Docker’s login file ${file} cannot be used`,
    why,
    next: 'Repair it, or point DOCKER_CONFIG to a folder with another config.json.',
    exit: 2,
  });
}
