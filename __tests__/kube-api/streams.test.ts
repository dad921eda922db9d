import { request } from 'node:https';
import { createServer, type Server } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CoreV1Api,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  PortForward,
  Watch,
} from '@kubernetes/client-node';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { expand } from '../support/kube-api/pods/environment.js';
import { SPDY_DICTIONARY } from '../support/kube-api/streams/spdy-dictionary.js';
import { configMap, create, pathOf, pod, send } from './client.js';

let api: KubeApi;
let config: KubeConfig;
let echo: Server;
let echoPort: number;

beforeAll(async () => {
  api = await startKubeApi({ clock: 'manual' });
  config = new KubeConfig();
  config.loadFromString(api.kubeconfig());
  echo = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done));
  echoPort = (echo.address() as { port: number }).port;
  await create(api, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hf' },
    stringData: { token: 's3cret' },
  });
  const env = [
    { name: 'PLAIN', value: 'a\n"b" \'c\' {{ d }} --- ' },
    { name: 'HOME', value: '/root' },
    { name: 'EXPANDED', value: '$(HOME)/x $$(HOME) $(NONE) $HOME' },
    { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hf', key: 'token' } } },
    { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ];
  await create(api, pod('main', { env }));
  const two = pod('two');
  two.spec.containers.push({ name: 'side', image: 'registry.test/side:1' });
  await create(api, two);
  api.clock.advance(10);
  await create(api, pod('young'));
  api.pods.add(() => true, {
    ports: { 8080: echoPort, 9999: 1 },
    log: ({ container, follow }) =>
      follow ? following() : `${container} 1\n${container} 2\n${container} 3\n`,
    exec: async ({ command, environment, stdin, stdout, stderr }) => {
      if (command[0] === 'env') stdout(JSON.stringify(environment));
      else for await (const chunk of stdin) stdout(`<${chunk}>`);
      if (command[0] === 'fail') stderr('it failed\n');
      return command[0] === 'fail' ? 42 : 0;
    },
  });
});
afterAll(async () => {
  echo.close();
  await api.stop();
});

async function* following(): AsyncGenerator<string> {
  yield 'first';
  yield 'last';
}

function collector() {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  return { stream, text: () => text };
}

describe('exec through the official client', () => {
  const run = async (command: string[], input?: string) => {
    const out = collector();
    const err = collector();
    let stdin: PassThrough | null = null;
    if (input !== undefined) {
      stdin = new PassThrough();
      stdin.end(input);
    }
    const status = await new Promise<{ status?: string; details?: { causes?: { message?: string }[] } }>(
      (resolve, reject) => {
        new Exec(config)
          .exec('default', 'main', 'main', command, out.stream, err.stream, stdin, false, resolve)
          .catch(reject);
      },
    );
    return { status, out: out.text(), err: err.text() };
  };

  test('input, output and success come through', async () => {
    const { status, out } = await run(['cat'], 'hello');
    expect([status.status, out]).toEqual(['Success', '<hello>']);
  });

  test('the exit code and the error output come through', async () => {
    const { status, err } = await run(['fail']);
    expect(status).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode' });
    expect([status.details?.causes?.[0]?.message, err]).toEqual(['42', 'it failed\n']);
  });

  test('the container sees its environment as a kubelet makes it', async () => {
    expect(JSON.parse((await run(['env'])).out)).toEqual({
      PLAIN: 'a\n"b" \'c\' {{ d }} --- ',
      HOME: '/root',
      EXPANDED: '/root/x $(HOME) $(NONE) $HOME',
      TOKEN: 's3cret',
      NAME: 'main',
    });
  });
});

describe('port-forward through the official client', () => {
  const forward = async (port: number, input: Buffer) => {
    const stdin = new PassThrough();
    const out = new PassThrough();
    const err = collector();
    const parts: Buffer[] = [];
    let size = 0;
    const socket = await new PortForward(config).portForward(
      'default',
      'main',
      [port],
      out,
      err.stream,
      stdin,
    );
    const finished = new Promise<void>((done) => {
      out.on('data', (chunk: Buffer) => {
        parts.push(chunk);
        size += chunk.length;
        if (size >= input.length) done();
      });
      err.stream.on('data', () => done());
    });
    stdin.write(input);
    await finished;
    if ('close' in socket) socket.close();
    return { out: Buffer.concat(parts), err: err.text() };
  };

  test('8 MiB go and come back unchanged', async () => {
    const input = Buffer.alloc(8 * 1024 * 1024, 'abcdefg');
    const { out, err } = await forward(8080, input);
    expect([out.equals(input), err]).toEqual([true, '']);
  });

  test('a port where nothing listens is told on the error channel', async () => {
    expect((await forward(8081, Buffer.from('x'))).err).toContain('failed to connect to localhost:8081');
    expect((await forward(9999, Buffer.from('x'))).err).toContain('connection refused');
  });
});

