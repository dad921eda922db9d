import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Cluster, connect } from '../../../lib/kube/index.js';
import { TestAuthority } from '../../support/certificates.js';
import { type KubeApi, startKubeApi } from '../../support/kube-api/index.js';
import { startProxy } from '../images/support/http-servers.js';

let api: KubeApi;
let folder: string;
let authority: TestAuthority;
const tokens = new Set<string>();
beforeAll(async () => {
  api = await startKubeApi({ acceptToken: (token) => tokens.has(token) });
  folder = mkdtempSync(join(tmpdir(), 'kube-client-'));
  authority = new TestAuthority();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  authority.remove();
  await api.stop();
});
beforeEach(() => {
  api.faults.clear();
  api.log.clear();
  tokens.clear();
});

type Entry = Record<string, unknown>;

/** Writes a kubeconfig for the server with changes, and returns its path. */
function kubeconfig(user: Entry = { token: api.token }, cluster: Entry = {}, name = 'config'): string {
  const server = {
    server: api.url,
    'certificate-authority-data': Buffer.from(api.certificateAuthority).toString('base64'),
  };
  const file = join(folder, name);
  const data = {
    clusters: [{ name: 'c', cluster: { ...server, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'ctx', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'ctx',
  };
  writeFileSync(file, JSON.stringify(data));
  return file;
}

const key = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };

/** One look at the cluster. */
async function look(
  file: string,
  env: NodeJS.ProcessEnv = {},
  timeoutMs = 10_000,
): Promise<string | undefined> {
  const cluster = connect({ kubeconfig: file, env: { PATH: process.env.PATH, ...env }, timeoutMs });
  try {
    return (await cluster.get(key))?.metadata.name;
  } finally {
    cluster.close();
  }
}

const failing = (file: string, env: NodeJS.ProcessEnv = {}, timeoutMs?: number) =>
  look(file, env, timeoutMs).then(
    () => {
      throw new Error('it succeeded');
    },
    (error: { message: string; why: string[]; next?: string; exit: number }) => ({
      message: error.message,
      why: error.why.join('\n'),
      next: error.next,
      exit: error.exit,
    }),
  );

describe('a login', () => {
  test('by token, by a token in a file beside the kubeconfig, by nothing', async () => {
    expect(await look(kubeconfig())).toBe('default');
    writeFileSync(join(folder, 'token'), `${api.token}\n`);
    expect(await look(kubeconfig({ tokenFile: 'token' }))).toBe('default');
    expect(await failing(kubeconfig({}))).toMatchObject({
      message: expect.stringContaining('does not accept the login of context ctx'),
      next: expect.stringContaining('log in anew'),
    });
  });

  test('a token that has changed in its file since is read anew', async () => {
    writeFileSync(join(folder, 'rotating'), 'first');
    tokens.add('first');
    const cluster = connect({ kubeconfig: kubeconfig({ tokenFile: 'rotating' }), env: {} });
    await cluster.get(key);
    tokens.clear();
    tokens.add('second');
    writeFileSync(join(folder, 'rotating'), 'second');
    expect((await cluster.get(key))?.metadata.name).toBe('default');
    cluster.close();
  });

  /** A program that prints credentials, as the kubeconfig names it. */
  const program = (text: string, more: Entry = {}) => {
    writeFileSync(join(folder, 'login'), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, 'login'), 0o755);
    return {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './login', args: ['a b'], ...more },
    };
  };
  const printing = (token: string) =>
    `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${token}"}}'`;

  test('by a program, which is asked once and told what it needs', async () => {
    const text = `echo "$1|$EXTRA|$OWN|$KUBERNETES_EXEC_INFO" >>${folder}/asked\n${printing(api.token)}`;
    const user = program(text, { env: [{ name: 'EXTRA', value: 'e x' }], provideClusterInfo: true });
    const cluster = connect({ kubeconfig: kubeconfig(user), env: { PATH: process.env.PATH, OWN: 'mine' } });
    await cluster.get(key);
    await cluster.get(key);
    cluster.close();
    const asked = readFileSync(join(folder, 'asked'), 'utf8').trimEnd().split('\n');
    expect(asked).toHaveLength(1);
    const [arguments_, extra, own, info = ''] = asked[0]?.split('|') ?? [];
    expect([arguments_, extra, own]).toEqual(['a b', 'e x', 'mine']);
    expect(JSON.parse(info)).toMatchObject({
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: api.url } },
    });
  });

  test.each<[string, Entry, object]>([
    [
      'is not installed',
      { exec: { command: 'no-such-program', installHint: 'install it so' } },
      {
        message: expect.stringContaining('`no-such-program`'),
        why: 'there is no such program',
        next: 'install it so',
      },
    ],
    [
      'fails',
      { exec: { command: 'sh', args: ['-c', 'echo "session has expired" >&2; exit 1'] } },
      { message: expect.stringContaining('failed'), why: 'session has expired' },
    ],
    ['prints nothing', { exec: { command: 'true' } }, { message: expect.stringContaining('failed') }],
    [
      'prints no credential',
      { exec: { command: 'echo', args: ['{"status":{}}'] } },
      { why: 'it printed neither a token nor a certificate' },
    ],
    [
      'is of a kind that kubectl dropped',
      { 'auth-provider': { name: 'gcp' } },
      { message: expect.stringContaining('auth-provider: gcp') },
    ],
  ])('whose program %s is a clear error, and nothing is sent', async (_, user, failure) => {
    expect(await failing(kubeconfig(user))).toMatchObject(failure);
    expect(api.log.entries).toEqual([]);
  });
});

