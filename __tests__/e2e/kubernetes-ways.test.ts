import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { CompiledCli } from '../support/compiled-cli.js';
import { describeWithMoto } from '../support/moto.js';
import type { EmulatedAws } from './support/emulated-aws.js';
import { bringsItsNamespace, KubeStage } from './support/kube-stage.js';
import { GIVEN_NAMESPACE, image, type KubeSubject, kubeSubject, kubeSubjects } from './support/kubernetes.js';
import type { Run } from './support/live-project.js';
import { testSideBySide } from './support/side-by-side.js';

const REASON = 'the reason that the operator gives';
const SHORT = { MLCC_SET_DEPLOY_TIMEOUT: '2' };

let cli: CompiledCli;

/** The targets, each by one way: what happens on the cluster does not depend on how one came there. */
const subjects = kubeSubjects().filter(({ way }) => way !== 'current context');
const ofOperator = subjects.filter(({ target }) => target.workload === 'inference-endpoint-config');

describeWithMoto(['aws', 'python3', 'kubectl'], 'Deployments on Kubernetes that go another way', () => {
  beforeAll(() => {
    cli = new CompiledCli();
  });
  afterAll(() => cli?.remove());

  const about = (title: string, list: readonly KubeSubject[], work: (stage: KubeStage) => Promise<void>) =>
    list.map((subject) => [`${title}: ${subject.title}`, on(subject, work)] as const);
  testSideBySide(2, [
    ...about('[C30] pods that the cluster has no room for', subjects, hasNoRoom),
    ...about('an update that does not come up', subjects, failsToUpdate),
    ...about('the operator gives up, or never ends', ofOperator, isGivenUp),
    ...about('a deletion that fails, or never ends', ofOperator, isNotDeleted),
    ...about('others in the namespace', subjects.filter(bringsItsNamespace).slice(0, 1), sharesItsNamespace),
    ...about('two projects on one cluster', subjects.slice(0, 1), hasANeighbour),
    ...about('what cannot be deployed is refused before anything is made', subjects, isRefused),
    ['the way from a HyperPod cluster', on(kubeSubject('HyperPod cluster'), hasNoCluster)],
  ]);
});

function on(subject: KubeSubject, work: (stage: KubeStage) => Promise<void>) {
  return async (cloud: EmulatedAws): Promise<void> => {
    const stage = await KubeStage.set(cloud, cli, subject);
    try {
      await work(stage);
    } finally {
      await stage.remove();
    }
  };
}

/** The run ended badly, with a reason, and the status says what is the case. */
function hasFailed(stage: KubeStage, run: Run, status: string, ...says: string[]): void {
  expect({ code: run.code, left: run.left, status: stage.status }).toEqual({ code: 1, left: [], status });
  for (const text of says) expect(run.stderr).toContain(text);
  expect(run.stderr).toMatch(/^-> /m);
  expect(run.stderr).not.toMatch(/line \d+:/);
  expect(stage.unrecorded()).toEqual([]);
}

async function isCleaned(stage: KubeStage): Promise<void> {
  await stage.place.project.must('clean', ['--yes']);
  await stage.place.untilAsBefore(stage.before);
  expect(stage.records).toEqual([]);
}

async function hasNoRoom(stage: KubeStage): Promise<void> {
  const run = await stage.run('deploy', ['--set', 'HP_GPU_COUNT=16'], SHORT);
  hasFailed(stage, run, 'Failed', 'Insufficient nvidia.com/gpu', 'FailedScheduling');
  // The pods themselves are shown, whoever has made them.
  expect(run.stderr).toMatch(/^demo-\S+ +/m);
  const { stdout } = await stage.run('status', ['--json']);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ status: 'Failed', live: expect.stringMatching(/Pending|Failed|InProgress/) }),
  );
  await stage.place.project.must('deploy');
  expect(stage.status).toBe(stage.place.subject.target.success_status);
  await isCleaned(stage);
}

