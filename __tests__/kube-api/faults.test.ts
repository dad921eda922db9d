import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { apply, configMap, create, get, pathOf, send } from './client.js';

let api: KubeApi;
beforeAll(async () => {
  api = await startKubeApi({ clock: 'manual', acceptToken: (token) => token.startsWith('k8s-aws-v1.') });
});
afterEach(() => api.faults.clear());
afterAll(() => api.stop());

test('a wrong token, or none, is 401 everywhere', async () => {
  for (const path of [pathOf('ConfigMap'), '/version', '/openapi/v3']) {
    const { code, body } = await send(api, 'GET', path, undefined, { token: 'wrong' });
    expect([code, body.reason]).toEqual([401, 'Unauthorized']);
  }
  expect((await create(api, configMap('a', {}), '')).code).toBe(201);
  expect((await send(api, 'DELETE', `${pathOf('ConfigMap')}/a`, undefined, { token: 'wrong' })).code).toBe(
    401,
  );
  expect((await get(api, 'ConfigMap', 'a')).code).toBe(200);
});

test('a test may let in other tokens', async () => {
  expect((await send(api, 'GET', '/version', undefined, { token: 'k8s-aws-v1.abc' })).code).toBe(200);
});

test('the nth matching request fails with the given Status, and no other', async () => {
  api.faults.add({
    method: 'POST',
    path: /configmaps/,
    nth: 2,
    action: { kind: 'status', code: 503, reason: 'ServiceUnavailable', message: 'try later' },
  });
  expect((await create(api, configMap('n1', {}))).code).toBe(201);
  const second = await create(api, configMap('n2', {}));
  expect([second.code, second.body.reason, second.body.message]).toEqual([
    503,
    'ServiceUnavailable',
    'try later',
  ]);
  expect((await get(api, 'ConfigMap', 'n2')).code).toBe(404);
  expect((await create(api, configMap('n2', {}))).code).toBe(201);
});

test('a fault meets a number of requests, until it is taken away', async () => {
  const action = { kind: 'status', code: 500 } as const;
  api.faults.add({ path: '/n1', times: 2, action });
  const codes = [];
  for (let i = 0; i < 3; i += 1) codes.push((await get(api, 'ConfigMap', 'n1')).code);
  expect(codes).toEqual([500, 500, 200]);
  const remove = api.faults.add({ path: '/n1', action });
  expect((await get(api, 'ConfigMap', 'n1')).code).toBe(500);
  remove();
  expect((await get(api, 'ConfigMap', 'n1')).code).toBe(200);
});

test('the connection drops before the work, or after it', async () => {
  api.faults.add({ method: 'PATCH', nth: 1, action: { kind: 'drop' } });
  await expect(apply(api, configMap('dropped', {}))).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect((await get(api, 'ConfigMap', 'dropped')).code).toBe(404);
  api.faults.clear();
  api.faults.add({ method: 'PATCH', nth: 1, when: 'after', action: { kind: 'drop' } });
  await expect(apply(api, configMap('dropped', {}))).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect((await get(api, 'ConfigMap', 'dropped')).code).toBe(200);
});

test('a request that hangs is in the log without an answer', async () => {
  api.faults.add({ path: '/hangs', action: { kind: 'hang' } });
  const outcome = Promise.race([
    get(api, 'ConfigMap', 'hangs').then(
      () => 'answered',
      () => 'broken',
    ),
    new Promise((done) => setTimeout(done, 300, 'pending')),
  ]);
  expect(await outcome).toBe('pending');
  expect(api.log.entries.at(-1)).toMatchObject({ method: 'GET', code: 0 });
});

test('the log tells writes from reads and dry runs', async () => {
  api.log.clear();
  await apply(api, configMap('logged', {}), 'dryRun=All');
  await apply(api, configMap('logged', {}));
  await get(api, 'ConfigMap', 'logged');
  expect(api.log.entries).toHaveLength(3);
  expect(api.log.writes()).toEqual([
    expect.objectContaining({
      method: 'PATCH',
      path: `${pathOf('ConfigMap')}/logged`,
      code: 201,
      contentType: 'application/apply-patch+yaml',
      userAgent: 'a-test/1',
      body: JSON.stringify(configMap('logged', {})),
    }),
  ]);
});