describe('a kubeconfig', () => {
  const list = (...files: string[]) => files.join(delimiter);

  test('several are one: the first entry of a name counts, and files that are not there are left out', async () => {
    const first = join(folder, 'first');
    writeFileSync(first, 'users:\n- name: u\n  user: {token: wrong}\n');
    const second = kubeconfig();
    expect(await look(list('/nowhere', second, first))).toBe('default');
    expect((await failing(list(first, second))).message).toContain('does not accept the login');
    const cluster = connect({ env: { KUBECONFIG: list('/nowhere', second) } });
    expect([cluster.context, cluster.namespace]).toEqual(['ctx', 'default']);
    cluster.close();
  });

  test('is looked for in the home folder', () => {
    expect(() => connect({ env: { HOME: folder } })).toThrow(
      expect.objectContaining({ message: 'there is no kubeconfig: no cluster is known' }),
    );
  });

  test.each<[string, string, object]>([
    ['is not YAML', 'a: [', { message: expect.stringContaining('cannot be read') }],
    ['is something else', '- a', { message: expect.stringContaining('is not a kubeconfig') }],
    ['is empty', '', { message: 'the kubeconfig names no current context', exit: 2 }],
    [
      'names a context that is not there',
      'current-context: x\ncontexts: [{name: other, context: {cluster: c}}]',
      {
        message: 'there is no context `x` in the kubeconfig',
        why: [expect.stringMatching(/bad has other$/)],
        exit: 2,
      },
    ],
    [
      'names a cluster that is not there',
      'current-context: other\ncontexts: [{name: other, context: {cluster: c}}]',
      { message: expect.stringContaining('names the cluster `c`, which is not there') },
    ],
    [
      'has no server',
      'current-context: other\ncontexts: [{name: other, context: {cluster: c}}]\nclusters: [{name: c, cluster: {}}]',
      { message: expect.stringContaining('has no server') },
    ],
  ])('that %s is a clear error', (_, text, failure) => {
    const file = join(folder, 'bad');
    writeFileSync(file, text);
    expect(() => connect({ kubeconfig: file, env: {} })).toThrow(expect.objectContaining(failure));
  });

  test('that names a file which is not there is a clear error', async () => {
    expect(
      await failing(
        kubeconfig(
          { token: 'x' },
          { 'certificate-authority-data': undefined, 'certificate-authority': 'none.pem' },
        ),
      ),
    ).toMatchObject({
      message: 'a file that the kubeconfig names cannot be read',
      why: expect.stringContaining(join(folder, 'none.pem')),
    });
  });
});

