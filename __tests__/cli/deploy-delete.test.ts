import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { KUBERNETES_TARGETS, LOOP, PLAYBOOK, targetWith, Workplace } from './support/deployments.js';

let api: KubeApi;
let place: Workplace;
beforeEach(async () => {
  const labels = { 'node.kubernetes.io/instance-type': 'ml.g5.2xlarge' };
  api = await startKubeApi({ namespaces: ['loops', 'rig', 'serving'], nodes: [{ labels }] });
  api.objects.create('ServiceAccount', { metadata: { name: 'runner', namespace: 'loops' } });
  place = new Workplace(api);
});
afterEach(async () => {
  place.remove();
  await api.stop();
});

const deleteRun = (args: readonly string[] = []) => place.mlcc(['deploy', 'delete', ...place.run, ...args]);
/** What of a deployment is left, other than the events about it. */
const leftOf = (partOf: string) =>
  api.store
    .all()
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/part-of'] === partOf)
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);

describe.each(KUBERNETES_TARGETS.map(({ target }) => target))('a project for %s', (target) => {
  test('is deleted with all that belongs to it, until it is gone; a second time there is nothing to do', async () => {
    const dir = place.project(target);
    await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin', '--wait']);
    expect(leftOf('chat')).not.toEqual([]);
    const first = await place.mlcc(['deploy', 'delete', '--project', dir]);
    expect([first.code, leftOf('chat'), api.objects.list('Pod', 'serving')]).toEqual([0, [], []]);
    expect(first.stdout).toContain(`chat-${target} in namespace serving: deleted\n`);
    expect(await place.mlcc(['deploy', 'delete', '--project', dir])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'mlcc: there was nothing to delete\n',
    });
  });

  test('can be deleted whatever has become of the settings that only a render needs', async () => {
    const dir = place.project(target);
    await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin']);
    const { code } = await place.mlcc(['deploy', 'delete', '--project', dir], {
      MLCC_SET_ECR_IMAGE_URI: '',
      MLCC_SET_MODEL_NAME: '',
      MLCC_SET_HP_REPLICAS: 'many',
    });
    expect([code, leftOf('chat')]).toEqual([0, []]);
  });
});

test('a run is deleted with every pack that it was ever delivered by, and no other run’s', async () => {
  await place.applyRun([...LOOP, '--pack']);
  writeFileSync(join(place.dir, 'tuning', 'notes.md'), 'more');
  await place.applyRun([...LOOP, '--pack', '--replace']);
  writeFileSync(join(place.dir, 'tuning', 'notes.md'), 'still more');
  await place.applyRun([...PLAYBOOK, '--pack']);
  expect(leftOf('tuning').filter((name) => name.startsWith('ConfigMap/'))).toHaveLength(3);
  expect((await deleteRun(LOOP)).code).toBe(0);
  expect(leftOf('tuning').sort()).toEqual([
    expect.stringMatching(/^ConfigMap\/tuning-pack-/),
    'Pod/tuning-playbook',
    'RoleBinding/tuning-playbook-loops-edit',
  ]);
  expect((await deleteRun(['--playbook'])).code).toBe(0);
  expect(leftOf('tuning')).toEqual([]);
});

test('the command line that applied deletes too', async () => {
  expect((await place.applyRun()).code).toBe(0);
  const line = [...place.run, ...LOOP, '--pack', '--lock', 'mlcc.lock.json', '--offline'];
  const { code, stdout, stderr } = await place.mlcc(['deploy', 'delete', ...line]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('deleting pod/tuning-loop') });
  expect(stdout).toContain('pod/tuning-loop in namespace loops: deleted');
});

test('an object of somebody else under our name is left alone, and nothing is deleted', async () => {
  await place.applyRun();
  const ours = api.objects.get('Pod', 'loops', 'tuning-loop');
  if (!ours) throw new Error('no Pod');
  api.objects.update(ours, ({ metadata }) => {
    metadata.labels = { ...metadata.labels, 'app.kubernetes.io/managed-by': 'helm' };
  });
  const before = leftOf('tuning');
  const { code, stderr } = await deleteRun();
  expect([code, leftOf('tuning')]).toEqual([1, before]);
  expect(stderr).toContain('pod/tuning-loop in namespace loops is managed by helm for tuning');
});

test('another project’s object under our name is left alone too; without labels the manager says whose it is', async () => {
  await place.applyRun();
  const live = () => api.objects.get('Pod', 'loops', 'tuning-loop') as never;
  api.objects.update(live(), ({ metadata }) => {
    metadata.labels = { ...metadata.labels, 'app.kubernetes.io/part-of': 'other' };
  });
  expect(await deleteRun()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is managed by mlcc for other'),
  });
  api.objects.update(live(), ({ metadata }) => {
    delete metadata.labels;
  });
  expect((await deleteRun()).code).toBe(0);
});

test('what does not go in time is an error that says what holds it', async () => {
  await place.applyRun();
  const live = api.objects.get('Pod', 'loops', 'tuning-loop') as never;
  api.objects.update(live, ({ metadata }) => {
    metadata.finalizers = ['example.com/keeper'];
  });
  const { code, stderr } = await deleteRun(['--timeout', '1s']);
  expect(code).toBe(1);
  expect(stderr).toContain('pod/tuning-loop in namespace loops is not gone after 1 s');
  expect(stderr).toContain('held by example.com/keeper');
});

test('a deletion that the operator gives up is an error with its reason', async () => {
  const { target } = targetWith('inference-endpoint-config');
  const dir = place.project(target);
  await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin', '--wait']);
  api.plans.endpoints({ deletion: 'failed', message: 'the endpoint is in use' });
  const { code, stderr } = await place.mlcc(['deploy', 'delete', '--project', dir]);
  expect(code).toBe(1);
  expect(stderr).toContain('DeletionFailed\n');
  expect(stderr).toContain('the endpoint is in use');
});

test('a cluster that does not know the kind holds nothing to delete', async () => {
  const dir = place.project(targetWith('inference-endpoint-config').target);
  api.faults.add({
    path: /\/apis\/inference\.[^/]+\/v1$/,
    action: { kind: 'status', code: 404, reason: 'NotFound' },
  });
  expect((await place.mlcc(['deploy', 'delete', '--project', dir])).code).toBe(0);
  const applied = await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin']);
  expect([applied.code, applied.stderr]).toEqual([
    1,
    expect.stringContaining('does not know InferenceEndpointConfig'),
  ]);
});

test('an object that is replaced meanwhile is not deleted', async () => {
  await place.applyRun();
  api.faults.add({
    method: 'DELETE',
    path: 'pods/tuning-loop',
    action: {
      kind: 'status',
      code: 409,
      reason: 'Conflict',
      message: 'Precondition failed: UID in precondition',
    },
  });
  expect(await deleteRun()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Precondition failed'),
  });
  const sent = api.log.entries.find(({ method }) => method === 'DELETE');
  expect(JSON.parse(sent?.body ?? '{}').preconditions.uid).toBe(
    api.objects.get('Pod', 'loops', 'tuning-loop')?.metadata.uid,
  );
});

test('a manifest or profile that does not say what the run is called is an error', async () => {
  mkdirSync(join(place.dir, 'tuning'), { recursive: true });
  place.writeRun({ profile: '[cluster]\nloop_namespace = "loops"\n' });
  expect(await deleteRun()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('set `rig_namespace` in [cluster]'),
  });
});
