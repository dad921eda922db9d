import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { configMap, deployment, endpointConfig, pod, roleBinding } from './client.js';

const SIZE = 8 * 1024 * 1024;

describeWithPrograms(['kubectl'], 'the real kubectl', () => {
  let api: KubeApi;
  let home: string;
  let backend: Server;
  let received = 0;

  beforeAll(async () => {
    api = await startKubeApi();
    home = mkdtempSync(join(tmpdir(), 'kubectl-home-'));
    backend = createServer((request, response) => {
      received = 0;
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      request.on('end', () => response.end(Buffer.alloc(SIZE, 'down')));
    });
    await new Promise<void>((done) => backend.listen(0, '127.0.0.1', done));
    const port = (backend.address() as { port: number }).port;
    api.pods.add(() => true, {
      ports: { 8080: port },
      log: ({ container }) => `${container} a\n${container} b\n`,
      exec: async ({ command, stdin, stdout, stderr }) => {
        for await (const chunk of stdin) stdout(`<${chunk}>`);
        stdout(`ran ${command.join(' ')}\n`);
        if (command[0] === 'false') stderr('failed\n');
        return command[0] === 'false' ? 3 : 0;
      },
    });
  });
  afterAll(async () => {
    backend.close();
    backend.closeAllConnections();
    await api.stop();
    rmSync(home, { recursive: true });
  });

  const start = (args: string[]): ChildProcess =>
    spawn('kubectl', ['--kubeconfig', api.kubeconfigPath, ...args], {
      env: { PATH: process.env.PATH, HOME: home },
    });

  async function kubectl(
    args: string[],
    input?: unknown,
  ): Promise<{ code: number | null; out: string; err: string }> {
    const child = start(['--request-timeout=20s', ...args]);
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    child.stdin?.end(input === undefined ? '' : typeof input === 'string' ? input : JSON.stringify(input));
    const code = await new Promise<number | null>((done) => child.on('close', done));
    return { code, out, err };
  }
  const applyFile = (object: unknown, ...more: string[]) =>
    kubectl(['apply', '--server-side', '-f', '-', ...more], object);

  test('finds the served kinds by their names and short names', async () => {
    const { out } = await kubectl(['api-resources', '-o', 'name']);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        'pods',
        'deployments.apps',
        'inferenceendpointconfigs.inference.sagemaker.aws.amazon.com',
      ]),
    );
    expect((await kubectl(['get', 'deploy,po,svc,cm,ns'])).code).toBe(0);
  });

  test('applies server-side, again without a change, and shows the owner', async () => {
    expect((await applyFile(configMap('cm', { a: '1' }))).out).toContain('serverside-applied');
    const version = api.objects.get('ConfigMap', 'default', 'cm')?.metadata.resourceVersion;
    expect((await applyFile(configMap('cm', { a: '1' }))).code).toBe(0);
    expect(api.objects.get('ConfigMap', 'default', 'cm')?.metadata.resourceVersion).toBe(version);
    const { out } = await kubectl(['get', 'cm', 'cm', '-o', 'yaml', '--show-managed-fields']);
    expect(out).toContain('manager: kubectl');
    expect(out).toContain('f:a: {}');
  });

  test('is told of a conflict by field and manager', async () => {
    await applyFile(configMap('contested', { a: '1' }), '--field-manager=mlcc');
    const { code, err } = await applyFile(configMap('contested', { a: '2' }));
    expect(code).toBe(1);
    expect(err).toContain('conflict with "mlcc": .data.a');
    expect((await applyFile(configMap('contested', { a: '2' }), '--force-conflicts')).code).toBe(0);
  });

  test.each([
    ['an unknown field', { ...configMap('bad', {}), datum: {} }, 'field not declared in schema'],
    ['a missing image', pod('bad', { image: '' }), 'spec.containers[0].image: Required value'],
    [
      'a missing namespace',
      { ...configMap('bad', {}), metadata: { name: 'bad', namespace: 'nowhere' } },
      'namespaces "nowhere" not found',
    ],
    [
      'an unknown kind',
      { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'bad' } },
      'no matches for kind "CronJob"',
    ],
  ])('is refused %s', async (_, object, message) => {
    const { code, err } = await applyFile(object);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test('is refused a change of what is immutable, in a dry run too', async () => {
    await applyFile(roleBinding('rb', 'edit'));
    const { err } = await applyFile(roleBinding('rb', 'view'), '--dry-run=server');
    expect(err).toContain('cannot change roleRef');
  });

  test('applies in the older way as well', async () => {
    const apply = (object: unknown) => kubectl(['apply', '-f', '-'], object);
    expect((await apply(deployment('old', { env: [{ name: 'A', value: '1' }] }))).out).toContain('created');
    expect((await apply(deployment('old', { env: [{ name: 'B', value: '1' }] }))).out).toContain(
      'configured',
    );
    expect((await apply(deployment('old', { env: [{ name: 'B', value: '1' }] }))).out).toContain('unchanged');
    const { out } = await kubectl([
      'get',
      'deploy',
      'old',
      '-o',
      'jsonpath={.spec.template.spec.containers[0].env}',
    ]);
    expect(JSON.parse(out)).toEqual([{ name: 'B', value: '1' }]);
  });

  test('follows a rollout, changes the image, restarts, rolls back', async () => {
    const rollout = (...args: string[]) => kubectl(['rollout', ...args, 'deploy/web']);
    const image = async () =>
      (await kubectl(['get', 'deploy', 'web', '-o', 'jsonpath={..containers[0].image}'])).out;
    await applyFile(deployment('web', {}, { replicas: 2 }));
    expect((await rollout('status', '--timeout=20s')).out).toContain('successfully rolled out');
    expect((await kubectl(['set', 'image', 'deploy/web', 'main=registry.test/app:2'])).code).toBe(0);
    expect((await rollout('status', '--timeout=20s')).code).toBe(0);
    expect((await rollout('restart')).code).toBe(0);
    expect((await rollout('status', '--timeout=20s')).code).toBe(0);
    expect((await rollout('undo', '--to-revision=1')).code).toBe(0);
    expect((await rollout('status', '--timeout=20s')).code).toBe(0);
    expect(await image()).toBe('registry.test/app:1');
    expect((await rollout('undo')).code).toBe(0);
    expect(await image()).toBe('registry.test/app:2');
  });

  test('learns that a rollout fails', async () => {
    api.plans.pods((object) =>
      object.metadata.labels?.app === 'doomed' ? { kind: 'crash-loop' } : undefined,
    );
    await applyFile(deployment('doomed', {}, { progressDeadlineSeconds: 30 }));
    const { code, err } = await kubectl(['rollout', 'status', 'deploy/doomed', '--timeout=20s']);
    expect([code, err]).toEqual([1, expect.stringContaining('exceeded its progress deadline')]);
    const events = await kubectl([
      'get',
      'events',
      '--field-selector',
      'reason=BackOff',
      '-o',
      'jsonpath={.items[*].message}',
    ]);
    expect(events.out).toContain('Back-off restarting failed container');
    expect((await kubectl(['describe', 'deploy', 'doomed'])).out).toContain('ProgressDeadlineExceeded');
  });

  test('waits for an inference endpoint, and for its end', async () => {
    await applyFile(endpointConfig('m'));
    const wait = [
      'wait',
      '--timeout=20s',
      '--for=jsonpath={.status.state}=DeploymentComplete',
      'inferenceendpointconfig/m',
    ];
    expect((await kubectl(wait)).out).toContain('condition met');
    expect((await kubectl(['delete', 'inferenceendpointconfig', 'm', '--timeout=20s'])).code).toBe(0);
    expect((await kubectl(['get', 'inferenceendpointconfig', 'm'])).err).toContain('NotFound');
  });

  describe('with a running Pod', () => {
    beforeAll(async () => {
      await applyFile(pod('p'));
      expect((await kubectl(['wait', '--for=condition=Ready', 'pod/p', '--timeout=20s'])).code).toBe(0);
    });

    test('reads its log', async () => {
      expect((await kubectl(['logs', 'p', '--tail=1'])).out).toBe('main b\n');
    });

    test('runs a command, with input and exit code', async () => {
      expect(await kubectl(['exec', 'p', '--', 'ls', '-l'])).toEqual({
        code: 0,
        out: 'ran ls -l\n',
        err: '',
      });
      expect((await kubectl(['exec', '-i', 'p', '--', 'cat'], 'hello')).out).toBe('<hello>ran cat\n');
      const failed = await kubectl(['exec', 'p', '--', 'false']);
      expect([failed.code, failed.err]).toEqual([3, expect.stringContaining('failed\n')]);
    });

    test.each(['pod/p', 'service/p'])(
      'carries 8 MiB each way through a port of %s, more than once',
      async (target) => {
        const spec = { selector: { app: 'p' }, ports: [{ port: 8080 }] };
        await applyFile({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'p' }, spec });
        const child = start(['port-forward', target, ':8080']);
        const ended = new Promise((done) => child.on('close', done));
        try {
          const port = await new Promise<string>((done) => {
            child.stdout?.on('data', (chunk) => {
              const found = /127\.0\.0\.1:(\d+)/.exec(String(chunk))?.[1];
              if (found) done(found);
            });
          });
          for (let round = 0; round < 2; round += 1) {
            const answer = await fetch(`http://127.0.0.1:${port}/`, {
              method: 'POST',
              body: Buffer.alloc(SIZE, 'up'),
            });
            expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.alloc(SIZE, 'down'))).toBe(true);
            expect(received).toBe(SIZE);
          }
        } finally {
          child.kill();
          await ended;
        }
      },
    );

    test('deletes it and waits until it is gone', async () => {
      expect((await kubectl(['delete', 'pod', 'p', '--timeout=20s'])).out).toContain('deleted');
      expect(api.objects.get('Pod', 'default', 'p')).toBeUndefined();
    });
  });

  test('is turned away with a wrong token', async () => {
    const { code, err } = await kubectl(['--token=wrong', 'get', 'pods']);
    expect([code, err]).toEqual([1, expect.stringContaining('Unauthorized')]);
  });

  test('sees a fault as the server error that it is', async () => {
    const remove = api.faults.add({
      path: '/configmaps',
      action: { kind: 'status', code: 500, message: 'etcd is away' },
    });
    expect((await kubectl(['get', 'cm'])).err).toContain('etcd is away');
    remove();
  });
});
