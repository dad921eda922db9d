import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import type { Aws } from '../../support/aws/index.js';

/** How a run of the AWS CLI ended, and what it said. */
export interface CliRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  environment?: Record<string, string>;
  folder?: string;
  /** What happens while it runs. */
  during?: (pid: number) => void | Promise<void>;
}

/** Runs a command in which `aws` is the one of that folder, or the installed one, against the emulated cloud. */
export function runWithCli(
  aws: Aws,
  [program = '', ...args]: string[],
  options: CliOptions = {},
  binFolder?: string,
): Promise<CliRun> {
  const PATH = [binFolder, process.env.PATH].filter(Boolean).join(delimiter);
  const basics = { HOME: '/nonexistent', PATH, AWS_MAX_ATTEMPTS: '1', LANG: 'C.UTF-8' };
  const env = { ...basics, ...aws.environment, ...options.environment };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd: options.folder, stdio: 'pipe' });
    const run = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      run.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      run.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...run }));
    child.stdin.end();
    if (child.pid !== undefined) void options.during?.(child.pid);
  });
}