describe('a connection', () => {
  test('that nobody answers, that is answered in another language, or by another certificate', async () => {
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done));
    const { port } = closed.address() as AddressInfo;
    const plain = await failing(kubeconfig({}, { server: `https://127.0.0.1:${port}` }));
    expect(plain.why).toBe('the server does not speak TLS');
    await new Promise((done) => closed.close(done));
    const refused = await failing(kubeconfig({}, { server: `https://127.0.0.1:${port}` }));
    expect(refused).toMatchObject({
      message: expect.stringContaining(`cannot be reached at https://127.0.0.1:${port}`),
      why: 'nothing listens there',
    });
    const nowhere = await failing(kubeconfig({}, { server: 'https://no-such-host.invalid' }));
    expect(nowhere.why).toMatch(/there is no such host|its name cannot be looked up/);
    const other = Buffer.from(authority.root.certificate).toString('base64');
    const untrusted = await failing(kubeconfig({}, { 'certificate-authority-data': other }));
    expect(untrusted.why).toMatch(/its certificate is signed by/);
    const misnamed = await failing(kubeconfig({}, { 'tls-server-name': 'other.test' }));
    expect(misnamed.why).toContain('its certificate is for another name');
    expect(api.log.entries).toEqual([]);
  });

  test('is not checked where the kubeconfig says so', async () => {
    expect(
      await look(
        kubeconfig(
          { token: api.token },
          { 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true },
        ),
      ),
    ).toBe('default');
  });

  test('that hangs ends in time, and names the way', async () => {
    api.faults.add({ action: { kind: 'hang' } });
    expect(await failing(kubeconfig(), {}, 200)).toMatchObject({
      why: 'no answer within 0.2 s',
      message: expect.stringContaining('directly (HTTPS_PROXY is not set)'),
    });
  });

  test('that breaks is tried again, but an object is not created twice', async () => {
    api.faults.add({ times: 2, action: { kind: 'drop' } });
    expect(await look(kubeconfig())).toBe('default');
    const cluster = connect({ kubeconfig: kubeconfig(), env: {} });
    api.faults.add({ method: 'POST', when: 'after', action: { kind: 'drop' } });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'once', namespace: 'default' } };
    await expect(cluster.create(object)).rejects.toMatchObject({
      why: [expect.stringMatching(/broken off|hang up/)],
    });
    expect(api.log.writes()).toHaveLength(1);
    cluster.close();
  });

  test('goes through a proxy where one is named, by the kubeconfig or the surroundings, unless NO_PROXY exempts it', async () => {
    const server = api.url.replace('127.0.0.1', 'cluster.test');
    const port = Number(new URL(api.url).port);
    const proxy = await startProxy({ [`cluster.test:${port}`]: port });
    const through = { server, 'tls-server-name': '127.0.0.1', 'insecure-skip-tls-verify': true };
    try {
      expect(
        await look(kubeconfig({ token: api.token }, { ...through, 'proxy-url': `http://${proxy.host}` })),
      ).toBe('default');
      expect(
        await look(kubeconfig({ token: api.token }, through), { HTTPS_PROXY: `http://${proxy.host}` }),
      ).toBe('default');
      const before = proxy.log.length;
      expect(before).toBeGreaterThanOrEqual(2);
      expect(await look(kubeconfig(), { HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: '127.0.0.0/8' })).toBe(
        'default',
      );
      expect(proxy.log).toHaveLength(before);
    } finally {
      await proxy.stop();
    }
    const gone = await failing(kubeconfig(), { HTTPS_PROXY: `http://${proxy.host}` });
    expect(gone.message).toContain(`through the proxy http://${proxy.host} (HTTPS_PROXY)`);
  });
});

