import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type KubeApi, type KubeObject, startKubeApi } from '../support/kube-api/index.js';
import { valueAt } from '../support/kube-api/json.js';
import {
  apply,
  configMap,
  create,
  deployment,
  endpointConfig,
  get,
  type Manifest,
  pathOf,
  pod,
  send,
} from './client.js';

let api: KubeApi;
beforeEach(async () => {
  api = await startKubeApi({ clock: 'manual' });
});
afterEach(() => api.stop());

const pods = () => api.objects.list('Pod', 'default');
const phase = (name: string) => valueAt(api.objects.get('Pod', 'default', name), 'status', 'phase');
const containerState = (object: KubeObject | undefined) =>
  valueAt(object, 'status', 'containerStatuses', 0, 'state');
const reasons = (name: string) =>
  api.objects
    .list('Event', 'default')
    .filter((event) => valueAt(event, 'involvedObject', 'name') === name)
    .map((event) => event.reason);
// biome-ignore lint/suspicious/noExplicitAny: conditions are read freely
const condition = (object: KubeObject | undefined, type: string): any =>
  ((valueAt(object, 'status', 'conditions') ?? []) as { type: string }[]).find(
    (entry) => entry.type === type,
  );
const state = (name: string) =>
  valueAt(api.objects.get('InferenceEndpointConfig', 'default', name), 'status', 'state');

