import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../.cache/moto');
const SERVER = join(FOLDER, 'usr/bin/moto_server');

/** Whether the emulator is where scripts/fetch-moto.sh puts it. */
export const hasMoto = existsSync(SERVER);

/** Starts moto on a free port, and waits until it answers. */
export async function startMoto(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const env = { ...process.env, PYTHONPATH: join(FOLDER, 'usr/lib/python3/dist-packages') };
  const child = spawn('/usr/bin/python3', [SERVER, '-H', '127.0.0.1', '-p', String(port)], {
    env,
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`moto ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, stop: () => end(child) };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/moto-api/`)).status < 500;
  } catch {
    return false;
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
