import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { mlcc } from '../support/mlcc.js';
import {
  EXAMPLES,
  KUBERNETES_TARGETS,
  LOOP,
  PLAYBOOK,
  targetWith,
  Workplace,
} from './support/deployments.js';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.remove());

const render = (...args: string[]) => place.mlcc(['deploy', 'render', ...args]);

describe('the command lines of the examples', () => {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8').replaceAll('\\\n', ' ');
  const commands = [...readme.matchAll(/^mlcc (deploy render .*) -o (rendered\/\S+)$/gm)];

  test('there is one for each run', () => expect(commands).toHaveLength(3));

  test.each(commands.map(([, line = '', file = '']) => [file, line]))(
    '%s is what its command prints',
    async (file, line) => {
      const { code, stdout, stderr } = await mlcc(line.split(/\s+/), { cwd: EXAMPLES });
      expect({ code, stdout }).toEqual({ code: 0, stdout: readFileSync(join(EXAMPLES, file), 'utf8') });
      expect(stderr).toMatch(/^mlcc: pinning \d images offline\n$/);
    },
  );
});

test.each(KUBERNETES_TARGETS.map(({ target }) => target))(
  'a project for %s renders without a cluster, a profile or a look-up',
  async (target) => {
    const dir = place.project(target);
    const { code, stdout, stderr } = await render('--project', dir, '--no-pin');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first] = loadAll(stdout) as { metadata: { name: string } }[];
    expect(first?.metadata.name).toBe(`chat-${target}`);
  },
);

test('another target of the project, settings of this run, and a profile on top', async () => {
  const dir = place.project(targetWith('inference-endpoint-config').target);
  writeFileSync(join(place.dir, 'serving.toml'), '[cluster]\nserving_namespace = "elsewhere"\n');
  const args = [
    '--project',
    dir,
    '--target',
    targetWith('deployment').target,
    '--profile',
    'serving.toml',
    '--no-pin',
  ];
  const { code, stdout } = await place.mlcc(['deploy', 'render', ...args], { MLCC_SET_HP_REPLICAS: '7' });
  expect(code).toBe(0);
  expect(stdout).toMatch(/kind: Deployment\n[\s\S]*namespace: elsewhere\n[\s\S]*replicas: 7\n/);
});

test('a target without a workload for Kubernetes is a usage error', async () => {
  const { target } = targetWith('none');
  const { code, stdout, stderr } = await render('--project', place.project(target), '--no-pin');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`${target} has no Kubernetes workload to render`);
});

