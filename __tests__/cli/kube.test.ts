import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { create, deployment, endpointConfig, pod, send } from '../kube-api/client.js';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { Workplace } from './support/deployments.js';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into objects of several kinds
type Looked = Record<string, any>;

let api: KubeApi;
let place: Workplace;
beforeEach(async () => {
  api = await startKubeApi();
  place = new Workplace(api);
});
afterEach(async () => {
  place.remove();
  await api.stop();
});

const kube = (...args: string[]) => place.mlcc(['kube', ...args]);
const live = (kind: string, name: string) => api.objects.get(kind, 'default', name) as unknown as Looked;
const ready = (name: string) => kube('rollout-status', name);
const twoContainers = () => {
  const two = deployment('two');
  two.spec.template.spec.containers.push({ name: 'side', image: 'registry.test/side:1' });
  return two;
};

describe('set-image and current-image', () => {
  test('of the only container, of a named one, of an endpoint', async () => {
    await create(api, deployment('app'));
    await create(api, twoContainers());
    await create(api, endpointConfig('model'));
    expect(await kube('set-image', 'app', 'registry.test/app:2')).toMatchObject({
      code: 0,
      stdout: 'deployment/app in namespace default: image set to registry.test/app:2\n',
    });
    expect((await kube('current-image', 'app')).stdout).toBe('registry.test/app:2\n');
    expect((await kube('set-image', 'two', 'side=registry.test/side:2')).code).toBe(0);
    expect((await kube('current-image', 'deployment/two', '-c', 'side')).stdout).toBe(
      'registry.test/side:2\n',
    );
    expect((await kube('current-image', 'two', '-c', 'main')).stdout).toBe('registry.test/app:1\n');
    expect((await kube('set-image', 'inferenceendpointconfig/model', 'registry.test/serve:2')).code).toBe(0);
    expect((await kube('current-image', 'inferenceendpointconfig/model')).stdout).toBe(
      'registry.test/serve:2\n',
    );
    const managers = live('Deployment', 'app').metadata.managedFields.map(
      ({ manager }: { manager: string }) => manager,
    );
    expect(managers).toContain('mlcc-kube');
  });

  test.each<[string, string[], string, number]>([
    ['several containers', ['set-image', 'two', 'registry.test/a:1'], 'has several containers', 2],
    [
      'a container that is not there',
      ['set-image', 'two', 'none=registry.test/a:1'],
      'has no container `none`',
      2,
    ],
    [
      'a workload that is not there',
      ['set-image', 'none', 'registry.test/a:1'],
      'there is no deployment/none in namespace default',
      1,
    ],
    [
      'a kind that has no image',
      ['set-image', 'service/a', 'registry.test/a:1'],
      'names nothing that this works on',
      2,
    ],
    ['a reference that is none', ['set-image', 'two', 'main=UPPER'], 'not a valid image reference', 2],
  ])('%s', async (_, args, message, exit) => {
    await create(api, twoContainers());
    api.log.clear();
    const { code, stderr } = await kube(...args);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
    expect(api.log.writes()).toEqual([]);
  });
});

test('set-pull-secret adds to a workload or a service account, and wants the secret to be there', async () => {
  await create(api, deployment('app'));
  const missing = await kube('set-pull-secret', 'app', 'pull');
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringContaining('there is no secret pull in namespace default'),
  ]);
  api.objects.create('Secret', { metadata: { name: 'pull', namespace: 'default' }, type: 'Opaque' } as never);
  expect((await kube('set-pull-secret', 'app', 'pull')).code).toBe(0);
  expect(live('Deployment', 'app').spec.template.spec.imagePullSecrets).toEqual([{ name: 'pull' }]);
  expect((await kube('set-pull-secret', 'serviceaccount/default', 'pull')).code).toBe(0);
  expect(live('ServiceAccount', 'default').imagePullSecrets).toEqual([{ name: 'pull' }]);
  const asked = api.log.entries.find(({ path }) => path.endsWith('/secrets/pull'));
  expect(asked?.accept).toContain('PartialObjectMetadata');
});

test('set-rolling-update sets one or both, and refuses what could replace no Pod', async () => {
  await create(api, deployment('app'));
  const { code, stdout } = await kube(
    'set-rolling-update',
    'app',
    '--max-surge',
    '0',
    '--max-unavailable',
    '50%',
  );
  expect([code, stdout]).toEqual([
    0,
    'deployment/app in namespace default: max surge 0, max unavailable 50%\n',
  ]);
  expect(live('Deployment', 'app').spec.strategy.rollingUpdate).toEqual({
    maxSurge: 0,
    maxUnavailable: '50%',
  });
  expect((await kube('set-rolling-update', 'app', '--max-unavailable', '0')).stderr).toContain(
    'no Pod can be replaced',
  );
  expect((await kube('set-rolling-update', 'app', '--max-surge', 'some')).stderr).toContain(
    'neither a number nor a percentage',
  );
  expect((await kube('set-rolling-update', 'app')).code).toBe(2);
});

