import type { CompiledCli } from '../../support/compiled-cli.js';
import type { EmulatedAws } from './emulated-aws.js';
import { changes, type KubeCall, nameOfCall, recordedKubeCalls } from './kube-calls.js';
import type { KubeFault } from './kube-faults.js';
import { KubeStage } from './kube-stage.js';
import { image, type KubeSubject } from './kubernetes.js';
import type { Run } from './live-project.js';
import type { Recovery } from './sweep.js';
import { type RecordedCall, recorded, type SweepFault } from './sweep-faults.js';

type Ending = SweepFault['ends'];

/** A run of a verb that things go wrong in. */
export interface KubeScenario {
  title: string;
  subject: KubeSubject;
  kind: 'deploy' | 'update' | 'clean';
  args: readonly string[];
}

export function kubeScenarios(subjects: readonly KubeSubject[]): KubeScenario[] {
  return subjects.flatMap((subject) => [
    { title: `deploy ${subject.title}`, subject, kind: 'deploy', args: [] },
    {
      title: `update ${subject.title}`,
      subject,
      kind: 'update',
      args: ['--set', `ECR_IMAGE_URI=${image('b')}`],
    },
    { title: `clean ${subject.title}`, subject, kind: 'clean', args: ['--yes'] },
  ]);
}

/** The calls of a run in which nothing went wrong. */
export interface Recording {
  aws: RecordedCall[];
  kube: KubeCall[];
}

/** Runs a scenario with one fault after the other and checks what each leaves. */
export class KubeSweep {
  /** What was not as it should be. */
  readonly failures: string[] = [];
  /** Runs with a fault. */
  count = 0;
  /** Recoveries from what a fault left. */
  recoveries = 0;
  readonly #recovered = new Set<string>();
  #deployed: string[] = [];
  #statusBefore = '';

  private constructor(
    readonly stage: KubeStage,
    readonly scenario: KubeScenario,
  ) {}

  static async of(cloud: EmulatedAws, cli: CompiledCli, scenario: KubeScenario): Promise<KubeSweep> {
    const sweep = new KubeSweep(await KubeStage.set(cloud, cli, scenario.subject), scenario);
    try {
      await sweep.#prepare();
    } catch (error) {
      await sweep.remove();
      throw error;
    }
    return sweep;
  }

