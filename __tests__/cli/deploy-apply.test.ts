import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { send } from '../kube-api/client.js';
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

const pod = () => api.objects.get('Pod', 'loops', 'tuning-loop');
const binding = () => api.objects.get('RoleBinding', 'rig', 'tuning-loop-loops-edit');
const writes = () => api.log.writes().map(({ method, path }) => `${method} ${path}`);
/** Another value in the environment of the run. */
const changeRun = () => place.writeRun({ more: '[env]\nBENCH = "changed"\n' });

describe.each(KUBERNETES_TARGETS.map(({ target }) => target))('a project for %s', (target) => {
  test('is applied, serves, and is not changed by the same apply', async () => {
    const dir = place.project(target);
    const args = ['deploy', 'apply', '--project', dir, '--no-pin', '--wait'];
    const first = await place.mlcc(args);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`chat-${target} in namespace serving: created\n`),
    });
    const versions = () =>
      api.store
        .all()
        .flatMap(({ object: { kind, metadata } }) =>
          metadata.labels?.['app.kubernetes.io/part-of'] === 'chat' ? [[kind, metadata.resourceVersion]] : [],
        );
    const before = versions();
    api.log.clear();
    const second = await place.mlcc(args);
    expect(second.code).toBe(0);
    expect(second.stdout).not.toMatch(/created|: changed|replaced/);
    expect(second.stdout).toMatch(/: unchanged\n/);
    expect([writes(), versions()]).toEqual([[], before]);
  });

  test('a changed setting is applied in place, the rest stays', async () => {
    const dir = place.project(target);
    await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin']);
    const { code, stdout } = await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin'], {
      MLCC_SET_HP_REPLICAS: '2',
    });
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => / changed$/.test(line))).toHaveLength(1);
  });

  test('what a deploy has recorded says where it goes and what it is called', async () => {
    const dir = place.project(target);
    const { status_var: status } = KUBERNETES_TARGETS.find((each) => each.target === target) ?? {};
    const record = (what: string) => `MLCC_SET_${status?.replace(/STATUS$/, what)}`;
    const { code, stdout, stderr } = await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin'], {
      KUBECONFIG: '/nowhere',
      [record('KUBECONFIG')]: api.kubeconfigPath,
      [record('CONTEXT')]: 'test',
      [record('NAMESPACE')]: 'default',
      [record('NAME')]: 'as-recorded',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    expect(stdout).toContain('as-recorded in namespace default: created\n');
    expect(api.objects.list('Deployment', 'serving')).toEqual([]);
  });
});

test('[C38] a run is applied once; a changed one is refused before anything else, or with --replace made again', async () => {
  expect(await place.applyRun()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('pod/tuning-loop in namespace loops: created'),
  });
  const first = pod()?.metadata.uid;
  // The binding changes too, which alone would be taken.
  place.writeRun({ more: '[env]\nBENCH = "changed"\n' });
  writeFileSync(join(place.dir, 'profile.toml'), PROFILE_WITH_ANOTHER_ACCOUNT);
  api.objects.create('ServiceAccount', { metadata: { name: 'walker', namespace: 'loops' } });
  api.log.clear();
  const refused = await place.applyRun();
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('pod/tuning-loop in namespace loops cannot be changed in place\n');
  expect(refused.stderr).toContain('nothing was applied\n');
  expect(refused.stderr).toContain('→ add --replace');
  expect([writes(), pod()?.metadata.uid]).toEqual([[], first]);

  const replaced = await place.applyRun([...LOOP, '--replace']);
  expect(replaced.code).toBe(0);
  expect(replaced.stdout).toBe(
    'rolebinding/tuning-loop-loops-edit in namespace rig: changed\npod/tuning-loop in namespace loops: replaced\n',
  );
  expect(pod()?.metadata.uid).not.toBe(first);
});

const PROFILE_WITH_ANOTHER_ACCOUNT = `
[cluster]
loop_namespace = "loops"
rig_namespace = "rig"
service_account = "walker"
supervisor_image = "registry.test/supervisor:1"
[image]
loop = "registry.test/loop:1"
`;

test('a changed image of a Pod, which the cluster would take, is refused too: it would end the run', async () => {
  await place.applyRun();
  place.writeRun({
    profile: PROFILE_WITH_ANOTHER_ACCOUNT.replace('walker', 'runner').replace('loop:1', 'loop:2'),
  });
  api.log.clear();
  const { code, stderr } = await place.applyRun();
  expect([code, writes()]).toEqual([1, []]);
  expect(stderr).toContain('a change of the image would end what runs in it');
});

