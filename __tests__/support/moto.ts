import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { packageRoot } from '../../lib/package/index.js';
import { describeWithPrograms } from './programs.js';

/** The program, where it is installed: `pip install 'moto[server]'`. */
export const MOTO = 'moto_server';

/** Where scripts/fetch-moto.sh puts it; it runs with the system's own Python. */
const FETCHED = join(packageRoot, '.cache/moto');
const SYSTEM_PYTHON = '/usr/bin/python3';

/** The emulator of AWS, on a free loopback port. */
export interface Moto {
  readonly url: string;
  /** Forgets everything that was made. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** A suite that needs moto, fetched or installed, and other programs. */
export function describeWithMoto(programs: readonly string[], title: string, suite: () => void): void {
  describeWithPrograms(isFetched() ? programs : [MOTO, ...programs], title, suite);
}

/** Starts it, and waits until it answers. */
export async function startMoto(): Promise<Moto> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = launch(['-H', '127.0.0.1', '-p', String(port)]);
  const output: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const reset = async () => {
    const response = await fetch(`${url}/moto-api/reset`, { method: 'POST' });
    if (!response.ok) throw new Error(`moto did not reset: ${response.status}`);
  };
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break;
    if (
      await reset().then(
        () => true,
        () => false,
      )
    )
      return { url, reset, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  throw new Error(`moto did not start:\n${output.join('')}`);
}

function isFetched(): boolean {
  return existsSync(join(FETCHED, 'usr/bin/moto_server')) && existsSync(SYSTEM_PYTHON);
}

function launch(args: readonly string[]): ChildProcess {
  if (!isFetched()) return spawn(MOTO, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  return spawn(SYSTEM_PYTHON, [join(FETCHED, 'usr/bin/moto_server'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PYTHONPATH: join(FETCHED, 'usr/lib/python3/dist-packages') },
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}