async function failsToUpdate(stage: KubeStage): Promise<void> {
  const { project, api, subject } = stage.place;
  await project.must('deploy');
  const isNew = (pod: object) => JSON.stringify(pod).includes(image('b'));
  api.plans.pods((pod) => (isNew(pod) ? { kind: 'crash-loop', exitCode: 3 } : undefined));
  const run = await stage.run('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`], SHORT);
  // The pods of before still serve, unless the operator has given up on all of it.
  const after = subject.target.workload === 'deployment' ? subject.target.success_status : stage.status;
  hasFailed(stage, run, after, `--set ECR_IMAGE_URI=${image('a')} goes back`);
  await project.must('deploy', ['--set', `ECR_IMAGE_URI=${image('a')}`]);
  expect(stage.place.images()).toEqual([image('a')]);
  expect(stage.status).toBe(subject.target.success_status);
  await isCleaned(stage);
}

async function isGivenUp(stage: KubeStage): Promise<void> {
  const { api } = stage.place;
  api.plans.endpoints({ deploy: 'failed', message: REASON });
  hasFailed(stage, await stage.run('deploy', []), 'Failed', 'DeploymentFailed', REASON);
  await isCleaned(stage);
  api.plans.endpoints({ deploy: 'never' });
  hasFailed(stage, await stage.run('deploy', [], SHORT), 'Failed', 'still Deployment', 'DEPLOY_TIMEOUT');
  api.plans.clear();
  await isCleaned(stage);
}

async function isNotDeleted(stage: KubeStage): Promise<void> {
  const { api, project } = stage.place;
  await project.must('deploy');
  stage.keep();
  api.plans.endpoints({ deletion: 'failed', message: REASON });
  hasFailed(stage, await stage.run('clean', ['--yes']), 'Deleting', 'DeletionFailed', REASON);
  await stage.goBack();
  api.plans.endpoints({ deletion: 'never' });
  hasFailed(stage, await stage.run('clean', ['--yes'], SHORT), 'Deleting', 'is not gone after 2 s');
  await stage.goBack();
  api.plans.clear();
  await isCleaned(stage);
}

async function sharesItsNamespace(stage: KubeStage): Promise<void> {
  const { api, project, subject } = stage.place;
  await project.must('deploy');
  const namespace = subject.settings.HP_NAMESPACE ?? '';
  const claim = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
  };
  api.objects.create('PersistentVolumeClaim', { metadata: { name: 'theirs', namespace }, spec: claim });
  const said = await project.must('clean', ['--yes']);
  expect(said).toMatch(/stays: others use it.*theirs/);
  expect(stage.added()).toEqual([`Namespace /${namespace}`, `PersistentVolumeClaim ${namespace}/theirs`]);
  expect(stage.records).toEqual([]);
}

async function hasANeighbour(stage: KubeStage): Promise<void> {
  const { place } = stage;
  await place.project.must('deploy');
  const alone = place.objects();
  const neighbour = place.neighbour(cli, place.subject, 'other');
  try {
    await neighbour.project.must('deploy');
    await neighbour.project.must('clean', ['--yes']);
    await place.untilAsBefore(alone);
    await neighbour.project.must('deploy');
    const said = await place.project.must('clean', ['--yes']);
    expect(said).toMatch(/stays: others use it/);
    expect(stage.added().filter((name) => name.includes('demo-'))).toEqual([]);
    await neighbour.project.must('deploy');
    await neighbour.project.must('clean', ['--yes']);
  } finally {
    neighbour.project.remove();
  }
}

async function isRefused(stage: KubeStage): Promise<void> {
  const { api, project, subject } = stage.place;
  const overlays = join(project.project.dir, 'do/overlays', subject.target.target);
  mkdirSync(overlays, { recursive: true });
  writeFileSync(join(overlays, 'deployment.json'), '{}');
  const overlaid = await stage.run('deploy', []);
  expect([overlaid.code, stage.status]).toEqual([2, '']);
  expect(overlaid.stderr).toContain('Kubernetes objects have no overlays');
  rmSync(overlays, { recursive: true });
  const nowhere = await stage.run('deploy', [], { MLCC: '/nowhere/mlcc' });
  expect([nowhere.code, stage.status]).toEqual([1, '']);
  expect(nowhere.stderr).toContain('mlcc');
  expect([stage.added(), api.log.entries]).toEqual([[], []]);
}

async function hasNoCluster(stage: KubeStage): Promise<void> {
  const run = await stage.run('deploy', ['--set', 'HP_CLUSTER_NAME=unheard-of']);
  expect([run.code, stage.status]).toEqual([1, '']);
  expect(run.stderr).toContain('there is no HyperPod cluster unheard-of');
  const denied = stage.place.cloud.aws.fault({
    service: 'eks',
    operation: 'DescribeCluster',
    times: Number.POSITIVE_INFINITY,
    fault: 'access-denied',
  });
  hasFailed(stage, await stage.run('deploy', []), 'Failed', 'not authorized');
  denied();
  stage.place.project.set({ HP_NAMESPACE: GIVEN_NAMESPACE });
  await stage.place.project.must('deploy');
  await isCleaned(stage);
}