const bindingWith = (role: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'tuning-loop-loops-edit', namespace: 'rig', labels },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: 'runner', namespace: 'loops' }],
});

test('a changed role of a binding is refused, or with --replace made again', async () => {
  const path =
    '/apis/rbac.authorization.k8s.io/v1/namespaces/rig/rolebindings/tuning-loop-loops-edit?fieldManager=mlcc';
  const older = bindingWith('view', { 'app.kubernetes.io/managed-by': 'mlcc' });
  await send(api, 'PATCH', path, older, { type: 'application/apply-patch+yaml' });
  api.log.clear();
  const refused = await place.applyRun();
  expect([refused.code, writes()]).toEqual([1, []]);
  expect(refused.stderr).toContain(
    'rolebinding/tuning-loop-loops-edit in namespace rig cannot be changed in place',
  );
  expect(refused.stderr).toMatch(/roleRef: .*cannot change roleRef/);
  const replaced = await place.applyRun([...LOOP, '--replace']);
  expect(replaced.code).toBe(0);
  expect(binding()).toMatchObject({ roleRef: { name: 'edit' } });
  expect(replaced.stdout).toContain('rolebinding/tuning-loop-loops-edit in namespace rig: replaced\n');
});

test('what cannot be changed and is not ours is not replaced', async () => {
  api.objects.create('RoleBinding', bindingWith('view'));
  const before = binding();
  const { code, stderr } = await place.applyRun([...LOOP, '--replace', '--force-conflicts']);
  expect([code, binding(), pod()]).toEqual([1, before, undefined]);
  expect(stderr).toContain('it was not made by mlcc, so it is not replaced');
});

test('an immutable ConfigMap and a Deployment’s selector cannot be changed either', async () => {
  const dir = place.project(targetWith('deployment').target);
  const labels = { 'app.kubernetes.io/managed-by': 'mlcc', 'app.kubernetes.io/part-of': 'chat' };
  const name = `chat-${targetWith('deployment').target}`;
  const metadata = { name, namespace: 'serving', labels };
  api.objects.create('ConfigMap', { metadata, immutable: true, data: { A: 'b' } } as never);
  api.objects.create('Deployment', {
    metadata,
    spec: {
      selector: { matchLabels: { app: 'old' } },
      template: {
        metadata: { labels: { app: 'old' } },
        spec: { containers: [{ name: 'server', image: 'a:1' }] },
      },
    },
  } as never);
  api.log.clear();
  const args = ['deploy', 'apply', '--project', dir, '--no-pin', '--force-conflicts'];
  const refused = await place.mlcc(args);
  expect([refused.code, writes()]).toEqual([1, []]);
  expect(refused.stderr).toContain('nothing was applied: 2 objects would not be taken');
  expect(refused.stderr).toMatch(/configmap\/\S+ in namespace serving cannot be changed in place/);
  expect(refused.stderr).toMatch(/deployment\/\S+ in namespace serving cannot be changed in place/);
  const replaced = await place.mlcc([...args, '--replace']);
  expect(replaced).toMatchObject({ code: 0 });
  expect(replaced.stdout.match(/: replaced\n/g)).toHaveLength(2);
});

test('fields that somebody else has set are named with their manager, and taken over only with --force-conflicts', async () => {
  const { target } = targetWith('deployment');
  const dir = place.project(target);
  const args = ['deploy', 'apply', '--project', dir, '--no-pin'];
  await place.mlcc(args);
  const deployment = () => api.objects.get('Deployment', 'serving', `chat-${target}`);
  const live = deployment();
  if (!live) throw new Error('no Deployment');
  api.objects.update(
    live,
    (draft) => {
      (draft.spec as { replicas: number }).replicas = 4;
    },
    'kubectl-scale',
  );
  api.log.clear();
  const refused = await place.mlcc(args, { MLCC_SET_HP_REPLICAS: '2', MLCC_SET_IC_ENV_NEW: 'x' });
  expect([refused.code, writes()]).toEqual([1, []]);
  expect(refused.stderr).toContain('.spec.replicas is set by kubectl-scale\n');
  expect(refused.stderr).toContain('--force-conflicts');
  const forced = await place.mlcc([...args, '--force-conflicts'], { MLCC_SET_HP_REPLICAS: '2' });
  expect(forced.code).toBe(0);
  expect(deployment()).toMatchObject({ spec: { replicas: 2 } });
});

