import { expect } from '@jest/globals';
import type { Resource } from '../support/aws/index.js';
import { describeWithAws, type EmulatedAws } from './support/emulated-aws.js';
import type { LiveProject } from './support/live-project.js';
import { image, type Subject, subjects } from './support/sagemaker.js';
import { testSideBySide } from './support/side-by-side.js';
import { kindOf, lasting, nameOf, Stage } from './support/stage.js';

describeWithAws('The whole life of a deployment on SageMaker, through do/ alone', () => {
  testSideBySide(
    2,
    subjects().map((subject) => [subject.title, (cloud) => liveThrough(cloud, subject)]),
  );
});

async function liveThrough(cloud: EmulatedAws, subject: Subject): Promise<void> {
  const stage = await Stage.set(cloud, subject);
  try {
    const life = new Life(stage);
    await life.isNotDeployed();
    await life.isDeployed();
    await life.answersAndTells();
    await life.isUpdated();
    await life.goesBack();
    await life.isReconfigured();
    await life.losesFocusAndGetsItBack();
    await life.isCleaned();
  } finally {
    stage.remove();
  }
}

/** One project's deployment of one target, step by step. */
class Life {
  readonly subject: Subject;
  readonly project: LiveProject;
  readonly cloud: EmulatedAws;

  constructor(readonly stage: Stage) {
    ({ subject: this.subject, project: this.project, cloud: this.cloud } = stage);
  }

