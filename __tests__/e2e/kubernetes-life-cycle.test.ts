import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { serve } from '../do/support/pod-project.js';
import { CompiledCli } from '../support/compiled-cli.js';
import { describeWithMoto } from '../support/moto.js';
import type { EmulatedAws } from './support/emulated-aws.js';
import { DEAD_CONTEXT, KubePlace } from './support/kube-place.js';
import {
  GIVEN_NAMESPACE,
  image,
  type KubeSubject,
  kubeSubjects,
  OWN_NAMESPACE,
  TOKEN,
} from './support/kubernetes.js';
import { testSideBySide } from './support/side-by-side.js';

let cli: CompiledCli;
let model: Awaited<ReturnType<typeof serve>>;
const CHAT = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'hello' } }] });

describeWithMoto(
  ['aws', 'python3', 'kubectl'],
  'The whole life of a deployment on Kubernetes, through do/ alone',
  () => {
    beforeAll(async () => {
      cli = new CompiledCli();
      model = await serve((_, response) => response.end(CHAT));
    });
    afterAll(() => {
      model?.stop();
      cli?.remove();
    });
    testSideBySide(
      2,
      kubeSubjects().map((subject) => [subject.title, (cloud) => liveThrough(cloud, subject)]),
    );
  },
);

async function liveThrough(cloud: EmulatedAws, subject: KubeSubject): Promise<void> {
  const place = await KubePlace.make(cloud, cli, subject);
  place.api.pods.add(() => true, { ports: { 8080: model.port }, log: () => 'model loaded\n' });
  try {
    const life = new Life(place);
    await life.isNotDeployed();
    await life.isDeployed();
    await life.answersAndTells();
    await life.isUpdated();
    await life.goesBack();
    await life.isReconfigured();
    await life.losesFocusAndGetsItBack();
    await life.isCleaned();
  } finally {
    await place.remove();
  }
}

/** One project's deployment of one target, step by step. */
class Life {
  readonly #objects;
  readonly #resources;
  #ownKubeconfig;

  constructor(readonly place: KubePlace) {
    this.#objects = place.objects();
    this.#resources = place.cloud.aws.snapshot();
    this.#ownKubeconfig = readFileSync(place.ownKubeconfig, 'utf8');
    place.cloud.aws.calls.clear();
  }

