import type { EmulatedAws } from './emulated-aws.js';
import type { Run } from './live-project.js';
import { ADAPTER, type Scenario } from './scenarios.js';
import { kindOf, nameOf, Stage } from './stage.js';
import { type RecordedCall, recorded, type SweepFault } from './sweep-faults.js';
import type { Turn } from './turns.js';

/** What goes on after something went wrong: the same again and then clean, or clean at once. */
export type Recovery = 'again' | 'clean';

/** Runs a scenario with one fault after the other and checks what each leaves. */
export class Sweep {
  /** What was not as it should be. */
  readonly failures: string[] = [];
  /** Runs with a fault. */
  count = 0;
  /** Recoveries from what a fault left. */
  recoveries = 0;
  readonly #recovered = new Set<string>();
  #kinds: string[] = [];
  #statusBefore = '';

  private constructor(
    readonly stage: Stage,
    readonly scenario: Scenario,
  ) {}

  static async of(cloud: EmulatedAws, scenario: Scenario): Promise<Sweep> {
    const stage = await Stage.set(cloud, scenario.subject);
    const sweep = new Sweep(stage, scenario);
    await scenario.prepare?.(stage);
    stage.keep();
    sweep.#statusBefore = stage.status;
    return sweep;
  }

  /** The calls of a run in which nothing goes wrong. */
  async record(): Promise<RecordedCall[]> {
    const { stage, scenario } = this;
    await stage.goBack();
    if (scenario.kind === 'clean') this.#kinds = (await stage.added()).map(kindOf);
    const { interruptAt } = scenario;
    if (interruptAt !== undefined) {
      stage.cloud.aws.fault({ nth: interruptAt, fault: () => stage.project.signal('SIGINT') });
    }
    const run = await stage.run(scenario.verb, scenario.args);
    if (run.code !== (interruptAt === undefined ? 0 : 130))
      throw new Error(`${scenario.title} ended with ${run.code}:\n${run.stderr}`);
    const stacks = stage.takeStacks();
    const calls = [...stage.cloud.aws.calls.all];
    if (scenario.kind !== 'read' && stacks.length !== calls.length) {
      throw new Error(`${scenario.title}: ${calls.length} calls, but ${stacks.length} come from the scripts`);
    }
    if (scenario.kind !== 'clean') this.#kinds = (await stage.added()).map(kindOf);
    return recorded(
      calls,
      (index) => !stacks[index]?.some(({ callee }) => WORK.has(callee)),
      (index) =>
        (stacks[index] ?? []).map(({ callee, file, line }) => `${callee} ${file}:${line}`).join(' < '),
    );
  }