  async isNotDeployed(): Promise<void> {
    const { code, stderr } = await this.project.run('test');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('deployment-active') });
    expect((await this.project.run('logs')).code).toBe(3);
    expect(await this.project.must('clean', ['--yes'])).toContain('nothing is recorded');
    expect(this.cloud.aws.calls.all).toEqual([]);
  }

  async isDeployed(): Promise<void> {
    const said = await this.project.must('deploy');
    expect(said).toContain(`Done: ${this.target.target} is ${this.target.success_status}`);
    expect(this.status).toBe(this.target.success_status);
    // Nothing is there that do/config does not know.
    for (const resource of await this.stage.added()) expect(this.project.config).toContain(nameOf(resource));
    expect(this.imagesInUse()).toEqual([image('a')]);
  }

  async answersAndTells(): Promise<void> {
    const { stdout } = await this.project.run('status', ['--json']);
    expect(JSON.parse(stdout)).toContainEqual({
      target: this.target.target,
      focus: true,
      status: this.target.success_status,
      live: this.target.success_status,
      reason: null,
    });
    const answer = await this.project.run('test');
    expect(answer).toMatchObject({ code: 0, left: [], stdout: expect.stringContaining('chat.completion') });
    const logs = await this.project.run('logs');
    expect(logs).toMatchObject({ code: 0, left: [], stdout: expect.stringContaining('Starting the ') });
    expect(this.status).toBe(this.target.success_status);
  }

  async isUpdated(): Promise<void> {
    const old = await this.stage.added();
    await this.project.must('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]);
    expect(this.status).toBe(this.target.success_status);
    expect(this.imagesInUse()).toEqual([image('b')]);
    await this.hasReplaced(old);
  }

  async goesBack(): Promise<void> {
    const old = await this.stage.added();
    const said = await this.project.must('deploy', ['--rollback']);
    expect(said).toContain(image('a'));
    expect(this.imagesInUse()).toEqual([image('a')]);
    expect(this.status).toBe(this.target.success_status);
    await this.hasReplaced(old);
  }

  async isReconfigured(): Promise<void> {
    const flags = flagsOf(this.subject);
    const { code, stderr } = await this.project.run('deploy', ['--reconfigure', ...flags]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('confirm it with --yes') });
    expect(this.status).toBe(this.target.success_status);
    const old = await this.stage.added();
    await this.project.must('deploy', [
      '--reconfigure',
      '--yes',
      ...flags,
      '--instance-type',
      'ml.g5.2xlarge',
    ]);
    expect(this.project.setting('INSTANCE_TYPE')).toBe('ml.g5.2xlarge');
    expect(this.status).toBe(this.target.success_status);
    expect((await this.stage.added()).map(kindOf)).toEqual(old.map(kindOf));
    if (!this.subject.settings.ENDPOINT_STRATEGY)
      expect(this.instanceTypesInUse()).toEqual(['ml.g5.2xlarge']);
  }

  /** Another target of the project becomes live; each is cleaned without the other. */
  async losesFocusAndGetsItBack(): Promise<void> {
    const other = subjects().find(({ target }) => target.target !== this.target.target);
    if (!other) return;
    const alone = await this.cloud.aws.snapshot();
    this.project.set({
      ...other.settings,
      DEPLOYMENT_TARGET: this.target.target,
      INSTANCE_TYPE: 'ml.g5.2xlarge',
    });
    await this.project.must('deploy', ['--target', other.target.target, ...flagsApart(other)]);
    expect(this.project.setting('DEPLOYMENT_TARGET')).toBe(other.target.target);
    const both = await this.cloud.aws.snapshot();
    this.cloud.aws.calls.clear();
    if (this.target.family !== 'sagemaker-job') {
      const said = await this.project.must('deploy', ['--target', this.target.target]);
      expect(said).toContain(`the focus is on ${this.target.target} (${this.status})`);
      expect(this.cloud.aws.calls.all).toEqual([]);
      expect(await this.cloud.aws.snapshot()).toEqual(both);
      await this.project.must('test');
    }
    await this.project.must('clean', ['--target', other.target.target]);
    expect(lasting(await this.cloud.aws.snapshot())).toEqual(lasting(alone));
    expect([this.status, this.project.record(other.target, 'STATUS')]).toEqual([
      this.target.success_status,
      '',
    ]);
  }

  async isCleaned(): Promise<void> {
    await this.project.must('clean', ['--target', this.target.target, '--yes']);
    expect(this.status).toBe('');
    expect(lasting(await this.cloud.aws.snapshot())).toEqual(this.stage.before);
    this.cloud.aws.calls.clear();
    expect(await this.project.must('clean', ['--all'])).toContain('nothing is recorded');
    expect(this.cloud.aws.calls.all).toEqual([]);
  }

  get target() {
    return this.subject.target;
  }

  get status(): string {
    return this.stage.status;
  }

  /** After an update: as many resources as before it, but those that bind the image are others. */
  async hasReplaced(old: readonly string[]): Promise<void> {
    const now = await this.stage.added();
    expect(now.map(kindOf)).toEqual(old.map(kindOf));
    const kept = now.filter((resource) => old.includes(resource)).map(kindOf);
    expect(kept.filter((kind) => kind === 'sagemaker:model')).toEqual([]);
    for (const resource of now) expect(this.project.config).toContain(nameOf(resource));
  }

  instanceTypesInUse(): string[] {
    const kind = this.target.family === 'sagemaker-job' ? 'transform-job' : 'endpoint-config';
    return textsIn(this.cloud.aws.resources(kind).slice(-1), /\bml\.[a-z0-9]+\.[a-z0-9]+/g);
  }

  /** The images that containers run, from the resources themselves. */
  imagesInUse(): string[] {
    const kinds = ['model', 'inference-component'] as const;
    return textsIn(
      kinds.flatMap((kind) => this.cloud.aws.resources(kind)),
      /[^"]+@sha256:[0-9a-f]{64}/g,
    );
  }
}

/** What matches in the resources' requests, each once. */
function textsIn(resources: readonly Resource[], pattern: RegExp): string[] {
  return [...new Set(JSON.stringify(resources.map(({ spec }) => spec)).match(pattern))];
}

/** The flags of the target's own settings, required ones first. */
function flagsOf({ target, settings }: Subject): string[] {
  const names = [...target.required_vars, ...Object.keys(target.optional_vars)];
  return names.flatMap((name) => {
    const flag = target.params?.[name]?.flag;
    const value = settings[name] ?? (name === 'ENDPOINT_NAME' ? 'demo' : undefined);
    return flag && value ? [`--${flag}`, value] : [];
  });
}

/** A name of its own for an endpoint where the two targets would share the setting. */
function flagsApart({ target }: Subject): string[] {
  return target.family === 'sagemaker-endpoint' ? ['--endpoint-name', 'another'] : [];
}
