import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from '@swc/core';
import { packageRoot } from '../../../../lib/package/index.js';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The library as plain JavaScript in a folder of its own, for what only a process of its own can show. */
export class CompiledImages {
  readonly folder = mkdtempSync(join(tmpdir(), 'mlcc-compiled-'));
  #scripts = 0;

  constructor() {
    copyFileSync(join(packageRoot, 'package.json'), join(this.folder, 'package.json'));
    symlinkSync(join(packageRoot, 'node_modules'), join(this.folder, 'node_modules'));
    for (const part of ['failure', 'package', 'kube/images']) {
      mkdirSync(join(this.folder, 'lib', part), { recursive: true });
      cpSync(join(packageRoot, 'lib', part), join(this.folder, 'lib', part), {
        recursive: true,
        filter: (source, target) => !source.endsWith('.ts') || this.#compile(source, target),
      });
    }
  }

  /** Runs a module's text in Node, started through `command` where there is one; `pinImages` is imported for it. */
  async run(
    text: string,
    { command = [] as string[], env = {} as NodeJS.ProcessEnv } = {},
  ): Promise<Outcome> {
    this.#scripts += 1;
    const script = join(this.folder, `script-${this.#scripts}.mjs`);
    writeFileSync(script, `import { pinImages } from './lib/kube/images/index.js';\n${text}`);
    const [program = '', ...args] = [...command, process.execPath, script];
    const options = { env, cwd: this.folder, timeout: 10_000 };
    try {
      return { code: 0, ...(await promisify(execFile)(program, args, options)) };
    } catch (error) {
      const { code, stdout, stderr } = error as Outcome;
      return { code, stdout, stderr };
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes the JavaScript; what it returns keeps the TypeScript from being copied as well. */
  #compile(source: string, target: string): boolean {
    const { code } = transformSync(readFileSync(source, 'utf8'), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'es6' },
    });
    writeFileSync(target.replace(/\.ts$/, '.js'), code);
    return false;
  }
}
