import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseConfig } from '../../../lib/config/index.js';
import { type AwsCall, FakeAws } from '../../support/fake-aws/index.js';
import { makeProject, type RunResult, type TestProject } from '../../support/project.js';
import { setConfig } from './probe.js';

export const ROLE = 'arn:aws:iam::123456789012:role/execution';
const REPOSITORY = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/demo';

/** An image by digest; another letter is another image. */
export const image = (letter: string): string => `${REPOSITORY}@sha256:${letter.repeat(64)}`;

/** A project and the AWS that its scripts talk to. */
export class AwsProject {
  readonly project: TestProject;
  readonly aws: FakeAws;
  readonly #tag: string;

  /** @param tag of the target whose records the test reads */
  constructor(tag: string, settings: Readonly<Record<string, string>>) {
    this.#tag = tag;
    this.project = makeProject();
    this.aws = new FakeAws(join(this.project.home, 'aws'));
    setConfig(this.project, {
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

  set(settings: Readonly<Record<string, string>>): void {
    setConfig(this.project, settings);
  }

  overlay(target: string, call: string, text: string): void {
    const path = join(this.project.dir, 'do/overlays', target, `${call}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** A record of the target; `undefined` when there never was one. */
  record(what: string): string | undefined {
    return parseConfig(readFileSync(join(this.project.dir, 'do/config'), 'utf8')).get(
      `DEPLOYMENT_TARGET_${this.#tag}_${what}`,
    );
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
