import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program, from Debian's package of the same name. */
export const REGISTRY_PROGRAM = 'docker-registry';

/** The login that a registry with `basicAuth` accepts. */
export const REGISTRY_LOGIN = { username: 'tester', password: 'secret' };
const HTPASSWD = 'tester:$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW\n';

export interface RegistryOptions {
  /** Where images are kept: two registries can share a folder. Default: a new one, removed at the end. */
  storage?: string;
  /** Ask for REGISTRY_LOGIN by Basic. */
  basicAuth?: boolean;
  /** Ask for a Bearer token of this server, signed by a key of the bundle. */
  tokenAuth?: { realm: string; service: string; issuer: string; rootCertificates: string };
  /** Serve HTTPS. */
  tls?: { certificateFile: string; keyFile: string };
}

export interface Registry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly port: number;
  readonly storage: string;
  stop(): Promise<void>;
}

/** Starts a real registry on a free loopback port, and waits until it listens. */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'mlcc-registry-'));
  const storage = options.storage ?? join(folder, 'storage');
  mkdirSync(storage, { recursive: true });
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(configuration(options, folder, storage)));
  const child = spawn(REGISTRY_PROGRAM, ['serve', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const port = await listeningPort(child);
    const stop = async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    };
    return { host: `127.0.0.1:${port}`, port, storage, stop };
  } catch (error) {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** JSON is YAML, so the configuration needs no quoting of its own. */
function configuration(options: RegistryOptions, folder: string, storage: string): object {
  return {
    version: 0.1,
    log: { level: 'info', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: storage } },
    http: {
      addr: '127.0.0.1:0',
      ...(options.tls && { tls: { certificate: options.tls.certificateFile, key: options.tls.keyFile } }),
    },
    ...((options.basicAuth || options.tokenAuth) && { auth: authentication(options, folder) }),
  };
}

function authentication({ tokenAuth }: RegistryOptions, folder: string): object {
  if (tokenAuth) {
    const bundle = join(folder, 'token-roots.pem');
    writeFileSync(bundle, tokenAuth.rootCertificates);
    const { realm, service, issuer } = tokenAuth;
    return { token: { realm, service, issuer, rootcertbundle: bundle } };
  }
  const path = join(folder, 'htpasswd');
  writeFileSync(path, HTPASSWD);
  return { htpasswd: { realm: 'test', path } };
}

/** The registry chooses the port itself and says in its log which. */
function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${REGISTRY_PROGRAM} ended with ${code}:\n${log}`)));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-20_000);
      const port = /listening on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
      if (port) resolve(Number(port));
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
