import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isolatedEnv, type TestProject } from '../../support/project.js';

/** A script of a project that is running, while the servers of the test go on. */
export interface Running {
  pid: number;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Waits until stdout and stderr together hold the text; throws when the script ends before. */
  says(text: string): Promise<void>;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

export function startScript(
  project: TestProject,
  script: string,
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): Running {
  const child = spawn(join(project.dir, script), args, {
    cwd: project.dir,
    env: isolatedEnv(project.home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let isOver = false;
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => {
      isOver = true;
      resolve({ code, stdout, stderr });
    });
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    says: async (text) => {
      while (!(stdout + stderr).includes(text)) {
        if (isOver) throw new Error(`the script ended without "${text}":\n${stdout}\n${stderr}`);
        await new Promise((later) => setTimeout(later, 10));
      }
    },
    ended,
  };
}

/** Whether a process is there (a zombie that its parent has not asked for yet counts as ended). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
