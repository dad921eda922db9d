import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog, type Target } from '../../lib/catalog/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { fakeProgram } from './support/fake-program.js';
import { setConfig } from './support/probe.js';
import { runInTerminal } from './support/run-in-terminal.js';

const catalog = loadCatalog();
const targets = catalog.targets.map(({ manifest }) => manifest);
type Manifest = Target['manifest'];

let project: TestProject;
beforeEach(() => {
  project = makeProject({ answers: { awsRegion: 'eu-west-1', deploymentTarget: targets[0]?.target ?? '' } });
});
afterEach(() => project.remove());

const rows = (env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = project.run('do/status', ['--json'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>[];
};
const rowOf = (manifest: Manifest, env: Record<string, string>) =>
  rows(env).find(({ target }) => target === manifest.target);

const tagOf = (manifest: Manifest) => manifest.status_var.replace(/_STATUS$/, '');
const deployed = (manifest: Manifest) =>
  setConfig(project, {
    [manifest.status_var]: manifest.success_status,
    ...Object.fromEntries(
      ['ENDPOINT', 'COMPONENT', 'JOB', 'NAME', 'CONTEXT', 'NAMESPACE'].map((what) => [
        `${tagOf(manifest)}_${what}`,
        `my-${what.toLowerCase()}`,
      ]),
    ),
    [`${tagOf(manifest)}_KUBECONFIG`]: '/kube config',
  });

test('in a fresh project every target is not deployed, and nothing is asked', () => {
  const PATH = fakeProgram(project, 'aws', 'echo called >&2; exit 1');
  expect(rows({ PATH })).toEqual(
    targets.map(({ target }) => ({
      target,
      focus: target === targets[0]?.target,
      status: 'not deployed',
      live: null,
      reason: null,
    })),
  );
  const { code, stdout, stderr } = project.run('do/status', [], { env: { PATH } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const { target } of targets)
    expect(stdout).toMatch(new RegExp(`^[ *] ${target} +not deployed +-$`, 'm'));
});

test.each(targets)(
  'the focus is on $target when DEPLOYMENT_TARGET says so, by any of its names',
  (manifest) => {
    for (const name of [manifest.target, ...manifest.aliases]) {
      setConfig(project, { DEPLOYMENT_TARGET: name });
      expect(
        rows()
          .filter(({ focus }) => focus)
          .map(({ target }) => target),
      ).toEqual([manifest.target]);
    }
    setConfig(project, { DEPLOYMENT_TARGET: 'nowhere' });
    expect(rows().filter(({ focus }) => focus)).toEqual([]);
  },
);

test('--target shows one target, by any name; others are refused', () => {
  for (const { target, aliases } of targets) {
    for (const name of [target, ...aliases]) {
      for (const args of [['--target', name], [`--target=${name}`]]) {
        const { stdout } = project.run('do/status', [...args, '--json']);
        expect((JSON.parse(stdout) as { target: string }[]).map((row) => row.target)).toEqual([target]);
      }
    }
  }
  const unknown = project.run('do/status', ['--target', 'nowhere']);
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain(targets.map(({ target }) => target).join(', '));
  expect(project.run('do/status', ['--bogus'])).toMatchObject({ code: 2, stdout: '' });
});

describe.each(targets)('what is live of $target', (manifest) => {
  test('is unknown without tools, with the reason, and the exit is 0', () => {
    deployed(manifest);
    expect(rowOf(manifest, { PATH: '/nonexistent' })).toMatchObject({
      status: manifest.success_status,
      live: 'unknown',
      reason: expect.stringContaining('not installed'),
    });
  });

  test("is the service's own word, asked by the recorded names alone", () => {
    deployed(manifest);
    const calls = `printf '%s\\n' "$*" "\${KUBECONFIG-}" >>"$HOME/calls"`;
    fakeProgram(
      project,
      'aws',
      `${calls}\ncase $* in *transform*) printf 'InProgress\\tNone' ;; *) printf 'InService\\tNone' ;; esac`,
    );
    const PATH = fakeProgram(
      project,
      'kubectl',
      `${calls}\ncase $* in *Available*) echo 'True 2/2' ;; *) echo DeploymentComplete ;; esac`,
    );
    const live = {
      'sagemaker-endpoint': 'InService',
      'sagemaker-job': 'InProgress',
      kubernetes: manifest.workload === 'deployment' ? 'Running 2/2 ready' : 'DeploymentComplete',
    }[manifest.family];
    expect(rowOf(manifest, { PATH })).toMatchObject({ live, reason: null });
    const asked = readFileSync(join(project.home, 'calls'), 'utf8');
    const named = {
      component: [
        'describe-endpoint --endpoint-name my-endpoint ',
        'describe-inference-component --inference-component-name my-component ',
      ],
      async: ['describe-endpoint --endpoint-name my-endpoint '],
      job: ['describe-transform-job --transform-job-name my-job '],
      pod: [
        '--context my-context --namespace my-namespace --request-timeout=10s get ',
        ' my-name ',
        '\n/kube config\n',
      ],
    }[manifest.invocation];
    for (const words of named) expect(asked).toContain(words);
  });

  test('is not found when the service does not know it, or when no name is recorded', () => {
    deployed(manifest);
    fakeProgram(
      project,
      'aws',
      `echo 'An error occurred (ValidationException) when calling X: Could not find it' >&2; exit 254`,
    );
    const PATH = fakeProgram(
      project,
      'kubectl',
      `echo 'Error from server (NotFound): no such thing' >&2; exit 1`,
    );
    expect(rowOf(manifest, { PATH })).toMatchObject({ status: manifest.success_status, live: 'not found' });
    const records = ['ENDPOINT', 'COMPONENT', 'JOB', 'NAME'].map((what) => [
      `${tagOf(manifest)}_${what}`,
      '',
    ]);
    setConfig(project, Object.fromEntries(records));
    expect(rowOf(manifest, { PATH: '/nonexistent' })).toMatchObject({
      live: 'not found',
      reason: expect.stringContaining('recorded'),
    });
  });

  test('carries the reason that the service gives', () => {
    if (manifest.family === 'kubernetes') return;
    deployed(manifest);
    const PATH = fakeProgram(project, 'aws', `printf 'Failed\tno capacity: "all" gone'`);
    expect(rowOf(manifest, { PATH })).toMatchObject({ live: 'Failed', reason: 'no capacity: "all" gone' });
  });
});

test('without credentials one call is made for all targets, and the exit is 0', () => {
  for (const manifest of targets) deployed(manifest);
  fakeProgram(project, 'kubectl', 'echo refused >&2; exit 1');
  const PATH = fakeProgram(
    project,
    'aws',
    `echo call >>"$HOME/calls"; echo 'Unable to locate credentials' >&2; exit 253`,
  );
  const answers = rows({ PATH });
  expect(answers.map(({ live }) => live)).toEqual(targets.map(() => 'unknown'));
  const sagemaker = answers.filter((_, index) => targets[index]?.family !== 'kubernetes');
  for (const { reason } of sagemaker) expect(reason).toBe('Unable to locate credentials');
  expect(readFileSync(join(project.home, 'calls'), 'utf8')).toBe('call\n');
});

test('[C29] on a terminal nothing is paged, however much the service says', () => {
  const endpoint = targets.find(({ family }) => family === 'sagemaker-endpoint');
  if (!endpoint) throw new Error('no target with an endpoint');
  deployed(endpoint);
  const pager =
    'pager=${AWS_PAGER-less}; if [[ -n $pager ]]; then echo paged >>"$HOME/calls"; read -r key </dev/tty; fi';
  const PATH = fakeProgram(
    project,
    'aws',
    `${pager}\nfor ((i = 0; i < 200; i++)); do echo "line $i" >&2; done; exit 255`,
  );
  const { code, output } = runInTerminal(project, 'do/status', [], { PATH });
  expect(code).toBe(0);
  expect(output).toContain('unknown');
  expect(existsSync(join(project.home, 'calls'))).toBe(false);
});
