import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
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
  roleBinding,
  send,
} from './client.js';

let api: KubeApi;
beforeAll(async () => {
  api = await startKubeApi({ clock: 'manual', namespaces: ['other'] });
});
afterAll(() => api.stop());

const patch = (object: string, body: unknown, type: string) =>
  send(api, 'PATCH', object, body, { type: `application/${type}+json` });

describe('create and replace', () => {
  test('an object is made once', async () => {
    const { code, body } = await create(api, configMap('once', { a: '1' }));
    expect(code).toBe(201);
    expect(body.metadata).toMatchObject({
      name: 'once',
      namespace: 'default',
      uid: expect.any(String),
      resourceVersion: expect.any(String),
    });
    const again = await create(api, configMap('once', { a: '1' }));
    expect([again.code, again.body.reason]).toEqual([409, 'AlreadyExists']);
  });

  test('a name can be generated', async () => {
    const object = { ...configMap('', {}), metadata: { name: '', generateName: 'run-' } };
    expect((await create(api, object)).body.metadata.name).toMatch(/^run-[0-9a-f]{5}$/);
    expect((await create(api, configMap('', {}))).code).toBe(422);
  });

  test('a replace of an older version than the current is refused', async () => {
    const { body } = await create(api, configMap('versions', { a: '1' }));
    const path = `${pathOf('ConfigMap')}/versions`;
    expect((await send(api, 'PUT', path, { ...body, data: { a: '2' } })).code).toBe(200);
    const stale = await send(api, 'PUT', path, { ...body, data: { a: '3' } });
    expect([stale.code, stale.body.reason]).toEqual([409, 'Conflict']);
    expect(stale.body.message).toContain('the object has been modified');
  });

  test('a replace of a custom resource must state the version that it replaces', async () => {
    await create(api, endpointConfig('versioned'));
    const { body } = await get(api, 'InferenceEndpointConfig', 'versioned');
    const path = `${pathOf('InferenceEndpointConfig')}/versioned`;
    const { resourceVersion: _, ...metadata } = body.metadata;
    expect((await send(api, 'PUT', path, { ...body, metadata })).code).toBe(422);
    expect((await send(api, 'PUT', path, body)).code).toBe(200);
  });

  test('a replace of an object that was made anew meanwhile is refused', async () => {
    const { body } = await create(api, configMap('reborn', {}));
    const { resourceVersion: _, ...metadata } = body.metadata;
    const path = `${pathOf('ConfigMap')}/reborn`;
    const { code } = await send(api, 'PUT', path, { ...body, metadata: { ...metadata, uid: 'of-another' } });
    expect(code).toBe(409);
    expect((await send(api, 'PUT', path, { ...body, metadata })).code).toBe(200);
  });

  test('a replace that changes nothing keeps the resourceVersion', async () => {
    const { body } = await create(api, configMap('still', { a: '1' }));
    const { body: after } = await send(api, 'PUT', `${pathOf('ConfigMap')}/still`, body);
    expect(after.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test('a dry run of a create stores nothing', async () => {
    expect((await create(api, configMap('dry', {}), 'dryRun=All')).code).toBe(201);
    expect((await get(api, 'ConfigMap', 'dry')).code).toBe(404);
  });

  test('[C48] a namespace that does not exist is 404 for create, apply and dry run', async () => {
    const object = configMap('lost', {});
    const path = '/api/v1/namespaces/nowhere/configmaps';
    const replies = [
      await send(api, 'POST', path, object),
      await send(api, 'PATCH', `${path}/lost?fieldManager=a`, object, {
        type: 'application/apply-patch+yaml',
      }),
      await send(api, 'PATCH', `${path}/lost?fieldManager=a&dryRun=All`, object, {
        type: 'application/apply-patch+yaml',
      }),
    ];
    for (const { code, body } of replies) {
      expect([code, body.message]).toEqual([404, 'namespaces "nowhere" not found']);
    }
  });

  test('a new namespace is active, with a service account and the CA of the cluster', async () => {
    await create(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fresh' } });
    expect((await get(api, 'Namespace', 'fresh')).body.status).toEqual({ phase: 'Active' });
    expect(api.objects.get('ServiceAccount', 'fresh', 'default')).toBeDefined();
    const authority = api.objects.get('ConfigMap', 'fresh', 'kube-root-ca.crt');
    expect(authority?.data).toEqual({ 'ca.crt': api.certificateAuthority });
  });

  test('a Pod needs its service account', async () => {
    const { code, body } = await create(api, pod('orphan', {}, { serviceAccountName: 'ghost' }));
    expect([code, body.reason]).toEqual([403, 'Forbidden']);
    expect(body.message).toContain('serviceaccount "ghost" not found');
  });

  test('stringData arrives encoded in data, and a type that cannot be changed', async () => {
    const secret: Manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'token' },
      stringData: { key: 'ü' },
    };
    const { body } = await create(api, secret);
    expect([body.data, body.stringData, body.type]).toEqual([{ key: 'w7w=' }, undefined, 'Opaque']);
    const path = `${pathOf('Secret')}/token`;
    expect((await patch(path, { type: 'kubernetes.io/tls' }, 'merge-patch')).code).toBe(422);
  });

  test('a Service gets an address of its own, for good', async () => {
    const service = (name: string): Manifest => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80 }] },
    });
    const { body: first } = await create(api, service('one'));
    const { body: second } = await create(api, service('two'));
    expect(first.spec.clusterIP).not.toBe(second.spec.clusterIP);
    const moved = await patch(
      `${pathOf('Service')}/one`,
      { spec: { clusterIP: '10.96.9.9' } },
      'merge-patch',
    );
    expect(moved.body.details.causes[0].field).toBe('spec.clusterIP');
  });
});

