import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CompiledCli } from '../../../support/compiled-cli.js';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The look-up of digests in processes of its own, for what only such can show. */
export class CompiledImages {
  readonly #compiled = new CompiledCli();
  readonly folder = this.#compiled.folder;
  #scripts = 0;

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
    this.#compiled.remove();
  }
}
