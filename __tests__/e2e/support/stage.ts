import type { Resource } from '../../support/aws/index.js';
import { CallTrace, type Stack } from './call-trace.js';
import type { EmulatedAws } from './emulated-aws.js';
import type { LiveProject, Run } from './live-project.js';
import { furnish, projectFor, type Subject } from './sagemaker.js';

const KINDS = ['model', 'endpoint-config', 'endpoint', 'inference-component', 'transform-job'] as const;

/** A project and its cloud, which can be put back to an earlier state as often as a test wants. */
export class Stage {
  readonly project: LiveProject;
  readonly #trace: CallTrace;
  #back: () => void = () => undefined;
  #config = '';
  /** Every path on which a script came to call the AWS CLI, since the stage is set. */
  readonly stacks: Stack[] = [];
  /** Every operation that was called, as `service:Operation`. */
  readonly operations = new Set<string>();

  private constructor(
    readonly cloud: EmulatedAws,
    readonly subject: Subject,
    /** What was there before the project did anything. */
    readonly before: readonly string[],
    projectName?: string,
  ) {
    this.project = projectFor(cloud, subject, projectName);
    this.#trace = new CallTrace(this.project.project.home, this.project.project.dir);
  }

  /** An empty cloud with what people have there, and a project that has not been deployed. */
  static async set(cloud: EmulatedAws, subject: Subject, projectName?: string): Promise<Stage> {
    await furnish(cloud, subject);
    return new Stage(cloud, subject, lasting(await cloud.aws.snapshot()), projectName);
  }

  /** This is the state to come back to. */
  keep(): void {
    this.#back = this.cloud.aws.checkpoint();
    this.#config = this.project.config;
  }

  /** Everything is as it was kept, and nothing goes wrong any more. */
  async goBack(): Promise<void> {
    await this.heal();
    this.#back();
    this.project.config = this.#config;
    this.takeStacks();
    this.cloud.aws.calls.clear();
  }

  /** What would never end, ends with the next look. */
  release(): void {
    for (const { steps } of KINDS.flatMap((kind) => this.cloud.aws.resources(kind))) {
      for (const step of steps) step.looks = 1;
    }
  }

  /** Nothing goes wrong any more; what has happened stays. */
  async heal(): Promise<void> {
    this.cloud.aws.faults.clear();
    await this.cloud.aws.plugIn();
  }

  run(verb: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
    return this.project.run(verb, args, {
      MLCC_SET_DEPLOY_TIMEOUT: '600',
      ...this.#trace.environment,
      ...env,
    });
  }

  /** The paths of the calls since the last question. */
  takeStacks(): Stack[] {
    const taken = this.#trace.take();
    for (const name of this.cloud.aws.calls.names()) this.operations.add(name);
    this.stacks.push(...taken);
    return taken;
  }

  get status(): string {
    return this.project.record(this.subject.target, 'STATUS') ?? '';
  }

  /** The records of the target that are not empty. */
  get records(): string[] {
    const prefix = this.subject.target.status_var.replace(/STATUS$/, '');
    return this.project.config
      .split('\n')
      .filter((line) => line.startsWith(`export ${prefix}`) && !line.endsWith("=''"));
  }

  /** What there is more than before the project did anything, but for what stays by right. */
  async added(): Promise<string[]> {
    return lasting(await this.cloud.aws.snapshot()).filter((resource) => !this.before.includes(resource));
  }

  /** All of SageMaker's resources with what they are made of, without what a second run would do differently. */
  fingerprint(): string {
    const resources = KINDS.flatMap((kind) => this.cloud.aws.resources(kind)).map(shape);
    const numbers = new Map<string, number>();
    return `${JSON.stringify(resources)}\n${this.records.join('\n')}`
      .replace(/(?<=-)\d{12}(?=-)/g, 'DATE')
      .replace(/(?<=-)[0-9a-f]{8}\b/g, (digits) => {
        if (!numbers.has(digits)) numbers.set(digits, numbers.size);
        return `#${numbers.get(digits)}`;
      });
  }

  remove(): void {
    this.project.remove();
  }
}

function shape({ kind, name, status, spec, steps }: Resource): object {
  return { kind, name, status, spec, isChanging: steps.length > 0 };
}

/** Results are the users', and the service keeps the history of jobs. */
export function lasting(resources: readonly string[]): string[] {
  return resources.filter(
    (resource) => !/^s3:object data\/(out|results)\/|^sagemaker:transform-job /.test(resource),
  );
}

/** `sagemaker:model` of `sagemaker:model us-west-2/name`. */
export const kindOf = (resource: string): string => resource.split(' ')[0] ?? '';

/** `name` of that. */
export const nameOf = (resource: string): string => /[^/ ]+$/.exec(resource)?.[0] ?? '';