describe('[C48] a namespace that does not exist', () => {
  const inNewNamespace = (profile: string) => profile.replace('"loops"', '"new-ns"');

  test('is created first, with our labels', async () => {
    const dir = place.project(targetWith('deployment').target, { HP_NAMESPACE: 'new-ns' });
    const { code, stdout } = await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin']);
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'namespace/new-ns: created']);
    expect(api.objects.get('Namespace', undefined, 'new-ns')?.metadata.labels).toMatchObject({
      'app.kubernetes.io/managed-by': 'mlcc',
      'app.kubernetes.io/part-of': 'chat',
    });
    expect(writes()[0]).toBe('PATCH /api/v1/namespaces/new-ns');
  });

  test('is taken away again when the cluster would not take the rest; nothing is half applied', async () => {
    place.writeRun({ profile: inNewNamespace(PROFILE_WITH_ANOTHER_ACCOUNT) });
    api.faults.add({
      method: 'PATCH',
      path: /pods\/tuning-loop.*dryRun/,
      action: { kind: 'status', code: 403, reason: 'Forbidden', message: 'no service account walker' },
    });
    const { code, stdout, stderr } = await place.applyRun();
    expect([code, stdout, binding()]).toEqual([1, '', undefined]);
    expect(stderr).toContain('no service account walker');
    expect(stderr).toContain('taking namespace/new-ns away again');
    expect(api.objects.get('Namespace', undefined, 'new-ns')).toBeUndefined();
  });

  test('a dry run makes none, and says what it could not check', async () => {
    const dir = place.project(targetWith('deployment').target, { HP_NAMESPACE: 'new-ns' });
    const { code, stdout, stderr } = await place.mlcc([
      'deploy',
      'apply',
      '--project',
      dir,
      '--no-pin',
      '--dry-run=server',
    ]);
    expect([code, writes()]).toEqual([0, []]);
    expect(stdout).toContain('namespace/new-ns: created (dry run)\n');
    expect(stderr).toContain('not checked, since the namespace does not exist yet: configmap/');
  });

  test('who may not look at namespaces is not held up', async () => {
    api.faults.add({
      method: 'GET',
      path: /\/api\/v1\/namespaces\/[a-z]+$/,
      action: { kind: 'status', code: 403, reason: 'Forbidden', message: 'namespaces is forbidden' },
    });
    expect((await place.applyRun()).code).toBe(0);
  });
});

test('a dry run on the server changes nothing and shows what would be', async () => {
  await place.applyRun();
  changeRun();
  api.log.clear();
  const { code, stdout } = await place.applyRun([...LOOP, '--dry-run=server', '--replace']);
  expect([code, writes()]).toEqual([0, []]);
  expect(stdout).toBe(
    'rolebinding/tuning-loop-loops-edit in namespace rig: unchanged (dry run)\npod/tuning-loop in namespace loops: replaced (dry run)\n',
  );
});

test('what was made is taken away again when the cluster refuses a later object after all', async () => {
  api.faults.add({
    method: 'PATCH',
    path: /pods\/tuning-loop\?(?!.*dryRun)/,
    action: { kind: 'status', code: 403, reason: 'Forbidden', message: 'exceeded quota' },
  });
  const { code, stdout, stderr } = await place.applyRun();
  expect([code, stdout, binding(), pod()]).toEqual([1, '', undefined, undefined]);
  expect(stderr).toContain('exceeded quota');
});

test('a broken connection and a busy server are asked again', async () => {
  api.faults.add({
    method: 'PATCH',
    path: 'pods/tuning-loop',
    nth: 2,
    when: 'after',
    action: { kind: 'drop' },
  });
  api.faults.add({
    method: 'PATCH',
    path: 'rolebindings',
    nth: 1,
    action: { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0 },
  });
  expect(await place.applyRun()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('pod/tuning-loop in namespace loops: created'),
  });
});

