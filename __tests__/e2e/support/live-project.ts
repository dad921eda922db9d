import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Target } from '../../../lib/catalog/index.js';
import { parseConfig } from '../../../lib/config/index.js';
import { packageRoot } from '../../../lib/package/index.js';
import { setConfig } from '../../do/support/probe.js';
import { isolatedEnv, makeProject, type TestProject } from '../../support/project.js';
import { leftInGroup } from './processes.js';

export interface Run {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Processes that the script left behind. */
  left: number[];
}

/** A freshly scaffolded project whose scripts run while the emulators of this process answer them. */
export class LiveProject {
  readonly project: TestProject;
  /** The process group of the script that runs now. */
  group = 0;

  constructor(
    readonly environment: Readonly<Record<string, string>>,
    settings: Readonly<Record<string, string>>,
    projectName = 'demo',
  ) {
    this.project = makeProject({ answers: { projectName } });
    setConfig(this.project, settings);
  }

  /** Runs `do/VERB` without a terminal, in a process group of its own. */
  run(
    verb: string,
    args: readonly string[] = [],
    env: Record<string, string | undefined> = {},
  ): Promise<Run> {
    const child = spawn(join(this.project.dir, 'do', verb), args, {
      cwd: this.project.dir,
      env: isolatedEnv(this.project.home, { ...this.environment, ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const group = child.pid ?? 0;
    this.group = group;
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text;
      });
    }
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        void leftInGroup(group).then((left) => resolve({ code, signal, ...said, left }));
      });
    });
  }

  /** Runs `do/VERB` on a pseudo-terminal where nobody types anything; gives all that it shows. */
  runOnTerminal(verb: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const { dir, home } = this.project;
    const request = {
      command: [join(dir, 'do', verb), ...args],
      dialogue: [],
      cwd: dir,
      env: isolatedEnv(home, { TERM: 'xterm', ...this.environment, ...env }),
    };
    const terminal = join(packageRoot, '__tests__/support/terminal.py');
    const child = spawn('python3', [terminal, JSON.stringify(request)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve((JSON.parse(said) as { output: string }).output));
    });
  }

  /** A run that must succeed; gives what it said. */
  async must(
    verb: string,
    args: readonly string[] = [],
    env: Record<string, string | undefined> = {},
  ): Promise<string> {
    const { code, signal, stdout, stderr, left } = await this.run(verb, args, env);
    if (left.length > 0) throw new Error(`do/${verb} left processes behind: ${left.join(' ')}`);
    if (code !== 0)
      throw new Error(`do/${verb} ${args.join(' ')} ended with ${code ?? signal}:\n${stdout}${stderr}`);
    return stdout + stderr;
  }

  /** The text of do/config. */
  get config(): string {
    return readFileSync(join(this.project.dir, 'do/config'), 'utf8');
  }

  set config(text: string) {
    writeFileSync(join(this.project.dir, 'do/config'), text);
  }

  set(settings: Readonly<Record<string, string>>): void {
    setConfig(this.project, settings);
  }

  setting(name: string): string | undefined {
    return parseConfig(this.config).get(name);
  }

  /** A record of a target; empty or undefined when nothing is recorded. */
  record({ status_var }: Target['manifest'], what: string): string | undefined {
    return this.setting(status_var.replace(/STATUS$/, what));
  }

  overlay(target: string, call: string, contents: object): void {
    const path = join(this.project.dir, 'do/overlays', target, `${call}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(contents));
  }

  /** Sends a signal to the script that runs and to all that it has started, as a terminal does. */
  signal(signal: NodeJS.Signals): void {
    process.kill(-this.group, signal);
  }

  remove(): void {
    this.project.remove();
  }
}
