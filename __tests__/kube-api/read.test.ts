import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { RESOURCES } from '../support/kube-api/resources.js';
import { apply, configMap, create, deployment, type Manifest, pathOf, send } from './client.js';

let api: KubeApi;
beforeAll(async () => {
  api = await startKubeApi({ clock: 'manual', namespaces: ['other'] });
});
afterAll(() => api.stop());

const labelled = (name: string, labels: Record<string, string>): Manifest => ({
  ...configMap(name, {}),
  metadata: { name, labels },
});
const names = (body: { items: Manifest[] }) => body.items.map(({ metadata }) => metadata.name);

interface WatchEvent {
  type: string;
  object: { metadata: { name: string; resourceVersion: string; annotations?: unknown }; code?: number };
}

/** Opens a watch; `take` waits for that many events. */
function watch(query: string, kind = 'ConfigMap') {
  const events: WatchEvent[] = [];
  let wake: () => void = () => undefined;
  const outgoing = request(`${api.url}${pathOf(kind)}?watch=true&${query}`, {
    ca: api.certificateAuthority,
    agent: false,
    headers: { authorization: `Bearer ${api.token}` },
  });
  const ended = new Promise<void>((done) => {
    outgoing.on('response', (incoming) => {
      let rest = '';
      incoming.on('data', (chunk) => {
        const lines = `${rest}${chunk}`.split('\n');
        rest = lines.pop() ?? '';
        events.push(...lines.map((line) => JSON.parse(line)));
        wake();
      });
      incoming.on('end', done);
      incoming.on('error', () => done());
    });
    outgoing.on('error', () => done());
  });
  outgoing.end();
  const take = async (count: number) => {
    while (events.length < count) {
      await new Promise<void>((done) => {
        wake = done;
      });
    }
    return events.map(({ type, object }) => [type, object.metadata?.name ?? object.code]);
  };
  return { events, take, ended, stop: () => outgoing.destroy() };
}

describe('lists', () => {
  beforeAll(async () => {
    await create(api, labelled('l1', { app: 'web', tier: 'front' }));
    await create(api, labelled('l2', { app: 'web' }));
    await create(api, labelled('l3', { app: 'db', tier: 'back' }));
  });

  test.each([
    ['app=web', ['l1', 'l2']],
    ['app==web,tier=front', ['l1']],
    ['app!=web,app', ['l3']],
    ['app in (web, db),tier', ['l1', 'l3']],
    ['tier notin (front),app', ['l2', 'l3']],
    ['!tier,app', ['l2']],
  ])('label selector %s', async (selector, expected) => {
    const { body } = await send(
      api,
      'GET',
      `${pathOf('ConfigMap')}?labelSelector=${encodeURIComponent(selector)}`,
    );
    expect(names(body)).toEqual(expected);
  });

  test('field selectors', async () => {
    const list = async (selector: string) =>
      names(
        (await send(api, 'GET', `/api/v1/configmaps?fieldSelector=${encodeURIComponent(selector)}`)).body,
      );
    expect(await list('metadata.name=l2')).toEqual(['l2']);
    expect(await list('metadata.namespace=default,metadata.name!=l1')).toEqual([
      'kube-root-ca.crt',
      'l2',
      'l3',
    ]);
    expect((await send(api, 'GET', '/api/v1/configmaps?fieldSelector=nonsense')).code).toBe(400);
  });

  test('pages, of one version of the list', async () => {
    const page = (query: string) =>
      send(api, 'GET', `${pathOf('ConfigMap')}?labelSelector=app&limit=2${query}`);
    const { body: first } = await page('');
    expect([names(first), first.metadata.remainingItemCount]).toEqual([['l1', 'l2'], 1]);
    const { body: second } = await page(`&continue=${first.metadata.continue}`);
    expect([names(second), second.metadata.continue]).toEqual([['l3'], undefined]);
    await create(api, configMap('between', {}));
    expect((await page(`&continue=${first.metadata.continue}`)).code).toBe(410);
  });

  test('what does not exist is 404, of the object and of the path', async () => {
    const { code, body } = await send(api, 'GET', `${pathOf('Deployment')}/none`);
    expect([code, body.reason, body.message]).toEqual([404, 'NotFound', 'deployments.apps "none" not found']);
    expect((await send(api, 'GET', '/apis/batch/v1/namespaces/default/cronjobs')).code).toBe(404);
    expect((await send(api, 'GET', `${pathOf('ConfigMap')}/l1/status`)).code).toBe(404);
    expect((await send(api, 'POST', `${pathOf('ConfigMap')}/l1`, {})).code).toBe(405);
  });
});

