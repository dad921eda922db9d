import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAwsProgram } from './aws-program.js';

/** The installed AWS CLI, loaded once and forked for each call. */
export interface CliServer {
  /** The folder with the `aws` that uses it: to stand first on the PATH. */
  binFolder: string;
  stop(): Promise<void>;
}

/** The services whose models are loaded before the first call. */
const SERVICES = ['sagemaker', 'sagemaker-runtime', 'sts', 's3', 'sns', 'eks', 'secretsmanager', 'logs'];

/** Starts it, and waits until it takes calls. */
export async function startCliServer(): Promise<CliServer> {
  const program = findAwsProgram();
  if (!program) throw new Error('there is no AWS CLI that runs with Python on the PATH');
  const folder = mkdtempSync(join(tmpdir(), 'mlcc-aws-'));
  const socket = join(folder, 'socket');
  const client = readFileSync(join(import.meta.dirname, 'cli-client.py'), 'utf8');
  const shim = join(folder, 'aws');
  writeFileSync(shim, `#!${program.python} -ISE\n${client.replace('@SOCKET@', socket)}`);
  chmodSync(shim, 0o755);
  const script = join(import.meta.dirname, 'cli-server.py');
  const env = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', PYTHONPATH: program.pythonPath.join(':') };
  const child = spawn(program.python, [script, socket, ...SERVICES], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ready(child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { binFolder: folder, stop };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`the server of the AWS CLI ended with ${code}:\n${errors}`)),
    );
    child.stdout?.once('data', () => resolve());
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
