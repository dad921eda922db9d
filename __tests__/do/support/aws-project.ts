import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadCatalog, type Target } from '../../../lib/catalog/index.js';
import { parseConfig } from '../../../lib/config/index.js';
import { type AwsCall, FakeAws } from '../../support/fake-aws/index.js';
import { makeProject, type RunResult, type TestProject } from '../../support/project.js';
import { setConfig } from './probe.js';

export const ROLE = 'arn:aws:iam::123456789012:role/execution';
const REPOSITORY = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/demo';

/** An image by digest; another letter is another image. */
export const image = (letter: string): string => `${REPOSITORY}@sha256:${letter.repeat(64)}`;

/** The first built-in target with these facts: tests know what a target is, not what it is called. */
export function targetWith(facts: Partial<Target['manifest']>): Target['manifest'] {
  const found = loadCatalog().targets.find(({ manifest }) =>
    Object.entries(facts).every(([field, value]) => manifest[field as keyof typeof manifest] === value),
  );
  if (!found) throw new Error(`no target with ${JSON.stringify(facts)}`);
  return found.manifest;
}

/** A project and the AWS that its scripts talk to. */
export class AwsProject {
  readonly project: TestProject;
  readonly aws: FakeAws;
  /** The name of the target. */
  readonly target: string;
  readonly #records: string;

  constructor(facts: Partial<Target['manifest']>, settings: Readonly<Record<string, string>>) {
    const { target, status_var } = targetWith(facts);
    this.target = target;
    this.#records = status_var.replace(/STATUS$/, '');
    this.project = makeProject();
    this.aws = new FakeAws(join(this.project.home, 'aws'));
    setConfig(this.project, {
      DEPLOYMENT_TARGET: target,
      AWS_REGION: 'eu-west-1',
      ROLE_ARN: ROLE,
      ECR_IMAGE_URI: image('a'),
      ...settings,
    });
  }

  run(verb: string, args: readonly string[] = [], env: Record<string, string> = {}): RunResult {
    return this.project.run(`do/${verb}`, args, {
      env: { PATH: `${this.aws.bin}:${process.env.PATH}`, ...this.aws.env, ...env },
    });
  }

  /** A deploy that must succeed. */
  deploy(...args: string[]): void {
    this.#succeed('deploy', args);
  }

  /** A clean that must succeed. */
  clean(...args: string[]): void {
    this.#succeed('clean', ['--yes', ...args]);
  }

  #succeed(verb: string, args: readonly string[]): void {
    const { code, stderr } = this.run(verb, args);
    if (code !== 0) throw new Error(`do/${verb} ended with ${code}:\n${stderr}`);
  }

  /** The text of do/config. */
  get config(): string {
    return readFileSync(join(this.project.dir, 'do/config'), 'utf8');
  }

  set config(text: string) {
    writeFileSync(join(this.project.dir, 'do/config'), text);
  }

  /** Stops the clock that scripts take dates from. */
  setClock(digits: string): void {
    writeFileSync(join(this.aws.bin, 'date'), `#!/bin/bash\necho ${digits}\n`, { mode: 0o755 });
  }

  set(settings: Readonly<Record<string, string>>): void {
    setConfig(this.project, settings);
  }

  overlay(call: string, text: string): void {
    const path = join(this.project.dir, 'do/overlays', this.target, `${call}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** A record of the target; `undefined` when there never was one. */
  record(what: string): string | undefined {
    return parseConfig(this.config).get(this.#records + what);
  }

  /** The calls since the last question that change something, in order. */
  takeChanges(): AwsCall[] {
    return this.aws.takeCalls().filter(({ call }) => /^sagemaker (create|update|delete|stop)-/.test(call));
  }

  remove(): void {
    this.project.remove();
  }
}

/** The calls' names without the service. */
export const names = (calls: readonly AwsCall[]): string[] =>
  calls.map(({ call }) => call.split(' ')[1] ?? '');
