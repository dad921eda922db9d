import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { packageRoot } from '../../../lib/package/index.js';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export const LANGUAGES = ['bash', 'Python', 'TypeScript'] as const;
export type Language = (typeof LANGUAGES)[number];

const BASH_SET = `set -euo pipefail; CONFIG_FILE=$1; . "\${0%/*}/lib/config-store.sh"
[[ -z $4 ]] || _CONFIG_PATIENCE=$4
_update_config "$2" "$3"`;

const PYTHON = `import sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/lib/python")
import config_lock, config_store
path, key, value, patience, hold = sys.argv[2:7]
if patience:
    config_lock.PATIENCE = float(patience)
if hold:
    with config_lock.ConfigLock(path):
        print("held", flush=True)
        time.sleep(60)
try:
    config_store.update(path, {key: value})
except config_store.ConfigError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
`;

const NODE = `import { setTimeout } from 'node:timers/promises';
import { setConfigValue, withConfigLock } from './lib/config/index.js';
import { takeConfigLock } from './lib/config/lock.js';
const [path, key, value, patience, hold] = process.argv.slice(2);
try {
  if (hold) await withConfigLock(path, async () => { console.log('held'); await setTimeout(60_000); });
  if (patience) (await takeConfigLock(path, Number(patience) * 1000)).release();
  await setConfigValue(path, key, value);
} catch (error) {
  console.error(error.lines().join('\\n'));
  process.exitCode = error.exit;
}
`;

/** The three stores in a folder of their own that any user may read, as programs that write one value each. */
export class Writers {
  readonly folder = mkdtempSync(join(tmpdir(), 'mlcc writers '));
  readonly #running = new Set<ChildProcess>();

  constructor() {
    chmodSync(this.folder, 0o755);
    cpSync(join(packageRoot, 'templates/do/lib'), join(this.folder, 'lib'), { recursive: true });
    for (const part of ['failure', 'shell', 'config']) this.#compile(join('lib', part));
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(this.folder, 'write.mjs'), NODE);
  }

  /** The command line that stores one value; `patience` (seconds) stands for the 30 of the lock. */
  command(language: Language, file: string, key: string, value: string, patience = '', hold = ''): string[] {
    const operands = [file, key, value, patience, hold];
    if (language === 'bash') return ['bash', '-c', BASH_SET, join(this.folder, 'sh'), ...operands];
    if (language === 'Python') return ['python3', '-c', PYTHON, this.folder, ...operands];
    return [process.execPath, join(this.folder, 'write.mjs'), ...operands];
  }

  /** Runs a command to its end. */
  run(command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = this.start(command, env);
      const ended: Ended = { code: null, stdout: '', stderr: '' };
      child.stdout?.on('data', (text: Buffer) => {
        ended.stdout += text;
      });
      child.stderr?.on('data', (text: Buffer) => {
        ended.stderr += text;
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ ...ended, code }));
    });
  }

  /** Starts a command; whatever still runs at the end is killed. */
  start([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.on('close', () => this.#running.delete(child));
    return child;
  }

  /** A folder with programs that stand before the system's on the PATH. */
  programs(name: string, scripts: Record<string, string>): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    for (const [program, text] of Object.entries(scripts)) {
      writeFileSync(join(folder, program), text, { mode: 0o755 });
    }
    return `${folder}:${process.env.PATH}`;
  }

  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #compile(part: string): void {
    const target = join(this.folder, part);
    cpSync(join(packageRoot, part), target, {
      recursive: true,
      filter: (source, copy) => {
        if (!source.endsWith('.ts')) return true;
        const { code } = transformSync(readFileSync(source, 'utf8'), {
          jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
          module: { type: 'es6' },
        });
        writeFileSync(copy.replace(/\.ts$/, '.js'), code);
        return false;
      },
    });
  }
}