describe('--wait', () => {
  test.each([0, 7])('a run’s exit code %i is the command’s', async (exitCode) => {
    api.plans.pods({ kind: 'exits', exitCode });
    const { code, stderr } = await place.applyRun([...PLAYBOOK, '--wait']);
    expect(code).toBe(exitCode);
    expect(stderr).toContain(`pod/tuning-playbook in namespace loops: ended with exit code ${exitCode}`);
    const again = await place.applyRun(PLAYBOOK);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('pod/tuning-playbook in namespace loops: unchanged'),
    });
    expect(again.stderr).toContain('has ended already; to run it again, delete it first');
  });

  test('[C30] a Deployment whose Pods find no node: the time is up, with the Pods’ reasons, and not 0', async () => {
    const message = '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.';
    api.plans.pods({ kind: 'unschedulable', message });
    const { target } = targetWith('deployment');
    const dir = place.project(target);
    const { code, stdout, stderr } = await place.mlcc([
      'deploy',
      'apply',
      '--project',
      dir,
      '--no-pin',
      '--wait',
      '--timeout',
      '1s',
    ]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(`deployment/chat-${target} in namespace serving: created`),
    ]);
    expect(stderr).toContain(
      `deployment/chat-${target} in namespace serving is not ready after 1 s: 0 of 1 available`,
    );
    expect(stderr).toMatch(new RegExp(`pod/chat-${target}-\\S+: FailedScheduling: ${message}`));
  });

  test('a Deployment that its own deadline ends is not waited for any longer', async () => {
    api.plans.pods({ kind: 'image-error', message: 'no such image' });
    const dir = place.project(targetWith('deployment').target, { DEPLOY_TIMEOUT: '300' });
    const { code, stderr } = await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin', '--wait']);
    expect(code).toBe(1);
    expect(stderr).toContain('has timed out progressing');
    expect(stderr).toContain('container server: ImagePullBackOff: no such image');
  });

  test('an endpoint that the operator gives up is not waited for any longer, and says why', async () => {
    api.plans.endpoints({ deploy: 'failed', message: 'the instance type is sold out' });
    const dir = place.project(targetWith('inference-endpoint-config').target);
    const { code, stderr } = await place.mlcc(['deploy', 'apply', '--project', dir, '--no-pin', '--wait']);
    expect(code).toBe(1);
    expect(stderr).toContain('is not ready: DeploymentFailed\n');
    expect(stderr).toContain('DeploymentFailed: the instance type is sold out\n');
  });

  test('a state of an earlier generation is no success', async () => {
    const dir = place.project(targetWith('inference-endpoint-config').target);
    const args = ['deploy', 'apply', '--project', dir, '--no-pin', '--wait', '--timeout', '2s'];
    expect((await place.mlcc(args)).code).toBe(0);
    api.plans.endpoints({ deploy: 'failed', message: 'the new image is broken' });
    const { code, stderr } = await place.mlcc(args, { MLCC_SET_HP_REPLICAS: '3' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('the new image is broken')]);
  });

  test('a Pod that never starts is told with its reason when the time is up', async () => {
    place.writeRun({ more: '[[secret_env]]\nname = "TOKEN"\nsecret = "absent"\nkey = "token"\n' });
    const { code, stderr } = await place.applyRun([...LOOP, '--wait', '--timeout', '1']);
    expect(code).toBe(1);
    expect(stderr).toContain('secret "absent" not found');
  });

  test('a Pod that somebody deletes meanwhile is a failure', async () => {
    api.plans.pods({ kind: 'ready' });
    const waiting = place.applyRun([...LOOP, '--wait']);
    const timer = setInterval(() => {
      const now = pod();
      if (now?.status) api.objects.remove(now, { gracePeriodSeconds: 0 });
    }, 200);
    const { code, stderr } = await waiting;
    clearInterval(timer);
    expect([code, stderr]).toEqual([1, expect.stringContaining('it was deleted while it was waited for')]);
  });
});

describe('the cluster that is meant', () => {
  test('the profile’s context, over the current one; a flag over both', async () => {
    place.writeRun({
      profile: PROFILE_WITH_ANOTHER_ACCOUNT.replace('[cluster]', '[cluster]\ncontext = "other"'),
    });
    const refused = await place.applyRun();
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('there is no context `other` in the kubeconfig'),
    ]);
    api.objects.create('ServiceAccount', { metadata: { name: 'walker', namespace: 'loops' } });
    expect((await place.applyRun([...LOOP, '--context', 'test'])).code).toBe(0);
  });

  test('a record and a profile that name different ones: a flag must decide', async () => {
    const { target, status_var: status } = targetWith('deployment');
    const record = status.replace(/STATUS$/, 'CONTEXT');
    const dir = place.project(target, { [record]: 'test' });
    writeFileSync(join(place.dir, 'other.toml'), '[cluster]\ncontext = "other"\n');
    const args = ['deploy', 'apply', '--project', dir, '--profile', 'other.toml', '--no-pin'];
    const refused = await place.mlcc(args);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('deployed to the context test, the profile names other'),
    ]);
    expect((await place.mlcc([...args, '--context', 'test'])).code).toBe(0);
  });

  test('--kubeconfig is read instead of KUBECONFIG', async () => {
    expect(
      (
        await place.mlcc(
          ['deploy', 'apply', ...place.run, ...LOOP, '--no-pin', '--kubeconfig', api.kubeconfigPath],
          { KUBECONFIG: '/nowhere' },
        )
      ).code,
    ).toBe(0);
  });
});