describe('a Pod', () => {
  test('is scheduled, started, then ready, each in its time', async () => {
    await create(api, pod('p'));
    expect(phase('p')).toBeUndefined();
    api.clock.advance(1);
    expect([phase('p'), condition(api.objects.get('Pod', 'default', 'p'), 'PodScheduled').status]).toEqual([
      'Pending',
      'True',
    ]);
    api.clock.advance(1);
    expect([phase('p'), condition(api.objects.get('Pod', 'default', 'p'), 'Ready').status]).toEqual([
      'Running',
      'False',
    ]);
    api.clock.advance(2);
    expect(condition(api.objects.get('Pod', 'default', 'p'), 'Ready').status).toBe('True');
    expect(reasons('p')).toEqual(expect.arrayContaining(['Scheduled', 'Started']));
  });

  test('[C30] stays pending for lack of GPUs, with the event that says so, until there is room', async () => {
    const gpus = (count: number) => ({ resources: { limits: { 'nvidia.com/gpu': count } } });
    await create(api, pod('big', gpus(5)));
    api.clock.advance(60);
    await create(api, pod('late', gpus(4)));
    api.clock.advance(60);
    expect([phase('big'), phase('late')]).toEqual(['Running', 'Pending']);
    const late = api.objects.get('Pod', 'default', 'late');
    expect(condition(late, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(condition(late, 'PodScheduled').message).toContain(
      '0/1 nodes are available: 1 Insufficient nvidia.com/gpu',
    );
    expect(reasons('late')).toEqual(['FailedScheduling']);
    await send(api, 'DELETE', `${pathOf('Pod')}/big`);
    api.clock.advance(60);
    expect(phase('late')).toBe('Running');
  });

  test('goes only to a node that its selector and affinity allow', async () => {
    const avoid = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['node-1'] }] },
          ],
        },
      },
    };
    await create(api, pod('selects', {}, { nodeSelector: { disk: 'fast' } }));
    await create(api, pod('avoids', {}, { affinity: avoid }));
    await create(api, pod('stays', {}, { nodeSelector: { 'kubernetes.io/arch': 'amd64' } }));
    api.clock.advance(60);
    expect([phase('selects'), phase('avoids'), phase('stays')]).toEqual(['Pending', 'Pending', 'Running']);
    const { body } = await get(api, 'Pod', 'avoids');
    expect(body.status.conditions[0].message).toContain("didn't match Pod's node affinity/selector");
  });

  test('waits with CreateContainerConfigError for a secret, and starts when it comes', async () => {
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hf', key: 'token' } } }];
    await create(api, pod('needs', { env }));
    api.clock.advance(60);
    expect(containerState(api.objects.get('Pod', 'default', 'needs'))).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'secret "hf" not found' },
    });
    const secret: Manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hf' },
      stringData: { other: 'x' },
    };
    await create(api, secret);
    api.clock.advance(60);
    expect(JSON.stringify(containerState(api.objects.get('Pod', 'default', 'needs')))).toContain(
      "couldn't find key token",
    );
    await apply(api, { ...secret, stringData: { token: 'x' } }, 'force=true');
    api.clock.advance(60);
    expect(phase('needs')).toBe('Running');
  });

  test('waits for the ConfigMap of a volume and for its claim', async () => {
    await create(api, pod('mounts', {}, { volumes: [{ name: 'v', configMap: { name: 'pack' } }] }));
    await create(
      api,
      pod('claims', {}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }] }),
    );
    api.clock.advance(60);
    expect([phase('mounts'), phase('claims')]).toEqual(['Pending', 'Pending']);
    expect(reasons('mounts')).toContain('FailedMount');
    await create(api, configMap('pack', {}));
    await create(api, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    api.clock.advance(60);
    expect([phase('mounts'), phase('claims')]).toEqual(['Running', 'Running']);
    expect(valueAt(api.objects.get('PersistentVolumeClaim', 'default', 'disk'), 'status', 'phase')).toBe(
      'Bound',
    );
  });

  test.each([
    ['Never', 0, 'Succeeded'],
    ['Never', 3, 'Failed'],
    ['OnFailure', 0, 'Succeeded'],
    ['OnFailure', 3, 'Running'],
  ])('with restart policy %s that exits with %i ends as %s', async (restartPolicy, exitCode, expected) => {
    api.plans.pods({ kind: 'exits', exitCode, afterSeconds: 5 });
    await create(api, pod('run', {}, { restartPolicy }));
    api.clock.advance(6);
    expect(phase('run')).toBe('Running');
    api.clock.advance(2);
    expect(phase('run')).toBe(expected);
    const { body } = await get(api, 'Pod', 'run');
    const [status] = body.status.containerStatuses;
    expect((status.state.terminated ?? status.lastState.terminated).exitCode).toBe(exitCode);
  });

  test('crashes in a loop: restarts are counted, the back-off is visible', async () => {
    api.plans.pods((object) =>
      object.metadata.name === 'bad' ? { kind: 'crash-loop', exitCode: 137 } : undefined,
    );
    await create(api, pod('bad'));
    await create(api, pod('good'));
    api.clock.advance(5);
    expect(containerState(api.objects.get('Pod', 'default', 'bad'))).toEqual({
      waiting: { reason: 'CrashLoopBackOff' },
    });
    api.clock.advance(600);
    const { body } = await get(api, 'Pod', 'bad');
    expect(body.status.containerStatuses[0]).toMatchObject({
      restartCount: 3,
      ready: false,
      lastState: { terminated: { exitCode: 137 } },
    });
    expect(condition(api.objects.get('Pod', 'default', 'good'), 'Ready').status).toBe('True');
  });

  test.each([
    [{ kind: 'not-ready' } as const, 'Running'],
    [{ kind: 'image-error' } as const, 'Pending'],
    [{ kind: 'unschedulable', message: 'no room today' } as const, 'Pending'],
  ])('planned as %j never becomes ready', async (plan, expected) => {
    api.plans.pods(plan);
    await create(api, pod('p'));
    api.clock.advance(600);
    expect(phase('p')).toBe(expected);
    expect(condition(api.objects.get('Pod', 'default', 'p'), 'Ready')?.status).not.toBe('True');
  });

  test('ends in its grace period, at once when forced or never started, and never when planned so', async () => {
    await create(api, pod('slow'));
    await create(api, pod('forced'));
    await create(api, pod('stuck'));
    api.plans.pods((object) =>
      object.metadata.name === 'stuck' ? { kind: 'ready', deletion: 'never' } : undefined,
    );
    api.clock.advance(10);
    await create(api, pod('unborn'));
    const codes: unknown[] = [];
    for (const [name, options] of [
      ['slow', {}],
      ['forced', { gracePeriodSeconds: 0 }],
      ['stuck', {}],
      ['unborn', {}],
    ] as const) {
      await send(api, 'DELETE', `${pathOf('Pod')}/${name}`, options);
      codes.push((await get(api, 'Pod', name)).code);
    }
    expect(codes).toEqual([200, 404, 200, 404]);
    expect((await get(api, 'Pod', 'slow')).body.metadata.deletionGracePeriodSeconds).toBe(30);
    api.clock.advance(60);
    expect(pods().map(({ metadata }) => metadata.name)).toEqual(['stuck']);
  });
});

