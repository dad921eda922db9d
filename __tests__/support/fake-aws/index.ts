import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), 'fake_aws.py');

/** The interpreter itself: a version manager's stand-in would cost more than the program. */
const PYTHON = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
}).trim();

export interface AwsCall {
  /** `service operation`. */
  call: string;
  arguments: readonly string[];
  /** The request of a call that was given one. */
  request: Record<string, unknown> | null;
  /** The AWS variables of the process. */
  environment: Readonly<Record<string, string>>;
}

export interface Fault {
  /** A pattern for the whole of `service operation`. */
  call: string;
  /** The error code of the service; absent: the CLI's own words. */
  error?: string;
  words?: string;
  /** How many calls fail; 1 when absent. */
  times?: number;
  /** How many calls pass before. */
  after?: number;
  /** The call does its work, and only its answer is an error. */
  afterwards?: boolean;
  /** The call does its work, and the script that waits for its answer is killed. */
  kill?: boolean;
  /** Exit code of the CLI. */
  code?: number;
}

export type Outcome = 'stuck' | { Status: string; Reason?: string; RolledBack?: boolean };

/** What exists, by kind and name, besides buckets, topics, secrets and clusters. */
export type State = Record<string, unknown>;

/** A fake `aws` on a PATH of its own: see fake_aws.py. */
export class FakeAws {
  /** For the front of the PATH. */
  readonly bin: string;
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.bin = join(dir, 'bin');
    mkdirSync(this.bin, { recursive: true });
    symlinkSync(PYTHON, join(this.bin, 'python3'));
    this.#program('aws', `exec '${PYTHON}' -S '${PROGRAM}' "$@"`);
    // Pauses between tries and looks are not waited for, but noted.
    this.#program('sleep', `printf '%s\\n' "$*" >>'${join(dir, 'pauses')}'`);
    this.setState({});
  }

  get env(): Record<string, string> {
    return { FAKE_AWS_DIR: this.#dir, PYTHONDONTWRITEBYTECODE: '1' };
  }

  setState(state: State): void {
    this.#write('state.json', state);
  }

  get state(): Record<string, Record<string, unknown>> {
    return JSON.parse(readFileSync(join(this.#dir, 'state.json'), 'utf8')) as Record<
      string,
      Record<string, unknown>
    >;
  }

  /** What the next work of that sort comes to, such as `Creating endpoint`. */
  setOutcome(work: string, outcome: Outcome): void {
    const { state } = this;
    this.setState({ ...state, outcomes: { ...state.outcomes, [work]: outcome } });
  }

  /** Lets a stuck resource go on. */
  release(kind: string, name: string, state = 'InService'): void {
    const all = this.state;
    const resource = all[kind]?.[name] as Record<string, unknown>;
    delete resource.Stuck;
    resource.Progress = [resource.Status, state];
    this.setState(all);
  }

  setFaults(...faults: Fault[]): void {
    this.#write('faults.json', faults);
  }

  /** The calls since the last question. */
  takeCalls(): AwsCall[] {
    return this.#take('calls.jsonl').map((line) => JSON.parse(line) as AwsCall);
  }

  /** The pauses since the last question, in seconds. */
  takePauses(): string[] {
    return this.#take('pauses');
  }

  /** Everything that SageMaker would bill or keep, as `kind name`; jobs that have ended are history. */
  leftovers(): string[] {
    const kinds = ['model', 'endpoint-config', 'endpoint', 'inference-component'];
    return kinds.flatMap((kind) => Object.keys(this.state[kind] ?? {}).map((name) => `${kind} ${name}`));
  }

  #take(file: string): string[] {
    const path = join(this.#dir, file);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    rmSync(path);
    return lines;
  }

  #write(file: string, value: unknown): void {
    writeFileSync(join(this.#dir, file), JSON.stringify(value));
  }

  #program(name: string, script: string): void {
    writeFileSync(join(this.bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }
}