describe('logs', () => {
  const log = (query: string, name = 'main') => send(api, 'GET', `${pathOf('Pod')}/${name}/log?${query}`);

  test('through the official client', async () => {
    const out = collector();
    const ended = new Promise((done) => out.stream.on('end', done));
    await new Log(config).log('default', 'main', 'main', out.stream, { follow: true });
    await ended;
    expect(out.text()).toBe('first\nlast\n');
  });

  test('the end of them', async () => {
    expect((await log('tailLines=2')).body).toBe('main 2\nmain 3\n');
    expect((await log('tailLines=0')).body).toBe('');
    expect((await log('')).body).toContain('main 1\n');
  });

  test('a container must be named where there are two, and exist', async () => {
    const unnamed = await log('', 'two');
    expect([unnamed.code, unnamed.body.message]).toEqual([
      400,
      expect.stringContaining('choose one of: [main side]'),
    ]);
    expect((await log('container=side', 'two')).body).toContain('side 1');
    expect((await log('container=ghost', 'two')).code).toBe(400);
    expect((await log('', 'ghost')).code).toBe(404);
  });

  test('a container that has not started has none, nor a previous one that never was', async () => {
    const { code, body } = await log('', 'young');
    expect([code, body.message]).toEqual([
      400,
      expect.stringContaining('waiting to start: ContainerCreating'),
    ]);
    expect((await log('previous=true')).body.message).toContain('previous terminated container');
  });
});

test('a Pod that does not run cannot be reached', async () => {
  const refusal = await new Promise<string>((done) => {
    const outgoing = request(`${api.url}${pathOf('Pod')}/young/portforward?ports=8080`, {
      ca: api.certificateAuthority,
      agent: false,
      headers: { authorization: `Bearer ${api.token}`, connection: 'Upgrade', upgrade: 'websocket' },
    });
    outgoing.on('response', (incoming) => incoming.on('data', (chunk) => done(String(chunk))));
    outgoing.end();
  });
  expect(refusal).toContain('unable to forward port because pod is not running');
  const exec = new Exec(config).exec('default', 'young', 'main', ['true'], null, null, null, false);
  await expect(exec).rejects.toMatchObject({ message: expect.stringContaining('500') });
});

test('the official client reads, writes and watches', async () => {
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: { name: 'typed' }, data: { a: '1' } },
  });
  const objects = KubernetesObjectApi.makeApiClient(config);
  const header = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typed', namespace: 'default' } };
  expect(await objects.read(header)).toMatchObject({ data: { a: '1' } });
  const seen: string[] = [];
  const done = new Promise<void>((resolve) => {
    void new Watch(config).watch(
      '/api/v1/namespaces/default/configmaps',
      { fieldSelector: 'metadata.name=typed' },
      (type) => {
        seen.push(type);
        if (type === 'DELETED') resolve();
      },
      () => resolve(),
    );
  });
  while (seen.length === 0) await new Promise((later) => setTimeout(later, 5));
  await objects.delete(header);
  await done;
  expect(seen).toEqual(['ADDED', 'DELETED']);
  await expect(core.readNamespacedConfigMap({ namespace: 'default', name: 'typed' })).rejects.toMatchObject({
    code: 404,
  });
  await expect(
    core.createNamespacedConfigMap({ namespace: 'default', body: configMap('a_b', {}) }),
  ).rejects.toMatchObject({ code: 422 });
});

test('references in a value are expanded once, as Kubernetes does', () => {
  const values = { A: '$(B)', B: 'b' };
  expect(expand('$(A) $$(B) $$$(B) $(C) $B $(', values)).toBe('$(B) $(B) $b $(C) $B $(');
});

test('the header dictionary of SPDY/3 is the published one', () => {
  let low = 1;
  let high = 0;
  for (const byte of SPDY_DICTIONARY) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  expect([SPDY_DICTIONARY.length, high * 65536 + low]).toEqual([1423, 0xe3c6a7c2]);
});
