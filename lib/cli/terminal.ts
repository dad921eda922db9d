import type { Readable } from 'node:stream';
import { Failure } from '../failure/index.js';

/** The world as a command sees it. Tests give another one. */
export interface Terminal {
  /** Arguments, without the program. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Whether a person can be asked: standard input and standard error are both terminals. */
  interactive: boolean;
  /** Whether standard output may be coloured. */
  colour: boolean;
  /** Absent: one of those that are supported. */
  platform?: NodeJS.Platform;
  /** Absent: nothing can be read. */
  stdin?: Readable;
  out(text: string | Uint8Array): void;
  err(text: string | Uint8Array): void;
}

export function processTerminal(): Terminal {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    interactive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    colour: Boolean(process.stdout.isTTY) && !process.env.NO_COLOR,
    platform: process.platform,
    stdin: process.stdin,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}

/** Projects are bash scripts with executable bits, so on Windows everything happens in its Linux. */
export function refuseWindows(platform: NodeJS.Platform | undefined): void {
  if (platform !== 'win32') return;
  throw new Failure({
    what: 'Windows itself is not supported',
    why: 'a project is made of bash scripts with executable bits',
    next: 'use the Windows Subsystem for Linux (wsl --install), and run the same command there',
  });
}

/** Ends a command that has said everything already with an exit code other than 0. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}