describe('what cannot be changed in place', () => {
  test('[C38] a Pod, but for its images', async () => {
    await apply(api, pod('fixed', { env: [{ name: 'A', value: '1' }] }));
    const changed = await apply(api, pod('fixed', { env: [{ name: 'A', value: '2' }] }));
    expect([changed.code, changed.body.reason]).toEqual([422, 'Invalid']);
    expect(changed.body.message).toContain('pod updates may not change fields other than');
    const image = { env: [{ name: 'A', value: '1' }], image: 'registry.test/app:2' };
    expect((await apply(api, pod('fixed', image))).code).toBe(200);
  });

  test('the role of a binding', async () => {
    await apply(api, roleBinding('bound', 'edit'));
    const { code, body } = await apply(api, roleBinding('bound', 'view'));
    expect([code, body.message]).toEqual([422, expect.stringContaining('cannot change roleRef')]);
  });

  test('the selector of a Deployment', async () => {
    await apply(api, deployment('selects'));
    const other = deployment(
      'selects',
      {},
      {
        selector: { matchLabels: { app: 'selects', more: 'x' } },
        template: {
          metadata: { labels: { app: 'selects', more: 'x' } },
          spec: deployment('selects').spec.template.spec,
        },
      },
    );
    const { code, body } = await apply(api, other);
    expect([code, body.details.causes[0].field]).toEqual([422, 'spec.selector']);
  });

  test.each([
    ['data', { data: { a: '2' } }, 'data'],
    ['binaryData', { binaryData: { b: 'YQ==' } }, 'binaryData'],
    ['its immutability', { immutable: false }, 'immutable'],
  ])('an immutable ConfigMap: %s', async (_, change, field) => {
    await apply(api, configMap('frozen', { a: '1' }, { immutable: true }));
    const { code, body } = await patch(`${pathOf('ConfigMap')}/frozen`, change, 'merge-patch');
    expect([code, body.details.causes[0].field]).toEqual([422, field]);
    const labelled = await patch(
      `${pathOf('ConfigMap')}/frozen`,
      { metadata: { labels: { a: 'b' } } },
      'merge-patch',
    );
    expect(labelled.code).toBe(200);
  });

  test('a claim, but for what it asks for', async () => {
    const claim = (mode: string, storage: string): Manifest => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk' },
      spec: { accessModes: [mode], resources: { requests: { storage } } },
    });
    await apply(api, claim('ReadWriteOnce', '1Gi'));
    expect((await apply(api, claim('ReadWriteOnce', '2Gi'))).code).toBe(200);
    expect((await apply(api, claim('ReadWriteMany', '2Gi'))).code).toBe(422);
  });
});

