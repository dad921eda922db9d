import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { headerFaults, parseHeader } from '../../lib/contract/index.js';
import { isolatedEnv, makeProject, type TestProject } from '../support/project.js';
import { CTRL_C, onTerminal } from '../support/terminal.js';
import { fakeProgram } from './support/fake-program.js';
import { ModelAws } from './support/model-aws.js';
import { serve, setRecords, until } from './support/pod-project.js';
import { setConfig } from './support/probe.js';
import { usePython } from './support/python.js';
import { isAlive, startScript } from './support/run-async.js';

const catalog = loadCatalog();
const targets = catalog.targets.map(({ manifest }) => manifest);
const VERBS = ['test', 'logs'] as const;

let project: TestProject;
beforeEach(() => {
  project = makeProject({ answers: { deploymentTarget: targets[0]?.target ?? '', awsRegion: 'eu-west-1' } });
});
afterEach(() => project.remove());

describe.each(VERBS)('do/%s', (verb) => {
  /** A run in which every program that could reach a service fails the test. */
  const run = (args: readonly string[]) => {
    const called = 'echo "called: $*" >&2; exit 99';
    fakeProgram(project, 'kubectl', called);
    return project.run(`do/${verb}`, args, { env: { PATH: fakeProgram(project, 'aws', called) } });
  };

  test('has a header that agrees with the registry', () => {
    const { header } = parseHeader(`do/${verb}`, readFileSync(join(project.dir, 'do', verb), 'utf8'));
    if (!header) throw new Error('no header');
    expect(headerFaults(`do/${verb}`, header, catalog)).toEqual([]);
  });

  test('--help shows every flag in any state', () => {
    const { code, stdout, stderr } = run(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const flags = verb === 'test' ? ['--prompt', '--body', '--timeout'] : ['--since', '--tail', '--follow'];
    for (const flag of flags) expect(stdout).toMatch(new RegExp(`^  ${flag}\\b`, 'm'));
  });

  test.each(targets)('is refused with 3 while $target has no status, and nothing is called', (manifest) => {
    setConfig(project, { DEPLOYMENT_TARGET: manifest.target });
    const { code, stdout, stderr } = run([]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(verb === 'test' ? 'deployment-active' : 'deployment-recorded');
  });

  test.each(targets)('meets its guard on a failed $target: only logs goes on', (manifest) => {
    setConfig(project, { DEPLOYMENT_TARGET: manifest.target, [manifest.status_var]: 'Failed' });
    const { code, stdout, stderr } = run([]);
    expect({ code, stdout }).toEqual({ code: verb === 'test' ? 3 : 0, stdout: '' });
    if (verb === 'logs') expect(stderr).toContain('nothing was created');
    expect(stderr).not.toContain('called');
  });

  test.each(targets)(
    '[C06] with a config that knows no record of $target says so, in both states',
    (manifest) => {
      const file = join(project.dir, 'do/config');
      const kept = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => !/^export (DEPLOYMENT_TARGET_|MODEL_|HF_|AWS_)/.test(line));
      writeFileSync(file, kept.join('\n'));
      setConfig(project, {
        DEPLOYMENT_TARGET: manifest.target,
        [manifest.status_var]: manifest.success_status,
      });
      const { code, stdout, stderr } = run([]);
      expect({ code, stdout }).toEqual({ code: verb === 'test' ? 1 : 0, stdout: '' });
      expect(stderr).toContain('recorded');
      expect(stderr).not.toMatch(/unbound|line [0-9]+:/);
    },
  );
});

test.each([
  ['test', '--timeout'],
  ['test', '--timeout=0'],
  ['test', '--timeout=1.5'],
  ['test', '--timeout=-1'],
  ['test', '--timeout=soon'],
  ['test', '--body='],
  ['test', '--body=@/no/such/file'],
  ['test', '--body={"inputs":'],
  ['test', '--body={}', '--prompt=x'],
  ['test', '--bogus'],
  ['test', 'hello'],
  ['logs', '--since'],
  ['logs', '--since='],
  ['logs', '--since=10'],
  ['logs', '--since=0m'],
  ['logs', '--since=1w'],
  ['logs', '--since=1h30m'],
  ['logs', '--tail=0'],
  ['logs', '--tail=all'],
  ['logs', '--tail'],
  ['logs', '--follow=yes'],
  ['logs', '--bogus'],
])('do/%s %s %s is a usage error before any call', (verb, ...args) => {
  const [manifest] = targets.filter(({ invocation }) => invocation === 'component');
  if (!manifest) throw new Error('no target has components');
  setRecords(project, manifest, { STATUS: manifest.success_status, ENDPOINT: 'e', COMPONENT: 'c' });
  setConfig(project, { DEPLOYMENT_TARGET: manifest.target });
  const aws = new ModelAws(project);
  const { code, stdout, stderr } = project.run(`do/${verb}`, args.filter(Boolean), {
    env: { PATH: aws.PATH },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`Usage: do/${verb}`);
  expect(aws.calls()).toEqual([]);
});

describe('a port-forward', () => {
  const manifest = targets.find(({ invocation }) => invocation === 'pod');
  if (!manifest) throw new Error('no target has pods');
  const listings = `
case $* in
  *' get deployments'*) echo "my-name , app=x,"; exit ;;
  *' get pods'*) echo "my-pod Running True -"; exit ;;
esac
echo $$ >"$HOME/forward"
`;
  /** A kubectl that finds one pod, and whose port-forward does this. */
  const kubectl = (forward: string) => {
    setConfig(project, { DEPLOYMENT_TARGET: manifest.target });
    setRecords(project, manifest, {
      STATUS: manifest.success_status,
      ...{ NAME: 'my-name', CONTEXT: 'c', NAMESPACE: 'n', KUBECONFIG: '/none' },
    });
    usePython(project);
    return fakeProgram(project, 'kubectl', listings + forward);
  };
  const forwarder = () => Number(readFileSync(join(project.home, 'forward'), 'utf8'));

  test('leads to the Deployment that the recorded workload owns, and to no other', async () => {
    const model = await serve((_, response) => response.end('{"choices":[{}]}'));
    kubectl('');
    const PATH = fakeProgram(
      project,
      'kubectl',
      `case $* in
        *' get deployments'*) printf '%s\\n' 'my-name-2 ,InferenceEndpointConfig/my-name-2, app=b,' \
          'owned ,InferenceEndpointConfig/my-name, app=a,tier=x,' 'zzz ,Rollout/my-name, app=c,' ;;
        *' get pods --selector app=a,tier=x '*) printf '%s\\n' 'old Running True 2026-01-01T00:00:00Z' 'new Running True -' ;;
        *' port-forward '*' pod/new :8080') echo "Forwarding from 127.0.0.1:${model.port} -> 8080"; exec sleep 1000 ;;
        *) echo "unexpected: $*" >&2; exit 1 ;;
      esac`,
    );
    const { code, stderr } = await startScript(project, 'do/test', [], { PATH }).ended;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('pod new') });
    model.stop();
  });

  test('[C33] that cannot listen is a failure with its reason', async () => {
    const PATH = kubectl(
      'echo "error: unable to listen on any of the requested ports: [{1 8080}]" >&2; exit 1',
    );
    const { code, stderr } = await startScript(project, 'do/test', [], { PATH }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('unable to listen');
  });

  test('[C33] that has ended leaves its port to others: what they answer is never taken for the model', async () => {
    const other = await serve((_, response) => response.end('{"choices":[{}]}'));
    const PATH = kubectl(`echo "Forwarding from 127.0.0.1:${other.port} -> 8080"; exit 1`);
    const { code, stdout } = await startScript(project, 'do/test', [], { PATH }).ended;
    expect([code, stdout]).toEqual([1, '']);
    other.stop();
  });

  test('[C33] that ends in the middle of a request: what comes then is not taken for the model`s answer', async () => {
    const other = await serve((request, response) => {
      if (request.url !== '/ping') {
        process.kill(forwarder(), 'SIGKILL');
        void until(() => !isAlive(forwarder())).then(() => response.end('{"choices":[{}]}'));
      } else response.end();
    });
    const PATH = kubectl(`echo "Forwarding from 127.0.0.1:${other.port} -> 8080"; exec sleep 1000`);
    const { code, stdout, stderr } = await startScript(project, 'do/test', [], { PATH }).ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('port-forward has ended');
    other.stop();
  });

  test('[C33] that does not end when it is asked to is ended all the same', async () => {
    const model = await serve((request, response) => {
      response.statusCode = request.url === '/ping' ? 503 : 200;
      response.end();
    });
    const PATH = kubectl(
      `trap '' TERM; echo "Forwarding from 127.0.0.1:${model.port} -> 8080"; while :; do sleep 0.1; done`,
    );
    expect((await startScript(project, 'do/test', [], { PATH }).ended).code).toBe(1);
    expect(isAlive(forwarder())).toBe(false);
    model.stop();
  });

  test('[C33] Ctrl-C on a terminal in the middle of a request ends everything with 130', async () => {
    // It accepts and says nothing, for the terminal's dialogue holds this process up.
    const model = await serve(() => {});
    const PATH = kubectl(`echo "Forwarding from 127.0.0.1:${model.port} -> 8080"; exec sleep 1000`);
    const { code, unasked } = onTerminal([join(project.dir, 'do/test')], [['my-pod', CTRL_C]], {
      cwd: project.dir,
      env: isolatedEnv(project.home, { PATH, TERM: 'xterm' }),
    });
    expect([code, unasked]).toEqual([130, []]);
    expect(isAlive(forwarder())).toBe(false);
    model.stop();
  });
});
