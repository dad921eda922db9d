import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EXAMPLES, KUBERNETES_TARGETS, LOOP, targetWith, Workplace } from '../cli/support/deployments.js';
import { CompiledCli } from '../support/compiled-cli.js';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { describeWithPrograms } from '../support/programs.js';

let cli: CompiledCli;
let api: KubeApi;
let place: Workplace;
beforeAll(async () => {
  cli = new CompiledCli();
  const labels = { 'node.kubernetes.io/instance-type': 'ml.g5.2xlarge' };
  api = await startKubeApi({ namespaces: ['loops', 'rig'], nodes: [{ labels }] });
  api.objects.create('ServiceAccount', { metadata: { name: 'runner', namespace: 'loops' } });
  place = new Workplace(api);
});
afterAll(async () => {
  place?.remove();
  cli?.remove();
  await api?.stop();
});

/** Why a network namespace without interfaces cannot be made here, if it cannot. */
function obstacle(): string {
  try {
    execFileSync('unshare', ['-n', 'true'], { stdio: 'ignore' });
    return '';
  } catch {
    return 'unshare -n is not allowed or not installed';
  }
}

const missing = obstacle();
const describeIsolated = missing === '' || process.env.CI === 'true' ? describe : describe.skip;
describeIsolated(`in a network namespace without interfaces${missing && ` (${missing})`}`, () => {
  const wrapper = ['unshare', '-n'];
  const line = (name: string) => {
    const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8').replaceAll('\\\n', ' ');
    const [, args = ''] = new RegExp(`^mlcc (deploy render .*) -o rendered/${name}$`, 'm').exec(readme) ?? [];
    return args.split(/\s+/);
  };

  test('a full lock is enough for mlcc deploy render --offline', async () => {
    const { code, stdout } = await cli.run(line('pd-rollout.yaml'), { cwd: EXAMPLES, wrapper });
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(join(EXAMPLES, 'rendered', 'pd-rollout.yaml'), 'utf8'));
  });

  test('without one, every missing image is named and nothing is printed', async () => {
    const args = line('pd-rollout.yaml').map((word) =>
      word === 'mlcc.lock.json' ? join(place.dir, 'no.lock') : word,
    );
    const { code, stdout, stderr } = await cli.run(args, { cwd: EXAMPLES, wrapper });
    expect([code, stdout]).toEqual([1, '']);
    for (const image of ['openshell/supervisor:v0.9', 'crucible/loop-openshell:m12', 'sandbox'])
      expect(stderr).toContain(image);
  });

  test('nothing at all is needed with --no-pin', async () => {
    const args = [
      'deploy',
      'render',
      '--project',
      place.project(targetWith('deployment').target),
      '--no-pin',
    ];
    const { code, stdout } = await cli.run(args, { cwd: place.dir, wrapper });
    expect([code, stdout]).toEqual([0, expect.stringContaining('kind: Deployment')]);
  });
});

test('processes of other locales, time zones and folders print the same bytes', async () => {
  const dir = place.project(targetWith('deployment').target);
  const config = readFileSync(join(dir, 'do', 'config'), 'utf8');
  const variables = ['zeta', 'Alpha', 'alpha', 'I_x', 'i_x', '_x', 'Zeta'];
  writeFileSync(
    join(dir, 'do', 'config'),
    `${config}${variables.map((name) => `export IC_ENV_${name}='1'\n`).join('')}`,
  );
  const render = ['deploy', 'render', '--project', dir, '--no-pin'];
  const outputs = await Promise.all(
    [
      ['C', 'UTC', dir],
      ['tr_TR.UTF-8', 'America/St_Johns', place.dir],
      ['de_DE.UTF-8', 'Pacific/Kiritimati', '/'],
    ].map(async ([locale = '', zone = '', cwd = '']) => {
      const env = { PATH: process.env.PATH ?? '', LC_ALL: locale, LANG: locale, TZ: zone };
      const { code, stdout } = await cli.run(render, { cwd, env });
      expect(code).toBe(0);
      return stdout;
    }),
  );
  expect(outputs[0]).toContain('  Alpha: "1"');
  expect(new Set(outputs).size).toBe(1);
});

