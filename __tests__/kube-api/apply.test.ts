import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { fromFieldsV1, toFieldsV1 } from '../support/kube-api/managed-fields/fields-v1.js';
import {
  apply,
  configMap,
  create,
  deployment,
  endpointConfig,
  get,
  pathOf,
  pod,
  roleBinding,
  send,
} from './client.js';

let api: KubeApi;
beforeAll(async () => {
  api = await startKubeApi({ clock: 'manual' });
});
afterAll(() => api.stop());

const merge = (path: string, patch: unknown, manager = 'bob') =>
  send(api, 'PATCH', `${path}?fieldManager=${manager}`, patch, { type: 'application/merge-patch+json' });

describe('apply', () => {
  test('creates, with the manager and its fields in managedFields, defaults owned by nobody', async () => {
    const { code, body } = await apply(api, deployment('first'));
    expect(code).toBe(201);
    expect(body.spec.template.spec.containers[0].terminationMessagePath).toBe('/dev/termination-log');
    const [entry, ...others] = body.metadata.managedFields;
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      manager: 'alice',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
    });
    expect(entry.fieldsV1).toEqual({
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
        },
      },
    });
  });

  test('the same again changes nothing, not even the resourceVersion, and tells no watch', async () => {
    const { body: before } = await apply(api, configMap('same', { a: '1' }));
    api.clock.advance(5);
    const version = api.store.resourceVersion;
    const { code, body } = await apply(api, configMap('same', { a: '1' }));
    expect([code, body]).toEqual([200, before]);
    expect(api.store.resourceVersion).toBe(version);
  });

  test('a change of the spec raises the generation; one of the metadata does not', async () => {
    await apply(api, deployment('generation'));
    const labelled = { ...deployment('generation'), metadata: { name: 'generation', labels: { a: 'b' } } };
    expect((await apply(api, labelled)).body.metadata.generation).toBe(1);
    expect(
      (await apply(api, deployment('generation', { image: 'registry.test/app:2' }))).body.metadata.generation,
    ).toBe(2);
  });

  test('without a field manager it is refused', async () => {
    const { code } = await send(api, 'PATCH', `${pathOf('ConfigMap')}/x`, configMap('x', {}), {
      type: 'application/apply-patch+yaml',
    });
    expect(code).toBe(400);
  });

  test('what a manager no longer says goes, unless another one says it too', async () => {
    await apply(api, configMap('shrinks', { mine: '1', shared: '1' }));
    await apply(api, configMap('shrinks', { shared: '1' }), 'fieldManager=bob');
    const { body } = await apply(api, configMap('shrinks', {}));
    expect(body.data).toEqual({ shared: '1' });
    const { body: empty } = await apply(api, configMap('shrinks', {}), 'fieldManager=bob');
    expect(empty.data).toBeUndefined();
  });

  test('items of a keyed list come and go by their key; those of others stay, in their place', async () => {
    const names = (body: { spec: { template: { spec: { containers: { env: { name: string }[] }[] } } } }) =>
      body.spec?.template.spec.containers[0]?.env.map(({ name }) => name);
    const env = (...list: string[]) => list.map((name) => ({ name, value: name }));
    await apply(api, deployment('lists', { env: env('A', 'B') }));
    const path = `${pathOf('Deployment')}/lists?fieldManager=bob`;
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', env: env('X') }] } } } };
    await send(api, 'PATCH', path, patch, { type: 'application/strategic-merge-patch+json' });
    const { body } = await apply(api, deployment('lists', { env: env('C', 'B') }));
    expect([body.message, names(body)]).toEqual([undefined, ['C', 'B', 'X']]);
  });

  test('an item of which another manager owns a field stays when its maker leaves it', async () => {
    await apply(api, deployment('left', { env: [{ name: 'A', value: '1' }] }));
    const env = [{ name: 'A', value: '2' }];
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', env }] } } } };
    const path = `${pathOf('Deployment')}/left?fieldManager=bob`;
    await send(api, 'PATCH', path, patch, { type: 'application/strategic-merge-patch+json' });
    const { body } = await apply(api, deployment('left'));
    expect(body.spec.template.spec.containers[0].env).toEqual(env);
  });

  test('version and kind must be stated', async () => {
    const { code } = await apply(api, { kind: 'ConfigMap', metadata: { name: 'x' }, data: {} });
    expect(code).toBe(400);
  });

  test('a dry run answers as if, and stores nothing', async () => {
    const { code, body } = await apply(api, configMap('dry', { a: '1' }), 'dryRun=All');
    expect([code, body.data]).toEqual([201, { a: '1' }]);
    expect((await get(api, 'ConfigMap', 'dry')).code).toBe(404);
    await apply(api, configMap('dry', { a: '1' }));
    const { body: second } = await apply(api, configMap('dry', { a: '2' }), 'dryRun=All');
    expect(second.data).toEqual({ a: '2' });
    expect((await get(api, 'ConfigMap', 'dry')).body.data).toEqual({ a: '1' });
    expect((await apply(api, configMap('dry', { a: '2' }), 'dryRun=Some')).code).toBe(400);
  });

  test('a dry run refuses what the real run would refuse', async () => {
    await apply(api, roleBinding('dry', 'edit'));
    expect((await apply(api, roleBinding('dry', 'view'), 'dryRun=All')).code).toBe(422);
  });

  test('a resourceVersion in the patch must be the current one', async () => {
    const { body } = await apply(api, configMap('locked', { a: '1' }));
    await apply(api, configMap('locked', { a: '2' }));
    const stale = {
      ...configMap('locked', { a: '3' }),
      metadata: { name: 'locked', resourceVersion: body.metadata.resourceVersion },
    };
    expect((await apply(api, stale)).code).toBe(409);
  });

  test('through the status sub-resource only the status is written and owned', async () => {
    await apply(api, endpointConfig('states'));
    const sent = {
      ...endpointConfig('states', { modelName: 'other' }),
      status: { state: 'DeploymentPending' },
    };
    const path = `${pathOf('InferenceEndpointConfig')}/states/status?fieldManager=carol`;
    const { body } = await send(api, 'PATCH', path, sent, { type: 'application/apply-patch+yaml' });
    expect([body.spec.modelName, body.status.state]).toEqual(['states', 'DeploymentPending']);
    const carol = body.metadata.managedFields.find((entry: { manager: string }) => entry.manager === 'carol');
    expect(carol).toMatchObject({ subresource: 'status', fieldsV1: { 'f:status': { 'f:state': {} } } });
    expect(Object.keys(carol.fieldsV1)).toEqual(['f:status']);
  });

  test('managedFields may not be sent', async () => {
    const sent = { ...configMap('sent', {}), metadata: { name: 'sent', managedFields: [{ manager: 'x' }] } };
    expect((await apply(api, sent)).code).toBe(400);
  });
});