  async #prepare(): Promise<void> {
    const { stage, scenario } = this;
    stage.keep();
    // Also for kubectl, which learns here what the cluster can do.
    await stage.place.project.must('deploy');
    this.#deployed = stage.added();
    if (scenario.kind === 'deploy') await stage.goBack();
    stage.keep();
    this.#statusBefore = stage.status;
  }

  async record(): Promise<Recording> {
    const { stage } = this;
    await stage.goBack();
    const run = await this.#run();
    if (run.code !== 0) throw new Error(`${this.scenario.title} ended with ${run.code}:\n${run.stderr}`);
    const stacks = stage.takeStacks().filter(([first]) => first?.callee === 'aws');
    const calls = [...stage.place.cloud.aws.calls.all];
    if (stacks.length !== calls.length)
      throw new Error(`${this.scenario.title}: ${calls.length} calls of ${stacks.length} starts of aws`);
    const isWork = (index: number) =>
      stacks[index]?.some(({ callee }) => /^target_(deploy|update|clean)$/.test(callee)) ?? false;
    return {
      aws: recorded(calls, (index) => !isWork(index)),
      kube: recordedKubeCalls(stage.place.api.log.entries),
    };
  }

  async strikeAws(call: RecordedCall, fault: SweepFault, recoveries: readonly Recovery[]): Promise<void> {
    const arm = () => fault.arm(this.stage.place, call);
    const title = `${fault.name} in ${call.number}. ${call.service}:${call.operation}`;
    await this.#strike(title, { ...fault, arm, isCheck: call.isCheck, mayEnd: [fault.ends] }, recoveries);
  }

  async strikeKube(call: KubeCall, fault: KubeFault, recoveries: readonly Recovery[]): Promise<void> {
    const arm = () => fault.arm(this.stage.place, call);
    const mayEnd: Ending[] = [fault.ends];
    // Many may use a namespace that they may not look at, and what it holds is told for comfort only.
    if (fault.name === 'forbidden' && isForComfort(call)) mayEnd.push('well');
    await this.#strike(
      `${fault.name} in ${nameOfCall(call)}`,
      { ...fault, arm, isCheck: false, mayEnd },
      recoveries,
    );
  }

  remove(): Promise<void> {
    return this.stage.remove();
  }

  async #strike(title: string, blow: Blow, recoveries: readonly Recovery[]): Promise<void> {
    const failed = await this.#strikeAndJudge(blow);
    const left = this.stage.fingerprint();
    for (const recovery of recoveries) {
      // The scripts do the same from the same state, whatever has led to it.
      if (this.#recovered.has(`${recovery} ${left}`)) continue;
      this.#recovered.add(`${recovery} ${left}`);
      if (recovery !== recoveries[0]) await this.#strikeAndJudge(blow);
      failed.push(...(await this.#recover(recovery)));
    }
    this.failures.push(...failed.map((what) => `${this.scenario.title} / ${title}: ${what}`));
  }

  async #strikeAndJudge(blow: Blow): Promise<string[]> {
    const { stage } = this;
    await stage.goBack();
    blow.arm();
    const run = await this.#run();
    stage.takeStacks();
    this.count += 1;
    await stage.heal();
    const failed: string[] = [];
    const expectThat = (holds: boolean, what: string) => {
      if (!holds) failed.push(`${what}\n${run.stdout}${run.stderr}`);
    };
    const ends = endingOf(run);
    expectThat(run.left.length === 0, `processes are left: ${run.left}`);
    expectThat(ends !== undefined && blow.mayEnd.includes(ends), `it ended with ${run.code ?? run.signal}`);
    if (ends === 'badly') {
      expectThat(blow.says?.test(run.stderr) ?? true, `it does not say ${blow.says}`);
      expectThat(/^-> /m.test(run.stderr), 'it does not say what to type next');
      expectThat(!/line \d+:|Traceback|^ {4}at /m.test(run.stderr), 'it says what is for programmers');
    }
    const status = this.#statusAfter(ends ?? 'badly', blow.isCheck);
    expectThat(stage.status === status, `the status is "${stage.status}", not "${status}"`);
    expectThat(stage.unrecorded().length === 0, `not recorded: ${stage.unrecorded()}`);
    if (ends === 'well') failed.push(...(await this.#isThere(this.scenario.kind !== 'clean')));
    return failed;
  }

  /** The status that do/config is to hold when the run is over. */
  #statusAfter(ends: Ending, isCheck: boolean): string {
    const { kind, subject } = this.scenario;
    if (ends === 'well') return kind === 'clean' ? '' : subject.target.success_status;
    if (isCheck || kind === 'update') return this.#statusBefore;
    if (kind === 'clean') return 'Deleting';
    return { badly: 'Failed', interrupted: 'Interrupted', killed: 'Creating' }[ends];
  }

  async #recover(recovery: Recovery): Promise<string[]> {
    const { stage, scenario } = this;
    this.recoveries += 1;
    const failed: string[] = [];
    const run = async (verb: string, args: readonly string[]): Promise<void> => {
      const { code, signal, stdout, stderr } = await stage.run(verb, args);
      stage.takeStacks();
      if (code !== 0) failed.push(`then do/${verb} ended with ${code ?? signal}:\n${stdout}${stderr}`);
    };
    if (recovery === 'again') {
      await run('deploy', scenario.kind === 'clean' ? [] : scenario.args);
      const { success_status } = scenario.subject.target;
      if (stage.status !== success_status) failed.push(`then the status is ${stage.status} after do/deploy`);
      failed.push(...(await this.#isThere(true)));
    }
    await run('clean', ['--yes']);
    failed.push(...(await this.#isThere(false)));
    if (stage.records.length > 0) failed.push(`then after do/clean there are records: ${stage.records}`);
    return failed;
  }

  /** Whether all of the deployment is there and no more, or nothing of it. */
  async #isThere(isDeployed: boolean): Promise<string[]> {
    const { stage } = this;
    if (!isDeployed) {
      return stage.place.untilAsBefore(stage.before).then(
        () => [],
        (error: Error) => [`then ${error.message}`],
      );
    }
    const now = stage.added();
    return String(now) === String(this.#deployed) ? [] : [`then there is ${now}, not ${this.#deployed}`];
  }

  #run(): Promise<Run> {
    const { kind, args } = this.scenario;
    return this.stage.run(kind === 'clean' ? 'clean' : 'deploy', args);
  }
}

interface Blow {
  arm: () => void;
  says?: RegExp;
  isCheck: boolean;
  mayEnd: readonly Ending[];
}

function isForComfort(call: KubeCall): boolean {
  return !changes(call) && /^\/api\/v1(\/namespaces\/[^/]+(\/(events|pods))?)?$/.test(call.path);
}

function endingOf({ code, signal }: Run): Ending | undefined {
  if (signal === 'SIGKILL') return 'killed';
  if (code === 130 || signal === 'SIGINT') return 'interrupted';
  if (code === 0) return 'well';
  return code === 1 ? 'badly' : undefined;
}
