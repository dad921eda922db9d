import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { packageRoot } from '../../lib/package/index.js';
import type { CommandResult } from './mlcc.js';

/** The command line as plain JavaScript, made from the sources: for what only a process of its own can show. */
export class CompiledCli {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-cli-')));
  /** The program: `node` runs it. */
  readonly program = join(this.folder, 'bin', 'mlcc.js');

  constructor() {
    copyFileSync(join(packageRoot, 'package.json'), join(this.folder, 'package.json'));
    for (const part of ['node_modules', 'targets.d', 'serve.d', 'templates']) {
      symlinkSync(join(packageRoot, part), join(this.folder, part));
    }
    for (const part of ['bin', 'lib']) {
      mkdirSync(join(this.folder, part));
      cpSync(join(packageRoot, part), join(this.folder, part), {
        recursive: true,
        filter: (source, target) => !source.endsWith('.ts') || compile(source, target),
      });
    }
  }

  /** Runs it in Node, started through `wrapper` where there is one; one that does not end by itself in 30 s gets code -1. */
  run(
    args: readonly string[],
    { cwd, env = {}, wrapper = [] }: { cwd: string; env?: Record<string, string>; wrapper?: string[] },
  ): Promise<CommandResult> {
    const [command = '', ...words] = [...wrapper, process.execPath, this.program, ...args];
    return new Promise((resolve) => {
      execFile(
        command,
        words,
        { cwd, env, timeout: 30_000, killSignal: 'SIGKILL' },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
          resolve({ code, stdout, stderr });
        },
      );
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Writes the JavaScript; what it returns keeps the TypeScript from being copied as well. */
function compile(source: string, target: string): boolean {
  const { code } = transformSync(readFileSync(source, 'utf8'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  writeFileSync(target.replace(/\.ts$/, '.js'), code);
  return false;
}