describe('conflicts', () => {
  test('409 with the field and its manager, and nothing changed', async () => {
    await apply(api, deployment('owned'));
    const before = (await get(api, 'Deployment', 'owned')).body;
    const { code, body } = await apply(
      api,
      deployment('owned', { image: 'registry.test/app:2' }),
      'fieldManager=bob',
    );
    expect([code, body.reason]).toEqual([409, 'Conflict']);
    const field = '.spec.template.spec.containers[name="main"].image';
    expect(body.message).toBe(`Apply failed with 1 conflict: conflict with "alice": ${field}`);
    expect(body.details.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "alice"', field },
    ]);
    expect((await get(api, 'Deployment', 'owned')).body).toEqual(before);
  });

  test('with force the field changes hands', async () => {
    await apply(api, configMap('forced', { a: '1', b: '1' }));
    const { code, body } = await apply(api, configMap('forced', { a: '2' }), 'fieldManager=bob&force=true');
    expect([code, body.data]).toEqual([200, { a: '2', b: '1' }]);
    const owned = body.metadata.managedFields.map((entry: { manager: string; fieldsV1: unknown }) => [
      entry.manager,
      entry.fieldsV1,
    ]);
    expect(owned).toEqual([
      ['alice', { 'f:data': { 'f:b': {} } }],
      ['bob', { 'f:data': { 'f:a': {} } }],
    ]);
  });

  test('the same value is no conflict: both own it', async () => {
    await apply(api, configMap('shared', { a: '1' }));
    expect((await apply(api, configMap('shared', { a: '1' }), 'fieldManager=bob')).code).toBe(200);
    const { body } = await apply(api, configMap('shared', { a: '2' }));
    expect(body.message).toContain('conflict with "bob": .data.a');
  });

  test("a field that an update by hand has changed is the updater's, and named with its version", async () => {
    await apply(api, configMap('edited', { a: '1', b: '1' }));
    await merge(`${pathOf('ConfigMap')}/edited`, { data: { a: '2', b: '2' } });
    const { code, body } = await apply(api, configMap('edited', { a: '1', b: '1' }));
    expect(code).toBe(409);
    expect(body.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "bob" using v1:\n- .data.a\n- .data.b',
    );
  });

  test('whoever changes or removes a field takes it from its owners', async () => {
    await apply(api, configMap('taken', { a: '1', b: '1', c: '1' }));
    const { body } = await merge(`${pathOf('ConfigMap')}/taken`, { data: { a: '2', b: null } });
    const owned = body.metadata.managedFields.map((entry: { manager: string; fieldsV1: unknown }) => [
      entry.manager,
      entry.fieldsV1,
    ]);
    expect(owned).toEqual([
      ['alice', { 'f:data': { 'f:c': {} } }],
      ['bob', { 'f:data': { 'f:a': {} } }],
    ]);
  });

  test('the same name is another manager when it updates instead of applying', async () => {
    await apply(api, configMap('self', { a: '1' }));
    await merge(`${pathOf('ConfigMap')}/self`, { data: { a: '2' } }, 'alice');
    expect((await apply(api, configMap('self', { a: '1' }))).body.message).toContain(
      'conflict with "alice" using v1: .data.a',
    );
  });

  test('a selector map is owned whole', async () => {
    const service = (selector: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'whole' },
      spec: { selector, ports: [{ port: 80 }] },
    });
    await apply(api, service({ a: '1' }));
    const { body } = await apply(api, service({ b: '1' }), 'fieldManager=bob');
    expect(body.message).toContain('conflict with "alice": .spec.selector');
  });

  test('a port is known by number and protocol, also where the protocol is left to its default', async () => {
    const { body } = await apply(api, pod('ports', { ports: [{ containerPort: 80 }] }));
    expect(JSON.stringify(body.metadata.managedFields)).toContain(
      'k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}',
    );
  });

  test("what the creator wrote is the creator's", async () => {
    await create(api, configMap('made', { a: '1' }));
    const { body } = await apply(api, configMap('made', { a: '2' }));
    expect(body.message).toContain('conflict with "a-test" using v1: .data.a');
  });
});

test('fieldsV1 keeps a set of fields through both directions', () => {
  const nested = {
    'f:data': { 'f:a': {} },
    'f:spec': { 'f:list': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} }, 'v:"y"': {} } },
  };
  expect(toFieldsV1(fromFieldsV1(nested))).toEqual(nested);
  expect(fromFieldsV1(nested).size).toBe(4);
});