  /** One run with one fault, and what comes after it. */
  async strike(call: RecordedCall, fault: SweepFault, recoveries: readonly Recovery[]): Promise<void> {
    const title = `${this.scenario.title} / ${fault.name} in ${call.number}. ${call.service}:${call.operation}`;
    const failed = await this.#strikeAndJudge(call, fault);
    if (this.scenario.kind !== 'read') {
      const left = this.stage.fingerprint();
      for (const recovery of recoveries) {
        // The scripts do the same from the same state, whatever has led to it.
        if (this.#recovered.has(`${recovery} ${left}`)) continue;
        this.#recovered.add(`${recovery} ${left}`);
        if (recovery !== recoveries[0]) await this.#strikeAndJudge(call, fault);
        failed.push(...(await this.#recover(recovery)));
      }
    }
    this.failures.push(...failed.map((what) => `${title}: ${what}`));
  }

  remove(): void {
    this.stage.remove();
  }

  /** One run in which a change goes in another way, and what comes after it. */
  async turn(turn: Turn, recoveries: readonly Recovery[]): Promise<void> {
    for (const recovery of recoveries) {
      const { stage, scenario } = this;
      await stage.goBack();
      stage.cloud.aws.plan({ ...turn.plan, times: 1 });
      const env = turn.plan.looks === undefined ? {} : IMPATIENT;
      const run = await stage.run(scenario.verb, scenario.args, env);
      stage.takeStacks();
      this.count += 1;
      stage.release();
      const failed = this.#judgeEnding(run, turn.ends, turn.says);
      if (turn.status !== stage.status) failed.push(`the status is "${stage.status}", not "${turn.status}"`);
      failed.push(...(await this.#isRecorded()), ...(await this.#recover(recovery)));
      this.failures.push(
        ...failed.map((what) => `${scenario.title} / ${turn.name}, then ${recovery}: ${what}`),
      );
    }
  }

  async #strikeAndJudge(call: RecordedCall, fault: SweepFault): Promise<string[]> {
    const { stage, scenario } = this;
    await stage.goBack();
    const config = stage.project.config;
    fault.arm(stage, call);
    const run = await stage.run(scenario.verb, scenario.args);
    stage.takeStacks();
    this.count += 1;
    const struck = stage.cloud.aws.calls.all[call.number - 1];
    await stage.heal();
    // do/status says that it does not know, which is no failure.
    const ends = scenario.verb === 'status' && fault.ends === 'badly' ? 'well' : fault.ends;
    const failed = this.#judgeEnding(run, ends, fault.says);
    if (struck?.operation !== call.operation) failed.push(`the call was ${struck?.operation}`);
    if (scenario.kind === 'read') {
      if (stage.project.config !== config) failed.push('do/config has changed');
      if (scenario.verb === 'status' && fault.says && !run.stdout.includes('unknown'))
        failed.push(`it knows:\n${run.stdout}`);
      return failed;
    }
    const status = this.#statusAfter(call, fault);
    if (status !== stage.status)
      failed.push(`the status is "${stage.status}", not "${status}":\n${run.stderr}`);
    failed.push(...(await this.#isRecorded()));
    if (ends === 'well')
      failed.push(...(await this.#hasNoMoreThan(scenario.kind === 'clean' ? [] : this.#kinds)));
    return failed;
  }

  #judgeEnding(run: Run, ends: SweepFault['ends'], says: RegExp | undefined): string[] {
    const failed: string[] = [];
    const expectThat = (holds: boolean, what: string) => {
      if (!holds) failed.push(`${what}\n${run.stdout}${run.stderr}`);
    };
    expectThat(run.left.length === 0, `processes are left: ${run.left}`);
    expectThat(isEnding(run, ends), `it ended with ${run.code ?? run.signal}`);
    if (ends === 'badly') {
      expectThat(says?.test(run.stderr) ?? true, `it does not say ${says}`);
      expectThat(/^-> /m.test(run.stderr), 'it does not say what to type next');
      expectThat(!/line \d+:|Traceback/.test(run.stderr), 'it says what is for programmers');
    }
    return failed;
  }

  /** Nothing is there that do/config does not know; an adapter was made by another verb. */
  async #isRecorded(): Promise<string[]> {
    const names = (await this.stage.added()).map(nameOf).filter((name) => name !== ADAPTER);
    return names
      .filter((name) => !this.stage.project.config.includes(name))
      .map((name) => `${name} is not recorded`);
  }

  /** The status that do/config is to hold when the run is over. */
  #statusAfter({ isCheck }: RecordedCall, { ends }: SweepFault): string {
    const { kind, subject } = this.scenario;
    if (ends === 'well') return kind === 'clean' ? '' : subject.target.success_status;
    if (isCheck || kind === 'update') return this.#statusBefore;
    if (kind === 'clean') return 'Deleting';
    return { badly: 'Failed', interrupted: 'Interrupted', killed: 'Creating' }[ends];
  }

  async #recover(recovery: Recovery): Promise<string[]> {
    const { stage } = this;
    this.recoveries += 1;
    const failed: string[] = [];
    const run = async (verb: string, args: readonly string[]): Promise<void> => {
      const { code, signal, stdout, stderr } = await stage.run(verb, args);
      stage.takeStacks();
      if (code !== 0) failed.push(`then do/${verb} ended with ${code ?? signal}:\n${stdout}${stderr}`);
    };
    if (recovery === 'again') {
      await run('deploy', this.scenario.verb === 'deploy' ? this.scenario.args : []);
      const { success_status } = this.scenario.subject.target;
      if (stage.status !== success_status) failed.push(`then the status is ${stage.status} after do/deploy`);
      failed.push(...(await this.#hasNoMoreThan(withoutAdapters(this.#kinds))));
    }
    await run('clean', ['--yes']);
    const left = await stage.added();
    if (left.length > 0) failed.push(`then after do/clean there is still ${left.join(', ')}`);
    if (stage.records.length > 0)
      failed.push(`then after do/clean there are records: ${stage.records.join(' ')}`);
    return failed;
  }

  async #hasNoMoreThan(kinds: readonly string[]): Promise<string[]> {
    const now = (await this.stage.added()).filter((resource) => nameOf(resource) !== ADAPTER).map(kindOf);
    const wanted = withoutAdapters(kinds);
    return String(now) === String(wanted)
      ? []
      : [`then there is ${now.join(', ')}, not ${wanted.join(', ')}`];
  }
}

/** Of several components one is the model's, the others are adapters. */
function withoutAdapters(kinds: readonly string[]): string[] {
  const component = 'sagemaker:inference-component';
  return kinds.filter((kind, index) => kind !== component || kinds.indexOf(kind) === index);
}

/** Two minutes, of which each pause takes a third: however slow the machine is, a wait that ends is over before. */
const IMPATIENT = {
  MLCC_SET_DEPLOY_TIMEOUT: '120',
  'BASH_FUNC_sleep%%': '() { SECONDS=$((SECONDS + 40)); }',
};

const WORK = new Set(['target_deploy', 'target_update', 'target_clean']);

function isEnding({ code, signal }: Run, ending: SweepFault['ends']): boolean {
  switch (ending) {
    case 'well':
      return code === 0;
    case 'badly':
      return code === 1;
    case 'interrupted':
      return code === 130 || signal === 'SIGINT';
    case 'killed':
      return signal === 'SIGKILL';
  }
}