describe('watch', () => {
  test('from a version: what came since, then what comes', async () => {
    const from = api.store.resourceVersion;
    await create(api, configMap('w1', { a: '1' }));
    const watching = watch(`resourceVersion=${from}`);
    await watching.take(1);
    await apply(api, configMap('w1', { a: '1', b: '2' }));
    await send(api, 'DELETE', `${pathOf('ConfigMap')}/w1`);
    expect(await watching.take(3)).toEqual([
      ['ADDED', 'w1'],
      ['MODIFIED', 'w1'],
      ['DELETED', 'w1'],
    ]);
    const versions = watching.events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    watching.stop();
  });

  test('without a version: first what there is', async () => {
    await create(api, configMap('w2', {}));
    const watching = watch('fieldSelector=metadata.name%3Dw2');
    expect(await watching.take(1)).toEqual([['ADDED', 'w2']]);
    watching.stop();
  });

  test('an object that stops to match leaves, one that begins to match comes', async () => {
    const watching = watch(`resourceVersion=${api.store.resourceVersion}&labelSelector=state%3Don`);
    await create(api, labelled('w3', { state: 'off' }));
    const label = (state: string) =>
      send(
        api,
        'PATCH',
        `${pathOf('ConfigMap')}/w3`,
        { metadata: { labels: { state } } },
        { type: 'application/merge-patch+json' },
      );
    await label('on');
    await label('off');
    expect(await watching.take(2)).toEqual([
      ['ADDED', 'w3'],
      ['DELETED', 'w3'],
    ]);
    watching.stop();
  });

  test('a bookmark ends the initial events, and another the watch', async () => {
    const query =
      'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1';
    const watching = watch(`${query}&fieldSelector=metadata.name%3Dl1`);
    await watching.ended;
    expect(watching.events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK', 'BOOKMARK']);
    expect(watching.events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  test('from before the history: 410', async () => {
    const from = api.store.resourceVersion;
    await create(api, configMap('w4', {}));
    api.store.compact();
    const watching = watch(`resourceVersion=${from}`);
    expect(await watching.take(1)).toEqual([['ERROR', 410]]);
    await watching.ended;
  });

  test('only of its own kind and namespace', async () => {
    const watching = watch(`resourceVersion=${api.store.resourceVersion}`);
    await create(api, deployment('w5'));
    await send(api, 'POST', pathOf('ConfigMap').replace('/default/', '/other/'), configMap('w5', {}));
    await create(api, configMap('w6', {}));
    expect(await watching.take(1)).toEqual([['ADDED', 'w6']]);
    watching.stop();
  });
});

describe('discovery', () => {
  test('every served kind is found, in each of its versions, with its short names', async () => {
    for (const resource of RESOURCES) {
      for (const version of resource.versions) {
        const path = resource.group ? `/apis/${resource.group}/${version}` : `/api/${version}`;
        const { body } = await send(api, 'GET', path);
        const entry = body.resources.find(({ name }: { name: string }) => name === resource.plural);
        expect(entry).toMatchObject({ kind: resource.kind, namespaced: resource.namespaced });
        expect(entry.shortNames ?? []).toEqual(resource.shortNames);
        const { code } = await send(api, 'GET', `${path}/${resource.plural}`);
        expect(code).toBe(200);
      }
    }
  });

  test('every served kind has its schema, without a dangling reference', async () => {
    const { body } = await send(api, 'GET', '/openapi/v3');
    const kinds = new Set<string>();
    for (const { serverRelativeURL } of Object.values(body.paths) as { serverRelativeURL: string }[]) {
      const { body: document } = await send(api, 'GET', serverRelativeURL);
      const { schemas } = document.components;
      for (const [, name = ''] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        expect(schemas).toHaveProperty([name]);
      }
      for (const schema of Object.values(schemas) as Record<string, { kind: string }[]>[]) {
        for (const { kind } of schema['x-kubernetes-group-version-kind'] ?? []) kinds.add(kind);
      }
    }
    expect([...kinds].sort()).toEqual(RESOURCES.map(({ kind }) => kind).sort());
  });

  test('the server tells its version and groups', async () => {
    expect((await send(api, 'GET', '/version')).body.minor).toBe('32');
    const { body } = await send(api, 'GET', '/apis/inference.sagemaker.aws.amazon.com');
    expect(body.versions.map(({ version }: { version: string }) => version)).toEqual(['v1', 'v1alpha1']);
    expect((await send(api, 'GET', '/apis/nobody.test')).code).toBe(404);
  });
});