test('rollout-restart makes new Pods; rollout-status waits for them; pod-name is one of them', async () => {
  await create(api, deployment('app'));
  expect(await ready('app')).toMatchObject({
    code: 0,
    stdout: 'deployment/app in namespace default: ready\n',
  });
  const before = await kube('pod-name', 'app');
  expect((await kube('rollout-restart', 'app')).code).toBe(0);
  expect((await ready('app')).code).toBe(0);
  const after = await kube('pod-name', 'app');
  expect(after.stdout).toMatch(/^app-\S+\n$/);
  expect(after.stdout).not.toBe(before.stdout);
  await send(
    api,
    'PATCH',
    '/apis/apps/v1/namespaces/default/deployments/app',
    { spec: { paused: true } },
    { type: 'application/merge-patch+json' },
  );
  expect(await kube('rollout-restart', 'app')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is paused'),
  });
});

test('[C30] rollout-status of what does not get ready fails with the Pods’ reasons; pod-name has no name to give', async () => {
  api.plans.pods({
    kind: 'unschedulable',
    message: '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.',
  });
  await create(api, deployment('app'));
  const { code, stdout, stderr } = await kube('rollout-status', 'app', '--timeout', '1s');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('Insufficient nvidia.com/gpu');
  const named = await kube('pod-name', 'app');
  expect([named.code, named.stdout]).toEqual([1, '']);
  expect(named.stderr).toContain('Insufficient nvidia.com/gpu');
});

describe('exec', () => {
  beforeEach(async () => {
    api.pods.add(() => true, {
      exec: async ({ command, container, stdin, stdout, stderr }) => {
        if (command[0] === 'cat') {
          for await (const chunk of stdin) stdout(chunk as Buffer);
          return 0;
        }
        if (command[0] === 'bytes') stdout(Buffer.from([0, 200, 10, 255]));
        else stdout(`${container}: ${command.join('|')}\n`);
        stderr('to the side\n');
        return command[0] === 'fail' ? 42 : 0;
      },
    });
    await create(api, pod('one'));
    await create(api, deployment('app'));
    await ready('app');
  });

  test('runs a command in a Pod or one of a Deployment, arguments as they are, and ends with its exit code', async () => {
    expect(await kube('exec', 'one', '--', 'ls', '-l', '--all', 'a b')).toMatchObject({
      code: 0,
      stdout: 'main: ls|-l|--all|a b\n',
      stderr: 'to the side\n',
    });
    expect((await kube('exec', 'deployment/app', '-c', 'main', '--', 'true')).code).toBe(0);
    expect((await kube('exec', 'one', '--', 'fail')).code).toBe(42);
  });

  test('hands standard input on only where that is asked for', async () => {
    const withInput = (args: string[]) => place.mlcc(['kube', 'exec', ...args], {}, 'some text');
    expect((await withInput(['-i', 'one', '--', 'cat'])).stdout).toBe('some text');
    expect((await withInput(['one', '--', 'cat'])).stdout).toBe('');
  });

  test('a command that cannot be started, and Pods that do not run, are clear errors', async () => {
    api.pods.add(() => true, {
      exec: () => {
        throw new Error('exec: "nope": executable file not found in $PATH');
      },
    });
    expect(await kube('exec', 'one', '--', 'nope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('executable file not found'),
    });
    expect(await kube('exec', 'none', '--', 'ls')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no pod/none'),
    });
    api.plans.pods({ kind: 'unschedulable', message: 'no node' });
    await create(api, pod('waiting'));
    expect(await kube('exec', 'waiting', '--', 'ls')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pod/waiting does not run'),
    });
    api.faults.add({ path: '/exec', action: { kind: 'status', code: 403, reason: 'Forbidden' } });
    expect(await kube('exec', 'one', '--', 'ls')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('running a command in pod/one is forbidden'),
    });
    api.faults.clear();
    api.faults.add({ path: '/exec', action: { kind: 'drop' } });
    expect(await kube('exec', 'one', '--', 'ls')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the connection to pod/one failed'),
    });
  });
});