describe('the older kinds of patch', () => {
  test('merge patch: null removes', async () => {
    await create(api, configMap('merged', { a: '1', b: '1' }));
    const { body } = await patch(
      `${pathOf('ConfigMap')}/merged`,
      { data: { a: null, c: '1' } },
      'merge-patch',
    );
    expect(body.data).toEqual({ b: '1', c: '1' });
  });

  test('JSON patch: in order, all or nothing', async () => {
    await create(api, configMap('patched', { 'a.b': '1' }));
    const path = `${pathOf('ConfigMap')}/patched`;
    const good = [
      { op: 'test', path: '/data/a.b', value: '1' },
      { op: 'move', from: '/data/a.b', path: '/data/c' },
      { op: 'add', path: '/metadata/labels', value: { 'x~y': 'z' } },
      { op: 'remove', path: '/metadata/labels/x~0y' },
    ];
    const { body } = await patch(path, good, 'json-patch');
    expect([body.data, body.metadata.labels]).toEqual([{ c: '1' }, {}]);
    const failing = [
      { op: 'add', path: '/data/d', value: '1' },
      { op: 'test', path: '/data/c', value: 'other' },
    ];
    expect((await patch(path, failing, 'json-patch')).code).toBe(422);
    expect((await get(api, 'ConfigMap', 'patched')).body.data).toEqual({ c: '1' });
  });

  test('strategic merge: lists by their merge key, with its directives', async () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '1' },
    ];
    await create(api, deployment('strategic', { env }));
    const change = (list: unknown) => ({
      spec: { template: { spec: { containers: [{ name: 'main', env: list }] } } },
    });
    const path = `${pathOf('Deployment')}/strategic`;
    const { body } = await patch(
      path,
      change([
        { name: 'A', $patch: 'delete' },
        { name: 'B', value: '2' },
        { name: 'C', value: '3' },
      ]),
      'strategic-merge-patch',
    );
    const [container] = body.spec.template.spec.containers;
    expect(container.env).toEqual([
      { name: 'B', value: '2' },
      { name: 'C', value: '3' },
    ]);
    expect(container.image).toBe('registry.test/app:1');
    const replaced = await patch(
      path,
      change([{ $patch: 'replace' }, { name: 'D', value: '4' }]),
      'strategic-merge-patch',
    );
    expect(replaced.body.spec.template.spec.containers[0].env).toEqual([{ name: 'D', value: '4' }]);
    const recreate = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect((await patch(path, recreate, 'strategic-merge-patch')).body.spec.strategy).toEqual({
      type: 'Recreate',
    });
  });

  test('a custom resource has no strategic merge, and other media types are unknown', async () => {
    const path = `${pathOf('InferenceEndpointConfig')}/x`;
    expect((await create(api, endpointConfig('x'))).code).toBe(201);
    expect((await patch(path, {}, 'strategic-merge-patch')).code).toBe(415);
    expect((await send(api, 'PATCH', `${pathOf('ConfigMap')}/once`, {}, { type: 'text/plain' })).code).toBe(
      415,
    );
  });

  test('a patch of an unknown field is refused when strict', async () => {
    const { code } = await patch(
      `${pathOf('ConfigMap')}/merged?fieldValidation=Strict`,
      { datum: {} },
      'merge-patch',
    );
    expect(code).toBe(400);
  });

  test('the scale of a workload is its replica count', async () => {
    await create(api, deployment('scaled'));
    const path = `${pathOf('Deployment')}/scaled`;
    expect((await patch(`${path}/scale`, { spec: { replicas: 3 } }, 'merge-patch')).body.spec).toEqual({
      replicas: 3,
    });
    expect((await send(api, 'GET', path)).body.spec.replicas).toBe(3);
  });
});