describe('refusals', () => {
  let cluster: Cluster;
  beforeAll(() => {
    cluster = connect({ kubeconfig: kubeconfig(), env: {} });
  });
  afterAll(() => cluster.close());
  const status = (code: number, reason: string, message: string) => ({
    path: '/namespaces/default',
    action: { kind: 'status' as const, code, reason, message },
  });

  test('what is forbidden names the login and what was tried', async () => {
    api.faults.add(status(403, 'Forbidden', 'namespaces "default" is forbidden: User "u" cannot get'));
    await expect(cluster.get(key)).rejects.toMatchObject({
      message: 'reading namespace/default is forbidden',
      why: [expect.stringContaining('User "u" cannot get')],
      next: expect.stringContaining('context ctx'),
    });
  });

  test.each([
    ['pods "p" is forbidden: exceeded quota: gpus', 'change what the cluster objects to'],
    ['pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged', 'change what the cluster'],
    ['admission webhook "policy" denied the request: no label', 'change what the cluster objects to'],
    [
      'pods "p" is forbidden: error looking up service account loops/runner: serviceaccount "runner" not found',
      'create it: kubectl create serviceaccount runner --namespace loops',
    ],
    ['rolebindings "b" is forbidden: user "u" is attempting to grant RBAC permissions', 'ask for the right'],
  ])('%s: the remedy is %s', async (message, remedy) => {
    api.faults.add(status(403, 'Forbidden', message));
    await expect(cluster.get(key)).rejects.toMatchObject({
      why: [message],
      next: expect.stringContaining(remedy),
    });
  });

  test('a cluster that has too much to do is asked three times', async () => {
    api.faults.add(status(429, 'TooManyRequests', 'slow down'));
    await expect(cluster.get(key)).rejects.toMatchObject({
      why: ['slow down'],
      next: expect.stringContaining('try again later'),
    });
    expect(api.log.entries.filter(({ path }) => path.endsWith('/default'))).toHaveLength(3);
  });

  test('what a gateway says in HTML is shown as it is', async () => {
    api.faults.add({
      path: '/namespaces/default',
      action: { kind: 'status', code: 418, body: '<html>a teapot</html>' },
    });
    await expect(cluster.get(key)).rejects.toMatchObject({ why: ['<html>a teapot</html>'] });
  });
});

test('a list is read page by page to its end', async () => {
  for (let index = 0; index < 1001; index += 1) {
    api.objects.create('ConfigMap', {
      metadata: { name: `page-${index}`, namespace: 'kube-system', labels: { paged: 'yes' } },
    });
  }
  const cluster = connect({ kubeconfig: kubeconfig(), env: {} });
  const found = await cluster.list('v1', 'ConfigMap', { namespace: 'kube-system', labels: { paged: 'yes' } });
  cluster.close();
  expect(new Set(found.map(({ metadata }) => metadata.name)).size).toBe(1001);
  expect(api.log.entries.filter(({ path }) => path.endsWith('/configmaps'))).toHaveLength(3);
});

test('what the cluster warns of is told once; plain HTTP and a server below a path do too', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('warning', ['299 - "v1 is old, \\"really\\""', '299 - "use v2"']);
    response.end(
      JSON.stringify({ resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false }] }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const told: string[] = [];
  const file = kubeconfig({}, { server: `http://127.0.0.1:${port}/clusters/one/` });
  const cluster = connect({ kubeconfig: file, env: {}, onWarning: (text) => told.push(text) });
  await cluster.get(key);
  await cluster.get(key);
  cluster.close();
  expect(told).toEqual(['v1 is old, "really"', 'use v2']);
  expect(new Set(asked)).toEqual(
    new Set(['/clusters/one/api/v1', '/clusters/one/api/v1/namespaces/default']),
  );
  await new Promise((done) => server.close(done));
});