  async isNotDeployed(): Promise<void> {
    const { api, cloud } = this.place;
    const { code, stderr } = await this.project.run('test');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('deployment-active') });
    expect((await this.project.run('logs')).code).toBe(3);
    expect(await this.project.must('clean', ['--yes'])).toContain('nothing is recorded');
    expect([cloud.aws.calls.all, api.log.entries, this.place.takeStarts()]).toEqual([[], [], []]);
  }

  async isDeployed(): Promise<void> {
    const said = await this.project.must('deploy');
    expect(said).toContain(`Done: ${this.target.target} is ${this.target.success_status}`);
    expect(this.status).toBe(this.target.success_status);
    expect(this.place.images()).toEqual([image('a')]);
    this.isAllRecorded();
    this.asksTheRecordedCluster();
    this.keepsTheToken();
  }

  async answersAndTells(): Promise<void> {
    const { stdout } = await this.project.run('status', ['--json']);
    expect(JSON.parse(stdout)).toContainEqual({
      target: this.target.target,
      focus: true,
      status: this.target.success_status,
      live: this.target.workload === 'deployment' ? 'Running 1/1 ready' : 'DeploymentComplete',
      reason: null,
    });
    const answer = await this.project.run('test');
    expect(answer).toMatchObject({ code: 0, left: [], stdout: `${CHAT}\n` });
    const logs = await this.project.run('logs');
    expect(logs).toMatchObject({ code: 0, left: [], stdout: expect.stringContaining('model loaded') });
    expect(this.status).toBe(this.target.success_status);
    this.asksTheRecordedCluster();
  }

  async isUpdated(): Promise<void> {
    // From here on the person works elsewhere.
    this.place.useContext(DEAD_CONTEXT);
    this.#ownKubeconfig = readFileSync(this.place.ownKubeconfig, 'utf8');
    const old = this.objectNames();
    const pods = this.podNames();
    await this.project.must('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]);
    expect(this.status).toBe(this.target.success_status);
    expect(this.place.images()).toEqual([image('b')]);
    expect(this.objectNames()).toEqual(old);
    expect(this.podNames().filter((name) => pods.includes(name))).toEqual([]);
    expect(this.project.record(this.target, 'PREVIOUS_IMAGE')).toBe(image('a'));
    this.asksTheRecordedCluster();
  }

  async goesBack(): Promise<void> {
    expect(await this.project.must('deploy', ['--rollback'])).toContain(image('a'));
    expect(this.place.images()).toEqual([image('a')]);
    expect(this.status).toBe(this.target.success_status);
    this.asksTheRecordedCluster();
  }

  async isReconfigured(): Promise<void> {
    if (this.place.subject.way === 'current context') this.place.useContext('mine');
    this.#ownKubeconfig = readFileSync(this.place.ownKubeconfig, 'utf8');
    const { HP_CLUSTER_NAME = '' } = this.place.subject.settings;
    const flags = [
      ...(HP_CLUSTER_NAME ? ['--cluster-name', HP_CLUSTER_NAME] : []),
      ...['--gpu-count', '2', '--namespace', GIVEN_NAMESPACE, '--instance-type', 'ml.g5.xlarge'],
    ];
    const { code, stderr } = await this.project.run('deploy', ['--reconfigure', ...flags]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('confirm it with --yes') });
    expect(this.status).toBe(this.target.success_status);
    await this.project.must('deploy', ['--reconfigure', '--yes', ...flags]);
    expect(this.project.setting('HP_GPU_COUNT')).toBe('2');
    expect(this.status).toBe(this.target.success_status);
    // All of it moved there, and the namespace of before went with what was in it.
    expect(this.objectNames().filter((name) => name.includes(OWN_NAMESPACE))).toEqual([]);
    expect(this.project.record(this.target, 'NAMESPACE')).toBe(GIVEN_NAMESPACE);
    this.isAllRecorded();
    this.asksTheRecordedCluster();
  }

  /** Another Kubernetes target of the project becomes live; each is cleaned without the other. */
  async losesFocusAndGetsItBack(): Promise<void> {
    const other = kubeSubjects().find(
      ({ target, way }) => target.target !== this.target.target && way !== 'current context',
    );
    if (!other) throw new Error('the catalogue has one Kubernetes target only');
    const { api, cloud } = this.place;
    const alone = this.place.objects();
    await this.project.must('deploy', [
      ...['--target', other.target.target, '--cluster-name', other.settings.HP_CLUSTER_NAME ?? ''],
      ...['--namespace', OWN_NAMESPACE],
    ]);
    expect(this.project.setting('DEPLOYMENT_TARGET')).toBe(other.target.target);
    expect(this.project.record(other.target, 'NAMESPACE')).toBe(OWN_NAMESPACE);
    const both = this.place.objects();
    cloud.aws.calls.clear();
    api.log.clear();
    const said = await this.project.must('deploy', ['--target', this.target.target]);
    expect(said).toContain(`the focus is on ${this.target.target} (${this.status})`);
    expect([cloud.aws.calls.all, api.log.entries]).toEqual([[], []]);
    expect(this.place.objects()).toEqual(both);
    expect((await this.project.run('test')).code).toBe(0);
    // The settings name another cluster and namespace by now; what is deployed stays where it is.
    expect(await this.project.must('deploy')).toMatch(/stays in the namespace/);
    await this.project.must('clean', ['--target', other.target.target]);
    await this.place.untilAsBefore(alone);
    expect([this.status, this.project.record(other.target, 'STATUS')]).toEqual([
      this.target.success_status,
      '',
    ]);
  }

  async isCleaned(): Promise<void> {
    this.project.set({ HP_CLUSTER_NAME: 'another', HP_NAMESPACE: 'another' });
    await this.project.must('clean', ['--target', this.target.target, '--yes']);
    expect(this.status).toBe('');
    await this.place.untilAsBefore(this.#objects);
    expect(await this.place.cloud.aws.snapshot()).toEqual(await this.#resources);
    this.asksTheRecordedCluster();
    const { api, cloud } = this.place;
    cloud.aws.calls.clear();
    api.log.clear();
    expect(await this.project.must('clean', ['--all'])).toContain('nothing is recorded');
    expect([cloud.aws.calls.all, api.log.entries]).toEqual([[], []]);
    const leftovers = readdirSync(join(this.project.project.dir, '.mlcc'), { recursive: true });
    expect(leftovers.filter((name) => /kubeconfig/.test(String(name)))).toEqual([]);
  }

  get project() {
    return this.place.project;
  }

  get target() {
    return this.place.subject.target;
  }

  get status(): string | undefined {
    return this.project.record(this.target, 'STATUS');
  }

  /** What there is more than before the first deploy, but for what the cluster itself makes of it. */
  objectNames(): string[] {
    return [...this.place.objects().keys()].filter(
      (name) => !this.#objects.has(name) && !/^(Pod|ReplicaSet) |\/(default|kube-root-ca\.crt)$/.test(name),
    );
  }

  podNames(): string[] {
    return [...this.place.objects().keys()].filter((name) => name.startsWith('Pod '));
  }

  /** Nothing is there that do/config does not know. */
  isAllRecorded(): void {
    for (const name of this.objectNames()) {
      const [, last = ''] = /([^/]+)$/.exec(name) ?? [];
      expect(this.project.config).toContain(last);
    }
  }

  /** Every call names the recorded context; the person's own configuration is as it was. */
  asksTheRecordedCluster(): void {
    const starts = this.place.takeStarts();
    const kubectls = starts.filter(({ program }) => program === 'kubectl');
    expect(kubectls.length).toBeGreaterThan(0);
    const [kubeconfig, context, namespace] = ['KUBECONFIG', 'CONTEXT', 'NAMESPACE'].map(
      (what) => this.project.record(this.target, what) ?? '',
    );
    for (const start of kubectls) {
      if (start.words.join(' ') === 'config current-context') continue;
      expect(start.words.slice(0, 1)).toEqual(['--context']);
      expect(start.words.slice(2, 3)).toEqual(['--namespace']);
      if (context === '') continue;
      expect([start.kubeconfig, start.words[1]]).toEqual([kubeconfig, context]);
      expect(namespace).not.toBe('');
    }
    expect(readFileSync(this.place.ownKubeconfig, 'utf8')).toBe(this.#ownKubeconfig);
    expect(JSON.stringify(starts)).not.toContain(TOKEN);
  }

  /** The token is in the cluster's secret, and neither on disk nor in an object that is no secret. */
  keepsTheToken(): void {
    const { home, dir } = this.project.project;
    for (const folder of [home, dir]) {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        expect([path, readFileSync(path).includes(TOKEN)]).toEqual([path, false]);
      }
    }
    const coded = Buffer.from(TOKEN).toString('base64');
    const holders = [...this.place.objects()].filter(
      ([, text]) => text.includes(TOKEN) || text.includes(coded),
    );
    expect(holders.map(([name]) => name)).toEqual([
      `Secret ${this.project.record(this.target, 'NAMESPACE')}/${this.project.record(this.target, 'SECRET')}`,
    ]);
  }
}