describe('apply', () => {
  const apply = (text: string, ...args: string[]) => {
    writeFileSync(join(place.dir, 'objects.yaml'), text);
    return kube('apply', '-f', 'objects.yaml', ...args);
  };
  const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';

  test('creates, changes nothing, changes; lists and several documents; in the namespace that was asked for', async () => {
    const text = `${CONFIG}data: {A: "1"}\n---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: made}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b, namespace: made}\n`;
    expect(await apply(text)).toMatchObject({
      code: 0,
      stdout:
        'namespace/made: created\nconfigmap/a in namespace default: created\nconfigmap/b in namespace made: created\n',
    });
    expect((await apply(text)).stdout).toBe(
      'configmap/a in namespace default: unchanged\nnamespace/made: unchanged\nconfigmap/b in namespace made: unchanged\n',
    );
    expect((await apply(text.replace('"1"', '"2"'), '-n', 'made')).stdout).toContain(
      'configmap/a in namespace made: created',
    );
    expect((await place.mlcc(['kube', 'apply', '-f', '-'], {}, text.replace('"1"', '"2"'))).stdout).toContain(
      'configmap/a in namespace default: changed',
    );
  });

  test('a field that the kind does not know is refused with its name, and nothing is applied', async () => {
    const text = `${CONFIG}---\n${CONFIG.replace('name: a', 'name: b')}daat: {}\n`;
    const { code, stderr } = await apply(text);
    expect([code, api.log.writes()]).toEqual([1, []]);
    expect(stderr).toMatch(/daat/);
    expect(stderr).toContain('nothing was applied');
  });

  test('numbers and words mean what they mean to Kubernetes', async () => {
    const text = `apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  automountServiceAccountToken: no\n  containers: [{name: main, image: "r.test/a:1", args: ["22:22", 10:30]}]\n  volumes: [{name: v, secret: {secretName: s, defaultMode: 0644}}]\n`;
    expect(await apply(text)).toMatchObject({ code: 0 });
    expect(live('Pod', 'p').spec).toMatchObject({
      automountServiceAccountToken: false,
      containers: [{ args: ['22:22', '10:30'] }],
    });
    expect(live('Pod', 'p').spec.volumes[0].secret.defaultMode).toBe(420);
  });

  test.each<[string, string, string]>([
    ['no YAML', 'a: [', 'is not YAML'],
    ['nothing', '---\n', 'it is empty'],
    ['no object', '- a\n', 'object 1 is no map'],
    ['no name', 'apiVersion: v1\nkind: ConfigMap\n', 'object 1 has no metadata.name'],
  ])('a file with %s is a usage error', async (_, text, message) => {
    expect(await apply(text)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('a file must be named', async () => {
    expect((await kube('apply')).code).toBe(2);
    expect((await kube('apply', '-f', 'none.yaml')).code).toBe(2);
  });

  test('a kind that the cluster does not know is named', async () => {
    const { code, stderr } = await apply(
      CONFIG.replace('v1', 'example.com/v1').replace('ConfigMap', 'Thing'),
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not know Thing of example.com/v1')]);
  });
});

describe('gpu-headroom', () => {
  test('counts what running Pods ask for, the largest init container where that is more, and no node that is closed', async () => {
    await api.stop();
    api = await startKubeApi({
      nodes: [
        { name: 'a', gpus: 8 },
        { name: 'b', gpus: 4 },
        { name: 'c', gpus: 0 },
        { name: 'd', gpus: 2 },
      ],
    });
    const node = api.objects.get('Node', undefined, 'd');
    if (node)
      api.objects.update(node, (draft) => {
        (draft.spec as { unschedulable?: boolean }).unschedulable = true;
      });
    const gpus = (count: number) => ({ resources: { limits: { 'nvidia.com/gpu': String(count) } } });
    const on = (nodeName: string) => ({ nodeName });
    await create(api, pod('runs', gpus(3), on('a')));
    await create(
      api,
      pod('prepares', gpus(1), {
        ...on('b'),
        initContainers: [{ name: 'init', image: 'r.test/a:1', ...gpus(2) }],
      }),
    );
    await create(api, pod('ended', gpus(4), on('a')));
    const ended = api.objects.get('Pod', 'default', 'ended');
    if (ended) {
      api.objects.updateStatus(ended, (draft) => {
        draft.status = { phase: 'Succeeded' };
      });
    }
    const environment = { KUBECONFIG: api.kubeconfigPath };
    const { code, stdout } = await place.mlcc(['kube', 'gpu-headroom'], environment);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ +/))).toEqual([
      ['NODE', 'ALLOCATABLE', 'USED', 'FREE', 'CLOSED'],
      ['a', '8', '3', '5'],
      ['b', '4', '2', '2'],
      ['d', '2', '0', '0', 'cordoned'],
      ['total', '14', '5', '7'],
      [''],
      'One Pod can get at most 5 of nvidia.com/gpu'.split(' '),
      [''],
    ]);
    expect(
      JSON.parse((await place.mlcc(['kube', 'gpu-headroom', '--json'], environment)).stdout),
    ).toMatchObject({ free: 7, largest: 5 });
    expect(
      (await place.mlcc(['kube', 'gpu-headroom', '--resource', 'aws.amazon.com/neuron'], environment)).stdout,
    ).toContain('at most 0 of aws.amazon.com/neuron');
  });
});

test('the namespace is the context’s where none is named', async () => {
  await create(api, deployment('app'));
  writeFileSync(join(place.dir, 'kubeconfig'), api.kubeconfig('kube-system'));
  const elsewhere = await kube('current-image', 'app', '--kubeconfig', join(place.dir, 'kubeconfig'));
  expect(elsewhere.stderr).toContain('there is no deployment/app in namespace kube-system');
  writeFileSync(join(place.dir, 'other.toml'), '[cluster]\ncontext = "other"\n');
  expect(await kube('current-image', 'app', '--profile', 'other.toml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no context `other`'),
  });
});