test('the command ends by itself whatever became of the connection', async () => {
  const { dir, env } = place;
  const apply = ['deploy', 'apply', ...place.run, ...LOOP, '--no-pin'];
  expect(await cli.run(apply, { cwd: dir, env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('created'),
  });
  api.pods.add(() => true, {
    exec: ({ stdout }) => {
      stdout('said\n');
      return 4;
    },
  });
  await place.mlcc(['kube', 'rollout-status', 'pod/tuning-loop', '-n', 'loops', '--timeout', '1s']);
  const exec = ['kube', 'exec', '-n', 'loops', 'tuning-loop', '--', 'x'];
  expect(await cli.run(exec, { cwd: dir, env })).toEqual({ code: 4, stdout: 'said\n', stderr: '' });
  const kubeconfig = JSON.parse(api.kubeconfig());
  kubeconfig.users[0].user = { exec: { command: 'no-such-program' } };
  writeFileSync(join(dir, 'no-program'), JSON.stringify(kubeconfig));
  const failed = await cli.run([...apply, '--kubeconfig', 'no-program'], { cwd: dir, env });
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('no-such-program') });
  expect((await cli.run(['deploy', 'delete', ...place.run], { cwd: dir, env })).code).toBe(0);
});

describeWithPrograms(['bash', 'python3', 'kubectl'], 'a project’s own deploy', () => {
  const run = (dir: string, script: string, args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...place.env, MLCC: join(place.dir, 'mlcc'), MLCC_POLL_SECONDS: '0.1' };
      writeFileSync(env.MLCC, `#!/bin/sh\nexec '${process.execPath}' '${cli.program}' "$@"\n`, {
        mode: 0o755,
      });
      // Not the synchronous one: this process is also the cluster.
      import('node:child_process').then(({ execFile }) =>
        execFile(join(dir, script), args, { env, timeout: 60_000 }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
        ),
      );
    });

  test.each(KUBERNETES_TARGETS.map(({ target }) => target))(
    'shows the YAML on a dry run for %s',
    async (target) => {
      const { code, stdout, stderr } = await run(place.project(target), 'do/deploy', ['--dry-run', '--yes']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
      expect(stdout).toMatch(/^kind: (Deployment|InferenceEndpointConfig)$/m);
      expect(stdout).toContain(`name: chat-${target}\n`);
    },
  );

  test('deploys to the current context, changes nothing a second time, and cleans', async () => {
    const { target, status_var: status, success_status: success } = targetWith('deployment');
    const dir = place.project(target, {
      ECR_IMAGE_URI: `registry.test/chat@sha256:${'a'.repeat(64)}`,
      HP_CLUSTER_NAME: '',
      HP_NAMESPACE: 'default',
    });
    const name = `chat-${target}`;
    const record = (what: string) =>
      place.mlcc(['config', 'get', status.replace(/STATUS$/, what), '--dir', dir]);
    const object = () => api.objects.get('Deployment', 'default', name);

    expect(await run(dir, 'do/deploy', ['--yes'])).toMatchObject({ code: 0 });
    expect((await record('STATUS')).stdout).toBe(`${success}\n`);
    expect((await record('NAME')).stdout).toBe(`${name}\n`);
    const before = object();
    expect(before?.status).toMatchObject({ availableReplicas: 1 });

    expect(await run(dir, 'do/deploy', ['--yes'])).toMatchObject({ code: 0 });
    expect(object()?.metadata.generation).toBe(before?.metadata.generation);
    // By hand, the command finds by the records what the script deployed.
    expect((await place.mlcc(['deploy', 'apply', '--project', dir, '--wait'])).stdout).not.toMatch(
      /created|: changed/,
    );

    expect(await run(dir, 'do/clean', ['--yes'])).toMatchObject({ code: 0 });
    expect(object()).toBeUndefined();
    expect((await record('STATUS')).stdout.trim()).toBe('');
  });
});
