import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Catalog } from '../../../lib/catalog/index.js';
import { parseConfig } from '../../../lib/config/index.js';
import { isolatedEnv, makeProject, type RunResult, type TestProject } from '../../support/project.js';
import { onTerminal, type TerminalResult } from '../../support/terminal.js';

/** What the functions of a scripted target do: shell text for each of them. */
export interface Behaviour {
  preflight?: string;
  deploy?: string;
  update?: string;
  clean?: string;
  /** More environment. */
  env?: Record<string, string>;
}

/** A project whose dispatchers are tried with targets that are scripted by the test (see scripted-target.ts). */
export class DeployProject {
  readonly project: TestProject;
  readonly #calls: string;

  constructor(catalog: Catalog, answers: Record<string, string> = {}) {
    this.project = makeProject({ catalog, answers });
    this.#calls = join(this.project.home, 'calls');
    this.writeProgram('aws', 'printf "123456789012\\tarn:aws:iam::123456789012:user/me\\n"');
  }

  run(verb: string, args: readonly string[], behaviour: Behaviour = {}): RunResult {
    return this.project.run(`do/${verb}`, args, { env: this.#env(behaviour) });
  }

  onTerminal(
    verb: string,
    args: readonly string[],
    dialogue: readonly (readonly [string, string])[],
    behaviour: Behaviour = {},
  ): TerminalResult {
    return onTerminal([join(this.project.dir, 'do', verb), ...args], dialogue, {
      cwd: this.project.dir,
      env: isolatedEnv(this.project.home, this.#env(behaviour)),
    });
  }

  /** Starts a verb, sends it a signal as soon as its scripts have made a call, and waits for its end. */
  async runAndSignal(
    verb: string,
    args: readonly string[],
    signal: NodeJS.Signals,
    behaviour: Behaviour,
  ): Promise<{ code: number | null; stderr: string }> {
    const child = spawn(join(this.project.dir, 'do', verb), args, {
      cwd: this.project.dir,
      env: isolatedEnv(this.project.home, { ...this.#env(behaviour), READY: this.#ready }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await this.#waitUntilReady(child);
    child.kill(signal);
    return { code: await ended, stderr };
  }

  /** The calls of target functions since the last question: `function target image SIZE COLOUR` each. */
  calls(): string[] {
    if (!existsSync(this.#calls)) return [];
    const lines = readFileSync(this.#calls, 'utf8').trimEnd().split('\n');
    rmSync(this.#calls);
    return lines;
  }

  config(key: string): string | undefined {
    return parseConfig(readFileSync(this.configFile, 'utf8')).get(key);
  }

  /** Puts a shell program on the PATH of what `run` and the others start; it hides a real one of the same name. */
  writeProgram(name: string, script: string): void {
    mkdirSync(this.#programs, { recursive: true });
    writeFileSync(join(this.#programs, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }

  /** Takes the lines that match out of do/config. */
  dropLines(pattern: RegExp): void {
    const lines = readFileSync(this.configFile, 'utf8').split('\n');
    writeFileSync(this.configFile, lines.filter((line) => !pattern.test(line)).join('\n'));
  }

  get configFile(): string {
    return join(this.project.dir, 'do/config');
  }

  /** Every file of the project with its contents and mode. */
  snapshot(): Record<string, string> {
    return snapshot(this.project.dir);
  }

  remove(): void {
    this.project.remove();
  }

  get #programs(): string {
    return join(this.project.home, 'bin');
  }

  get #ready(): string {
    return join(this.project.home, 'ready');
  }

  #env({ env, ...scripts }: Behaviour): Record<string, string> {
    const hooks = Object.entries(scripts).map(([name, script]) => [`ON_${name.toUpperCase()}`, script]);
    const path = `${this.#programs}:${process.env.PATH}`;
    return { PATH: path, AWS_REGION: 'eu-west-1', CALLS: this.#calls, ...env, ...Object.fromEntries(hooks) };
  }

  async #waitUntilReady(child: ChildProcess): Promise<void> {
    while (!existsSync(this.#ready)) {
      if (child.exitCode !== null) throw new Error('the script ended before it was ready');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    rmSync(this.#ready);
  }
}

/** Shell text that says it has begun and then works for a long time, in short steps. */
export const WORKING =
  'touch "$READY"; step=0; while ((step < 400)); do sleep 0.05; step=$((step + 1)); done';

/** Every file below a folder with its contents and mode. */
export function snapshot(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [
        relative(dir, file),
        `${statSync(file).mode.toString(8)} ${readFileSync(file, 'latin1')}`,
      ]),
  );
}
