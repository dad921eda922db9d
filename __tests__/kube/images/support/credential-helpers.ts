import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A home of a test's own: Docker's config.json, and credential helpers on the PATH that count how often they are asked. */
export class LoginFolder {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mlcc-login-'));
  readonly #log = join(this.#folder, 'asked');
  readonly #children = join(this.#folder, 'children');
  readonly dockerConfig = join(this.#folder, 'docker');
  readonly file = join(this.dockerConfig, 'config.json');
  /** The environment in which only this folder's logins and helpers exist. */
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    mkdirSync(join(this.#folder, 'bin'));
    mkdirSync(this.dockerConfig);
    writeFileSync(this.#log, '');
    writeFileSync(this.#children, '');
    this.env = { PATH: `${join(this.#folder, 'bin')}:/usr/bin:/bin`, DOCKER_CONFIG: this.dockerConfig };
  }

  /** Writes config.json: an object, or a text as it is. */
  configure(config: object | string): void {
    writeFileSync(this.file, typeof config === 'string' ? config : JSON.stringify(config));
  }

  /** Adds a helper; the script runs after its question was noted, with the server's address in `$server`. */
  addHelper(name: string, script: string): void {
    const program = join(this.#folder, 'bin', `docker-credential-${name}`);
    const note = `#!/bin/sh\nserver=$(cat)\nchildren='${this.#children}'\necho "${name} $1 $server" >>'${this.#log}'\n`;
    writeFileSync(program, `${note}${script}\n`);
    chmodSync(program, 0o755);
  }

  /** The questions that helpers were asked, in order: `NAME get SERVER`. */
  asked(): string[] {
    return readFileSync(this.#log, 'utf8').split('\n').filter(Boolean);
  }

  /** Removes all files, and ends what helpers left running. */
  remove(): void {
    for (const pid of readFileSync(this.#children, 'utf8').split('\n').filter(Boolean)) {
      process.kill(Number(pid), 'SIGKILL');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A helper's script that answers with a login. */
export function answers(username: string, secret: string): string {
  return `printf '%s' '${JSON.stringify({ ServerURL: 'x', Username: username, Secret: secret })}'`;
}

/** A helper's script that never ends, with a child that holds its output open beyond its own end. */
export const HANGS = 'sleep 60 & echo $! >>"$children"; wait';

/** A helper's script that has nothing for the server. */
export const HAS_NOTHING = "echo 'credentials not found in native keychain'; exit 1";

/** The `auth` of an entry in config.json. */
export function authEntry(username: string, password: string): { auth: string } {
  return { auth: Buffer.from(`${username}:${password}`).toString('base64') };
}