describe('delete', () => {
  const remove = (path: string, body: unknown = {}) => send(api, 'DELETE', path, body);

  test('what nothing holds is gone at once; then it is 404', async () => {
    await create(api, configMap('gone', {}));
    const { code, body } = await remove(`${pathOf('ConfigMap')}/gone`);
    expect([code, body.status]).toEqual([200, 'Success']);
    expect((await remove(`${pathOf('ConfigMap')}/gone`)).code).toBe(404);
  });

  test('a finalizer holds an object, marked, until it is taken away', async () => {
    const held = { ...configMap('held', {}), metadata: { name: 'held', finalizers: ['example.test/hold'] } };
    await create(api, held);
    const path = `${pathOf('ConfigMap')}/held`;
    expect((await remove(path)).body.metadata.deletionTimestamp).toBeDefined();
    const added = await patch(
      path,
      { metadata: { finalizers: ['example.test/hold', 'example.test/more'] } },
      'merge-patch',
    );
    expect([added.code, added.body.details.causes[0].field]).toEqual([422, 'metadata.finalizers']);
    await patch(path, { metadata: { finalizers: null } }, 'merge-patch');
    expect((await send(api, 'GET', path)).code).toBe(404);
  });

  test('preconditions are kept', async () => {
    await create(api, configMap('precise', {}));
    const path = `${pathOf('ConfigMap')}/precise`;
    expect((await remove(path, { preconditions: { uid: 'another' } })).code).toBe(409);
    expect((await remove(path, { preconditions: { resourceVersion: '1' } })).code).toBe(409);
    expect((await remove(path, { dryRun: ['All'] })).code).toBe(200);
    expect((await send(api, 'GET', path)).code).toBe(200);
  });

  test('a collection is deleted by its selector', async () => {
    for (const [name, app] of [
      ['c1', 'x'],
      ['c2', 'x'],
      ['c3', 'y'],
    ] as const) {
      await create(api, { ...configMap(name, {}), metadata: { name, labels: { app } } });
    }
    await remove(`${pathOf('ConfigMap')}?labelSelector=app%3Dx`);
    const { body } = await send(api, 'GET', `${pathOf('ConfigMap')}?labelSelector=app`);
    expect(body.items.map((item: Manifest) => item.metadata.name)).toEqual(['c3']);
  });

  test('a namespace takes all it holds with it, and takes in nothing more meanwhile', async () => {
    const inOther = (kind: string) => pathOf(kind).replace('/default/', '/other/');
    const held = { ...configMap('held', {}), metadata: { name: 'held', finalizers: ['example.test/hold'] } };
    await send(api, 'POST', inOther('ConfigMap'), held);
    await send(api, 'POST', inOther('Secret'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    await remove('/api/v1/namespaces/other');
    expect((await send(api, 'GET', `${inOther('Secret')}/s`)).code).toBe(404);
    expect((await send(api, 'GET', '/api/v1/namespaces/other')).body.status.phase).toBe('Terminating');
    const late = await send(api, 'POST', inOther('ConfigMap'), configMap('late', {}));
    expect([late.code, late.body.message]).toEqual([403, expect.stringContaining('being terminated')]);
    await patch(`${inOther('ConfigMap')}/held`, { metadata: { finalizers: null } }, 'merge-patch');
    expect((await send(api, 'GET', '/api/v1/namespaces/other')).code).toBe(404);
  });
});
