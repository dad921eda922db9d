import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledCli } from '../../support/compiled-cli.js';
import { CallTrace, type Stack } from './call-trace.js';
import type { EmulatedAws } from './emulated-aws.js';
import { KubePlace } from './kube-place.js';
import { type KubeSubject, OWN_NAMESPACE } from './kubernetes.js';
import type { Run } from './live-project.js';

/** What the cluster itself puts there. */
const OF_THE_CLUSTER = /^(Pod|ReplicaSet) |\/(default|kube-root-ca\.crt)$/;
/** The programs that reach the cloud and the cluster; `env` starts mlcc. */
export const PROGRAMS = ['aws', 'kubectl', 'env'];

/** A project with its cloud and cluster, which can be put back to an earlier state as often as a test wants. */
export class KubeStage {
  readonly before: ReadonlyMap<string, string>;
  readonly #trace: CallTrace;
  readonly #saved: string;
  #back: () => void = () => undefined;
  #config = '';
  /** Every path on which a script came to start a program, since the stage is set. */
  readonly stacks: Stack[] = [];

  private constructor(readonly place: KubePlace) {
    const { home, dir } = place.project.project;
    this.before = place.objects();
    this.#trace = new CallTrace(home, dir, PROGRAMS);
    this.#saved = join(home, 'saved-run-folder');
  }

  static async set(cloud: EmulatedAws, cli: CompiledCli, subject: KubeSubject): Promise<KubeStage> {
    return new KubeStage(await KubePlace.make(cloud, cli, subject));
  }

  /** This is the state to come back to. */
  keep(): void {
    this.#back = this.place.api.checkpoint();
    this.#config = this.place.project.config;
    rmSync(this.#saved, { recursive: true, force: true });
    if (existsSync(this.#runFolder)) cpSync(this.#runFolder, this.#saved, { recursive: true });
  }

  /** Everything is as it was kept, and nothing goes wrong any more. */
  async goBack(): Promise<void> {
    await this.heal();
    this.#back();
    this.place.project.config = this.#config;
    rmSync(this.#runFolder, { recursive: true, force: true });
    if (existsSync(this.#saved)) cpSync(this.#saved, this.#runFolder, { recursive: true });
    this.place.takeStarts();
    this.takeStacks();
    this.place.cloud.aws.calls.clear();
    this.place.api.log.clear();
  }

  /** Nothing goes wrong any more; what has happened stays. */
  async heal(): Promise<void> {
    const { cloud, api } = this.place;
    cloud.aws.faults.clear();
    api.faults.clear();
    await cloud.aws.plugIn();
    await api.plugIn();
  }

  /** The environment in which a script tells who starts programs. */
  get traced(): Readonly<Record<string, string>> {
    return this.#trace.environment;
  }

  run(verb: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
    return this.place.project.run(verb, args, { ...this.#trace.environment, ...env });
  }

  /** The paths of the starts since the last question. */
  takeStacks(): Stack[] {
    const taken = this.#trace.take();
    this.stacks.push(...taken);
    return taken;
  }

  get status(): string {
    return this.place.project.record(this.place.subject.target, 'STATUS') ?? '';
  }

  /** What there is more than at the beginning, but for what the cluster itself makes of it. */
  added(): string[] {
    return [...this.place.objects().keys()].filter(
      (name) => !this.before.has(name) && !OF_THE_CLUSTER.test(name),
    );
  }

  /** The names of what is there and is not in do/config. */
  unrecorded(): string[] {
    const { config } = this.place.project;
    return this.added().filter((name) => !config.includes(/[^/]+$/.exec(name)?.[0] ?? ''));
  }

  /** The same for states that the scripts cannot tell apart. */
  fingerprint(): string {
    const objects = [...this.place.objects()].filter(([name]) => !OF_THE_CLUSTER.test(name));
    const state = objects.map(([name, text]) => {
      const { metadata, spec, status } = JSON.parse(text);
      const image = /sha256:[0-9a-f]{64}/.exec(JSON.stringify(spec ?? {}))?.[0];
      return [name, metadata.deletionTimestamp !== undefined, image, status?.state];
    });
    return JSON.stringify([state, this.place.project.config]);
  }

  /** The records that are not empty. */
  get records(): string[] {
    const prefix = this.place.subject.target.status_var.replace(/STATUS$/, '');
    return this.place.project.config
      .split('\n')
      .filter((line) => line.startsWith(`export ${prefix}`) && !line.endsWith("=''"));
  }

  remove(): Promise<void> {
    return this.place.remove();
  }

  get #runFolder(): string {
    return join(this.place.project.project.dir, '.mlcc/run');
  }
}

/** Whether the namespace of the deployment is its own. */
export const bringsItsNamespace = ({ settings }: KubeSubject): boolean =>
  settings.HP_NAMESPACE === OWN_NAMESPACE;