test('what was to happen to an object does not happen to a later one of its name', async () => {
  const claim: Manifest = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'disk' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const phaseOfClaim = () =>
    valueAt(api.objects.get('PersistentVolumeClaim', 'default', 'disk'), 'status', 'phase');
  await create(api, claim);
  api.clock.advance(0.5);
  await send(api, 'DELETE', `${pathOf('PersistentVolumeClaim')}/disk`);
  await create(api, claim);
  api.clock.advance(0.6);
  expect(phaseOfClaim()).toBe('Pending');
  api.clock.advance(0.6);
  expect(phaseOfClaim()).toBe('Bound');
});

describe('a Deployment', () => {
  const status = () =>
    api.objects.get('Deployment', 'default', 'web')?.status as Record<string, unknown> | undefined;

  test('makes its Pods and is complete once they are ready', async () => {
    await create(api, deployment('web', {}, { replicas: 2 }));
    await Promise.resolve();
    expect(condition(api.objects.get('Deployment', 'default', 'web'), 'Available').status).toBe('False');
    api.clock.advance(10);
    expect(status()).toMatchObject({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
    });
    expect(condition(api.objects.get('Deployment', 'default', 'web'), 'Progressing').reason).toBe(
      'NewReplicaSetAvailable',
    );
    const [first] = pods();
    expect(first?.metadata.ownerReferences?.[0]?.kind).toBe('ReplicaSet');
    expect(first?.metadata.labels).toMatchObject({ app: 'web', 'pod-template-hash': expect.any(String) });
  });

  test('replaces its Pods without going below what it may lack', async () => {
    await apply(api, deployment('web', {}, { replicas: 4 }));
    api.clock.advance(60);
    await apply(api, deployment('web', { image: 'registry.test/app:2' }, { replicas: 4 }));
    let lowest = 4;
    for (let second = 0; second < 60; second += 1) {
      api.clock.advance(1);
      const ready = pods().filter(
        (object) => !object.metadata.deletionTimestamp && condition(object, 'Ready')?.status === 'True',
      );
      lowest = Math.min(lowest, ready.length);
      expect(pods().filter((object) => !object.metadata.deletionTimestamp).length).toBeLessThanOrEqual(5);
    }
    expect(lowest).toBe(3);
    expect(pods().map((object) => valueAt(object, 'spec', 'containers', 0, 'image'))).toEqual(
      Array(4).fill('registry.test/app:2'),
    );
    expect(status()).toMatchObject({ observedGeneration: 2, updatedReplicas: 4 });
  });

  test('recreates: all old Pods are gone before the first new one', async () => {
    const recreate = { strategy: { type: 'Recreate' } };
    await apply(api, deployment('web', {}, recreate));
    api.clock.advance(60);
    await apply(api, deployment('web', { image: 'registry.test/app:2' }, recreate));
    await Promise.resolve();
    const images = () => new Set(pods().map((object) => valueAt(object, 'spec', 'containers', 0, 'image')));
    for (let second = 0; second < 20; second += 1) {
      expect(images().size).toBeLessThanOrEqual(1);
      api.clock.advance(1);
    }
    expect([...images()]).toEqual(['registry.test/app:2']);
  });

  test('[C30] says that it got nowhere in time when no Pod becomes ready', async () => {
    api.plans.pods({ kind: 'crash-loop' });
    await create(api, deployment('web', {}, { progressDeadlineSeconds: 120 }));
    api.clock.advance(119);
    expect(condition(api.objects.get('Deployment', 'default', 'web'), 'Progressing').status).toBe('True');
    api.clock.advance(2);
    const progressing = condition(api.objects.get('Deployment', 'default', 'web'), 'Progressing');
    expect([progressing.status, progressing.reason]).toEqual(['False', 'ProgressDeadlineExceeded']);
  });

  test('whose Pods are refused shows why', async () => {
    const spec = deployment('web').spec;
    spec.template.spec.serviceAccountName = 'ghost';
    await create(api, deployment('web', {}, spec));
    api.clock.advance(5);
    expect(condition(api.objects.get('Deployment', 'default', 'web'), 'ReplicaFailure').message).toContain(
      'ghost',
    );
    expect(api.objects.list('Event').map((event) => event.reason)).toContain('FailedCreate');
  });

  test('a Pod taken away comes back', async () => {
    await create(api, deployment('web'));
    api.clock.advance(10);
    const [first] = pods();
    await send(api, 'DELETE', `${pathOf('Pod')}/${first?.metadata.name}`);
    api.clock.advance(10);
    expect(pods()).toHaveLength(1);
    expect(pods()[0]?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  const left = () =>
    api.store.all().filter(({ object }) => ['Deployment', 'ReplicaSet', 'Pod'].includes(object.kind)).length;

  test('deleted in the background takes its dependents along', async () => {
    await create(api, deployment('web'));
    api.clock.advance(10);
    await send(api, 'DELETE', `${pathOf('Deployment')}/web`);
    expect((await get(api, 'Deployment', 'web')).code).toBe(404);
    api.clock.advance(10);
    expect(left()).toBe(0);
  });

  test('deleted in the foreground goes after its dependents', async () => {
    await create(api, deployment('web'));
    api.clock.advance(10);
    await send(api, 'DELETE', `${pathOf('Deployment')}/web`, { propagationPolicy: 'Foreground' });
    expect((await get(api, 'Deployment', 'web')).body.metadata.finalizers).toEqual(['foregroundDeletion']);
    api.clock.advance(10);
    expect(left()).toBe(0);
  });

  test('deleted as orphaning leaves them', async () => {
    await create(api, deployment('web'));
    api.clock.advance(10);
    await send(api, 'DELETE', `${pathOf('Deployment')}/web`, { propagationPolicy: 'Orphan' });
    api.clock.advance(10);
    expect((await get(api, 'Deployment', 'web')).code).toBe(404);
    expect([pods().length, api.objects.list('ReplicaSet')[0]?.metadata.ownerReferences]).toEqual([1, []]);
  });
});

describe('an InferenceEndpointConfig', () => {
  test('goes through its states to complete, with the generation that it has seen', async () => {
    await create(api, endpointConfig('m', { endpointName: 'm-endpoint' }));
    const seen: unknown[] = [];
    for (let second = 0; second < 20; second += 1) {
      api.clock.advance(1);
      if (seen.at(-1) !== state('m')) seen.push(state('m'));
    }
    expect(seen).toEqual(['DeploymentPending', 'DeploymentInProgress', 'DeploymentComplete']);
    const { body } = await get(api, 'InferenceEndpointConfig', 'm');
    expect(body.status).toMatchObject({
      observedGeneration: 1,
      endpoints: { sagemaker: { state: 'CreationCompleted' } },
    });
    const [worker] = pods();
    expect(worker?.metadata.labels?.app).toBe('m');
    expect(valueAt(worker, 'spec', 'containers', 0, 'image')).toBe('registry.test/serve:1');
  });

  test('a new generation is deployed anew; while it is not, the observed generation tells', async () => {
    await apply(api, endpointConfig('m'));
    api.clock.advance(20);
    const worker = { ...endpointConfig('m').spec.worker, image: 'registry.test/serve:2' };
    const { body } = await apply(api, endpointConfig('m', { worker }));
    expect([body.metadata.generation, body.status.observedGeneration, body.status.state]).toEqual([
      2,
      1,
      'DeploymentComplete',
    ]);
    api.clock.advance(60);
    const after = (await get(api, 'InferenceEndpointConfig', 'm')).body.status;
    expect([after.observedGeneration, after.state]).toEqual([2, 'DeploymentComplete']);
    expect(pods().map((object) => valueAt(object, 'spec', 'containers', 0, 'image'))).toEqual([
      'registry.test/serve:2',
    ]);
  });

  test('a change that leaves the Pods alone is complete as well', async () => {
    await apply(api, endpointConfig('m'));
    api.clock.advance(20);
    await apply(api, endpointConfig('m', { invocationEndpoint: 'invocations' }));
    api.clock.advance(20);
    expect((await get(api, 'InferenceEndpointConfig', 'm')).body.status).toMatchObject({
      observedGeneration: 2,
      state: 'DeploymentComplete',
    });
  });

  test('fails with the planned reason', async () => {
    api.plans.endpoints({ deploy: 'failed', message: 'no capacity for ml.g5.2xlarge' });
    await create(api, endpointConfig('m'));
    api.clock.advance(20);
    const { body } = await get(api, 'InferenceEndpointConfig', 'm');
    expect(body.status.state).toBe('DeploymentFailed');
    expect(JSON.stringify(body.status.conditions)).toContain('no capacity for ml.g5.2xlarge');
  });

  test('[C46] fails when the cluster refuses its worker', async () => {
    const worker = { ...endpointConfig('m').spec.worker, environmentVariables: [{ name: '4K', value: 'x' }] };
    await create(api, endpointConfig('m', { worker }));
    api.clock.advance(20);
    const { body } = await get(api, 'InferenceEndpointConfig', 'm');
    expect(body.status.state).toBe('DeploymentFailed');
    expect(JSON.stringify(body.status.conditions)).toContain('a valid environment variable name');
  });

  test('fails when its Pods are not ready in the time it allows', async () => {
    const resources = { limits: { 'nvidia.com/gpu': 9 } };
    const worker = { ...endpointConfig('m').spec.worker, resources };
    await create(api, endpointConfig('m', { worker, maxDeployTimeInSeconds: 90 }));
    api.clock.advance(89);
    expect(state('m')).toBe('DeploymentInProgress');
    api.clock.advance(5);
    expect(state('m')).toBe('DeploymentFailed');
  });

  test('a state that never ends', async () => {
    api.plans.endpoints({ deploy: 'never' });
    await create(api, endpointConfig('m'));
    api.clock.advance(100_000);
    expect(state('m')).toBe('DeploymentInProgress');
  });

  test('is deleted by way of its states, with all it made', async () => {
    await create(api, endpointConfig('m'));
    api.clock.advance(20);
    await send(api, 'DELETE', `${pathOf('InferenceEndpointConfig')}/m`);
    await Promise.resolve();
    const seen = [state('m')];
    api.clock.advance(1);
    seen.push(state('m'));
    expect(seen).toEqual(['DeletionPending', 'DeletionInProgress']);
    api.clock.advance(20);
    expect(api.objects.get('InferenceEndpointConfig', 'default', 'm')).toBeUndefined();
    expect(pods()).toEqual([]);
  });

  test.each([
    ['failed', 'DeletionFailed'],
    ['never', 'DeletionInProgress'],
  ] as const)('a deletion planned as %s stays as %s', async (deletion, expected) => {
    api.plans.endpoints({ deletion });
    await create(api, endpointConfig('m'));
    api.clock.advance(20);
    await send(api, 'DELETE', `${pathOf('InferenceEndpointConfig')}/m`);
    api.clock.advance(100);
    expect(state('m')).toBe(expected);
  });
});

test('the automatic clock needs nobody to push it, nor can it be', async () => {
  const automatic = await startKubeApi();
  try {
    expect(() => automatic.clock.advance(1)).toThrow('only a manual clock');
    await create(automatic, deployment('web'));
    const ready = () =>
      valueAt(automatic.objects.get('Deployment', 'default', 'web'), 'status', 'readyReplicas') === 1;
    for (let tries = 0; tries < 500 && !ready(); tries += 1)
      await new Promise((done) => setTimeout(done, 10));
    expect(ready()).toBe(true);
  } finally {
    await automatic.stop();
  }
});