describe('flags that do not go together, or are missing', () => {
  const run = ['--manifest', 'tuning/crucible.toml', '--profile', 'profile.toml'];
  test.each<[string, string[], string]>([
    ['nothing', [], 'nothing says what to deploy'],
    [
      'both',
      ['--project', '.', '--manifest', 'tuning/crucible.toml'],
      '--project and --manifest are two deployments',
    ],
    [
      'a run without a profile',
      ['--manifest', 'tuning/crucible.toml', ...LOOP],
      'a run needs the profile of its cluster',
    ],
    [
      'a project with flags of a run',
      ['--project', '.', '--iterations', '3', '--pack'],
      '--iterations, --pack: for a run only',
    ],
    ['a target of a run', [...run, ...LOOP, '--target', 'x'], '--target is for a project only'],
    [
      'iterations of a playbook',
      [...run, ...PLAYBOOK, '--iterations', '3'],
      '--iterations: for the loop only',
    ],
    ['parameters of a loop', [...run, ...LOOP, '--param', 'a=b'], '--param: for a playbook only'],
    ['a loop without ceilings', run, '--iterations: say how many iterations'],
    ['a loop without a cost', [...run, '--iterations', '3'], '--max-cost: say what the run may cost'],
    ['a playbook without a time', [...run, '--playbook', '--max-cost', '3'], '--max-time: say how long'],
    [
      'a number that is none',
      [...run, '--iterations', 'many', '--max-cost', '3'],
      '--iterations: `many` is not a number',
    ],
    [
      'a lock without pins',
      [...run, ...LOOP, '--no-pin', '--lock', 'l.json'],
      '--no-pin and --lock contradict each other',
    ],
    [
      'a file that is not there',
      ['--manifest', 'none.toml', '--profile', 'profile.toml', ...LOOP],
      'there is no such file',
    ],
    [
      'a profile that is not there',
      ['--manifest', 'tuning/crucible.toml', '--profile', 'none.toml', ...LOOP],
      'there is no such file',
    ],
    ['a folder that is no project', ['--project', 'tuning'], 'do/config cannot be read'],
    ['a flag that is unknown', [...run, '--iteration', '3'], "unknown option '--iteration'"],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await render(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

test('[C46] names that no variable can have are refused with file, line and key, before any look-up', async () => {
  place.writeRun({ more: '[env]\n4K = "x"\n"a b" = "x"\n"db:conn" = "x"\n"A=B" = "x"\n' });
  const { code, stdout, stderr } = await render(...place.run, ...LOOP);
  expect([code, stdout]).toEqual([2, '']);
  for (const [index, name] of ['4K', 'a b', 'db:conn', 'A=B'].entries()) {
    expect(stderr).toMatch(new RegExp(`profile\\.toml:${10 + index}: .*\`${name}\``));
  }
});

test('the faults of manifest and profile are named together', async () => {
  place.writeRun({ manifest: '[agnt]\nx = 1\n', more: '[env]\n4K = "x"\n' });
  const { code, stderr } = await render(...place.run, ...LOOP);
  expect(code).toBe(2);
  expect(stderr).toMatch(/crucible\.toml:1: unknown key `agnt`/);
  expect(stderr).toMatch(/profile\.toml:10: .*`4K`/);
});

test('[C47] GPUs and quantities that the cluster refuses are refused with a suggestion', async () => {
  place.writeRun({ more: '[resources]\ngpu = 0.5\nmem_limit = "10GB"\n' });
  const { code, stderr } = await render(...place.run, ...LOOP);
  expect(code).toBe(2);
  expect(stderr).toMatch(/profile\.toml:10: .*gpu/);
  expect(stderr).toMatch(/profile\.toml:11: .*10G or 10Gi/);
});

test('[C37] what YAML readers take for booleans and numbers stays text', async () => {
  const values = ['on', 'n', 'y', 'off', '1_000', '0o17', '1e3', '0777', '008', 'null', '012345678901'];
  place.writeRun({ more: `[env]\n${values.map((value, index) => `V${index} = "${value}"`).join('\n')}\n` });
  const { stdout } = await render(...place.run, ...LOOP, '--no-pin');
  const pod = loadAll(stdout).at(-1) as {
    spec: { containers: { env: { name: string; value: string }[] }[] };
  };
  const seen = new Map(pod.spec.containers[0]?.env.map(({ name, value }) => [name, value]));
  expect(values.map((_, index) => seen.get(`V${index}`))).toEqual(values);
});

describe('-o', () => {
  test('writes the same text to a file, and nothing to standard output', async () => {
    const { stdout } = await render(...place.run, ...LOOP, '--no-pin');
    const written = await render(...place.run, ...LOOP, '--no-pin', '-o', 'run.yaml');
    expect([written.code, written.stdout]).toEqual([0, '']);
    expect(readFileSync(join(place.dir, 'run.yaml'), 'utf8')).toBe(stdout);
    expect((await render(...place.run, ...LOOP, '--no-pin', '--output', '-')).stdout).toBe(stdout);
  });

  test('a link stays a link, and a folder that does not exist is a clear error', async () => {
    writeFileSync(join(place.dir, 'real.yaml'), 'old');
    symlinkSync('real.yaml', join(place.dir, 'link.yaml'));
    await render(...place.run, ...LOOP, '--no-pin', '-o', 'link.yaml');
    expect(readFileSync(join(place.dir, 'real.yaml'), 'utf8')).toContain('kind: Pod');
    const { code, stderr } = await render(...place.run, ...LOOP, '--no-pin', '-o', 'none/run.yaml');
    expect([code, stderr]).toEqual([1, expect.stringContaining('none/run.yaml could not be written')]);
    expect(stderr).toMatch(/there is no folder .*none\n/);
    expect(stderr).not.toContain('.tmp');
  });
});

describe('--list-secrets', () => {
  test('lists what a run needs, whatever it may spend, in a file too, and looks up no image', async () => {
    place.writeRun({
      more: '[[secret_env]]\nname = "TOKEN"\nsecret = "hub"\nkey = "token"\n[secrets]\npull_authfile = "pull"\n',
    });
    const { code, stdout, stderr } = await render(...place.run, '--list-secrets');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAMESPACE', 'SECRET', 'KEY', 'NEEDED BY', 'FILLED FROM'],
      ['loops', 'pull', '.dockerconfigjson', 'secrets.pull_authfile'],
      ['loops', 'hub', 'token', 'secret_env TOKEN'],
      [''],
    ]);
    await render(...place.run, ...LOOP, '--list-secrets', '-o', 'secrets.txt');
    expect(readFileSync(join(place.dir, 'secrets.txt'), 'utf8')).toBe(stdout);
  });

  test('lists what a project needs, with where a deploy takes it from', async () => {
    const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:hub-AbCdEf';
    const { target } = targetWith('deployment');
    const { stdout } = await render(
      '--project',
      place.project(target, { HF_TOKEN_ARN: arn }),
      '--list-secrets',
    );
    expect(stdout).toMatch(new RegExp(`serving +chat-${target}-tokens +HF_TOKEN +HF_TOKEN_ARN +${arn}`));
  });
});

describe('[C44] a registry', () => {
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
  });
  let host: string;
  let asked: string[];
  let isBusy: boolean;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (isBusy) return response.writeHead(429, { 'retry-after': '7' }).end();
    const headers = {
      'content-type': 'application/vnd.oci.image.manifest.v1+json',
      'docker-content-digest': `sha256:${'d'.repeat(64)}`,
      'content-length': Buffer.byteLength(manifest),
    };
    return response.writeHead(200, headers).end();
  });
  beforeEach(async () => {
    asked = [];
    isBusy = false;
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise((done) => server.close(done)));

  /** Thirty runs with three images between them. */
  const writeRuns = () => {
    const names = Array.from({ length: 30 }, (_, index) => `run-${index}`);
    for (const name of names) {
      mkdirSync(join(place.dir, name));
      writeFileSync(
        join(place.dir, name, 'crucible.toml'),
        `[agent]\nsandbox_image = "${host}/sandbox:1"\n[deploy]\ndockerfile = "Dockerfile"\n`,
      );
    }
    writeFileSync(
      join(place.dir, 'profile.toml'),
      `[cluster]\nloop_namespace = "loops"\nrig_namespace = "rig"\nservice_account = "runner"\nsupervisor_image = "${host}/supervisor:1"\n` +
        `[image]\nloop = "${host}/loop:1"\n[registries."${host}"]\ninsecure = true\n`,
    );
    return names;
  };
  const renderRun = (name: string, ...more: string[]) =>
    render(
      '--manifest',
      `${name}/crucible.toml`,
      '--profile',
      'profile.toml',
      ...LOOP,
      '--lock',
      'mlcc.lock.json',
      '-o',
      `${name}.yaml`,
      ...more,
    );

  test('is asked once for each image of thirty workloads, whose lock then does offline', async () => {
    const names = writeRuns();
    for (const name of names) expect(await renderRun(name)).toMatchObject({ code: 0, stdout: '' });
    expect(asked.sort()).toEqual([
      'HEAD /v2/loop/manifests/1',
      'HEAD /v2/sandbox/manifests/1',
      'HEAD /v2/supervisor/manifests/1',
    ]);
    for (const name of names)
      expect(readFileSync(join(place.dir, `${name}.yaml`), 'utf8')).toContain(
        `${host}/loop:1@sha256:${'d'.repeat(64)}`,
      );
    expect((await renderRun('run-0', '--offline')).code).toBe(0);
    expect(asked).toHaveLength(3);
  });

  test('that has had enough is one clear error, and no file is half-written, new or old', async () => {
    writeRuns();
    isBusy = true;
    writeFileSync(join(place.dir, 'run-1.yaml'), 'as before');
    for (const name of ['run-0', 'run-1']) {
      const { code, stdout, stderr } = await renderRun(name);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/too many requests/i);
      expect(stderr).toContain('7');
    }
    expect(existsSync(join(place.dir, 'run-0.yaml'))).toBe(false);
    expect(readFileSync(join(place.dir, 'run-1.yaml'), 'utf8')).toBe('as before');
    expect(readdirSync(place.dir).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  });
});
