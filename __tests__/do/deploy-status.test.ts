import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { scriptedCatalog } from '../support/scripted-target.js';
import { DeployProject, WORKING } from './support/deploy-project.js';
import { setConfig } from './support/probe.js';

const catalog = scriptedCatalog([
  { name: 'probe', tag: 'PROBE' },
  { name: 'other', tag: 'OTHER', family: 'kubernetes' },
  { name: 'errand', tag: 'ERRAND', family: 'sagemaker-job' },
]);
const SETTINGS = ['--size', '3', '--place', 'here'];
const FIRST = ['--target', 'probe', ...SETTINGS];
const IMAGE = (name: string) => ['--set', `ECR_IMAGE_URI=${name}`];

let project: DeployProject;
beforeEach(() => {
  project = new DeployProject(catalog);
});
afterEach(() => project.remove());

/** What do/deploy leaves behind, without its time. */
function deployed(tag: string, records: Record<string, string>, settings: Record<string, string> = {}): void {
  const prefix = `DEPLOYMENT_TARGET_${tag}_`;
  setConfig(project.project, {
    DEPLOYMENT_TARGET: tag.toLowerCase(),
    SIZE: '3',
    PLACE: 'here',
    ...settings,
    ...Object.fromEntries(Object.entries(records).map(([what, value]) => [prefix + what, value])),
  });
}

const status = (tag = 'PROBE') => project.config(`DEPLOYMENT_TARGET_${tag}_STATUS`);
const record = (what: string) => project.config(`DEPLOYMENT_TARGET_PROBE_${what}`);

describe('a first deploy', () => {
  test('is Creating before the work begins, and has the success status of its descriptor afterwards', () => {
    const { code } = project.run('deploy', FIRST, {
      preflight: 'grep -c PROBE_STATUS=.Creating "$CONFIG_FILE" >>"$CALLS" || :',
      deploy: 'grep -c PROBE_STATUS=.Creating "$CONFIG_FILE" >>"$CALLS"',
    });
    expect(project.calls()).toEqual(['preflight probe none 3 red', '0', 'deploy probe none 3 red', '1']);
    expect({ code, status: status(), target: project.config('DEPLOYMENT_TARGET') }).toEqual({
      code: 0,
      status: 'InService',
      target: 'probe',
    });
  });

  test.each([
    ['is missing', undefined],
    ['defines nothing', '#!/bin/bash\n'],
  ])('of a target whose script %s fails, and names it', (_, text) => {
    const script = join(project.project.dir, 'do/deploy.d/probe');
    if (text === undefined) rmSync(script);
    else writeFileSync(script, text);
    const { code, stderr } = project.run('deploy', FIRST);
    expect([code, status()]).toEqual([1, '']);
    expect(stderr).toContain('do/deploy.d/probe');
  });

  test('[C06] works with a config that holds nothing but the name of the project', () => {
    project.dropLines(/^export (?!PROJECT_NAME)/);
    const { code, stderr } = project.run('deploy', FIRST, { deploy: 'echo "$DEPLOY_TIMEOUT" >>"$CALLS"' });
    expect({ code, unbound: stderr.includes('unbound'), status: status() }).toEqual({
      code: 0,
      unbound: false,
      status: 'InService',
    });
    expect(project.calls().at(-1)).toBe('3600');
  });

  test('that a check refuses leaves the status alone, and keeps the answers', () => {
    const { code } = project.run('deploy', FIRST, { preflight: 'return 1' });
    expect({ code, calls: project.calls() }).toEqual({ code: 1, calls: ['preflight probe none 3 red'] });
    expect({ status: status(), size: project.config('SIZE') }).toEqual({ status: '', size: '3' });
    expect(project.run('deploy', []).code).toBe(0);
  });

  test.each([
    ['return 1', 1],
    ['return 2', 2],
    ['exit 1', 1],
    ['false; echo went on >>"$CALLS"', 1],
    ['x=$(exit 255); echo went on >>"$CALLS"', 1],
    ['exit 0', 1],
  ])('[C07] that fails with `%s` is Failed, and stops there', (script, expected) => {
    const { code, stderr } = project.run('deploy', FIRST, { deploy: `_record ENDPOINT mine; ${script}` });
    expect({ code, status: status(), endpoint: record('ENDPOINT') }).toEqual({
      code: expected,
      status: 'Failed',
      endpoint: 'mine',
    });
    expect(project.calls()).not.toContain('went on');
    expect(stderr).toContain('the deployment to probe failed');
  });

  test('that fails says so, also when its status cannot be written', () => {
    const { code, stderr } = project.run('deploy', FIRST, { deploy: 'rm "$CONFIG_FILE"; return 1' });
    expect(code).toBe(1);
    expect(stderr).toContain('the deployment to probe failed');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('that gets %s is Interrupted', async (signal, expected) => {
    const { code, stderr } = await project.runAndSignal('deploy', FIRST, signal, { deploy: WORKING });
    expect({ code, status: status() }).toEqual({ code: expected, status: 'Interrupted' });
    expect(stderr).toContain('do/clean --target probe');
  });

  test('that is killed stays Creating', async () => {
    await project.runAndSignal('deploy', FIRST, 'SIGKILL', { deploy: WORKING });
    expect(status()).toBe('Creating');
  });

  test.each(['Failed', 'Creating', 'Interrupted'])('goes on over what is %s', (left) => {
    deployed('PROBE', { STATUS: left, ENDPOINT: 'mine' });
    expect(
      project.run('deploy', [], { deploy: '_recorded ENDPOINT; echo "$_RECORDED" >>"$CALLS"' }).code,
    ).toBe(0);
    expect(project.calls().slice(1)).toEqual(['deploy probe none 3 red', 'mine']);
    expect(status()).toBe('InService');
  });

  test('after an unfinished teardown finishes that first', () => {
    deployed('PROBE', { STATUS: 'Deleting', ENDPOINT: 'mine' });
    project.run('deploy', [], { deploy: '_recorded ENDPOINT; echo "left: $_RECORDED" >>"$CALLS"' });
    expect(project.calls()).toEqual([
      'clean probe none 3 red',
      'preflight probe none 3 red',
      'deploy probe none 3 red',
      'left:',
    ]);
    expect(status()).toBe('InService');
  });
});

describe('an update', () => {
  beforeEach(() => {
    deployed('PROBE', { STATUS: 'InService', ENDPOINT: 'mine', IMAGE: 'one' });
  });

  test('is what a deploy of a live target in focus does; the status stays throughout', () => {
    const { code } = project.run('deploy', ['--colour=green', ...IMAGE('two')], {
      update: 'grep -c "PROBE_STATUS=.InService" "$CONFIG_FILE" >>"$CALLS"',
    });
    expect(code).toBe(0);
    expect(project.calls()).toEqual(['preflight probe two 3 green', 'update probe two 3 green', '1']);
    expect([status(), record('IMAGE'), record('PREVIOUS_IMAGE')]).toEqual(['InService', 'two', 'one']);
  });

  test('that fails leaves the status and the images, and says so', () => {
    const { code, stderr } = project.run('deploy', IMAGE('two'), { update: 'return 1' });
    expect(code).toBe(1);
    expect([status(), record('IMAGE'), record('PREVIOUS_IMAGE')]).toEqual(['InService', 'one', undefined]);
    expect(stderr).toContain('the update of probe failed; its status is InService');
  });

  test('that fails where the service no longer serves is Failed when its script says so', () => {
    const { code, stderr } = project.run('deploy', IMAGE('two'), { update: '_set_status Failed; return 1' });
    expect([code, status()]).toEqual([1, 'Failed']);
    expect(stderr).toContain('its status is Failed');
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('that gets %s keeps the status', async (signal) => {
    const { code } = await project.runAndSignal('deploy', [], signal, { update: WORKING });
    expect([code, status()]).toEqual([{ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal], 'InService']);
  });

  test('with the same image keeps the image before', () => {
    project.run('deploy', IMAGE('two'));
    project.run('deploy', [...IMAGE('two'), '--colour', 'green']);
    expect([record('IMAGE'), record('PREVIOUS_IMAGE')]).toEqual(['two', 'one']);
  });
});

describe('--rollback', () => {
  test('updates to the image before, and back again', () => {
    deployed('PROBE', { STATUS: 'InService', IMAGE: 'two', PREVIOUS_IMAGE: 'one' });
    expect(project.run('deploy', ['--rollback', ...IMAGE('two')]).code).toBe(0);
    expect(project.calls()).toEqual(['preflight probe one 3 red', 'update probe one 3 red']);
    expect([record('IMAGE'), record('PREVIOUS_IMAGE')]).toEqual(['one', 'two']);
    project.run('deploy', ['--rollback']);
    expect([record('IMAGE'), record('PREVIOUS_IMAGE')]).toEqual(['two', 'one']);
  });

  test('after an update that ended the service deploys the image that served last', () => {
    deployed('PROBE', { STATUS: 'Failed', IMAGE: 'one', PREVIOUS_IMAGE: 'zero' });
    expect(project.run('deploy', ['--rollback', ...IMAGE('two')]).code).toBe(0);
    expect(project.calls()[1]).toBe('deploy probe one 3 red');
    expect([status(), record('IMAGE')]).toEqual(['InService', 'one']);
  });

  test('without an image before fails, and changes nothing', () => {
    deployed('PROBE', { STATUS: 'InService', IMAGE: 'one' });
    const before = project.snapshot();
    const { code, stderr } = project.run('deploy', ['--rollback']);
    expect(code).toBe(1);
    expect(stderr).toContain('no image to go back to');
    expect(project.snapshot()).toEqual(before);
  });
});

describe('two live targets', () => {
  beforeEach(() => {
    deployed('PROBE', { STATUS: 'InService', ENDPOINT: 'at probe' });
    deployed('OTHER', { STATUS: 'Running', ENDPOINT: 'at other' }, { SIZE: '4' });
  });

  test('each keep their own status and records when one is deployed anew', () => {
    deployed('OTHER', { STATUS: '', ENDPOINT: '' });
    project.run('deploy', [], { deploy: '_record ENDPOINT elsewhere' });
    expect([status('PROBE'), status('OTHER')]).toEqual(['InService', 'Running']);
    expect(record('ENDPOINT')).toBe('at probe');
    expect(project.config('DEPLOYMENT_TARGET_OTHER_ENDPOINT')).toBe('elsewhere');
  });

  test('--target of the one out of focus only moves the focus, and says where it is', () => {
    const { code, stderr } = project.run('deploy', ['--target', 'probe']);
    expect({ code, calls: project.calls() }).toEqual({ code: 0, calls: [] });
    expect(project.config('DEPLOYMENT_TARGET')).toBe('probe');
    expect(stderr).toContain('at probe');
  });

  test('an answers file that names the one out of focus moves the focus, and says that nothing else was done', () => {
    const answers = join(project.project.home, 'answers.json');
    writeFileSync(answers, '{"DEPLOYMENT_TARGET": "probe", "SIZE": "8"}');
    const { code, stderr } = project.run('deploy', ['--answers-file', answers]);
    expect({ code, calls: project.calls() }).toEqual({ code: 0, calls: [] });
    expect([project.config('DEPLOYMENT_TARGET'), project.config('SIZE')]).toEqual(['probe', '4']);
    expect(stderr).toContain('were not applied');
  });

  test('--target of the one out of focus with settings is refused: they would be lost', () => {
    const before = project.snapshot();
    const { code, stderr } = project.run('deploy', ['--target', 'probe', '--size=9']);
    expect(code).toBe(2);
    expect(stderr).toContain('--force');
    expect(project.snapshot()).toEqual(before);
  });

  test('--force updates it and moves the focus', () => {
    expect(project.run('deploy', ['--target', 'probe', '--force', '--size=9']).code).toBe(0);
    expect(project.calls()).toContain('update probe none 9 red');
    expect(project.config('DEPLOYMENT_TARGET')).toBe('probe');
  });

  test('--set DEPLOYMENT_TARGET updates it for this run, without moving the focus', () => {
    expect(project.run('deploy', ['--set', 'DEPLOYMENT_TARGET=probe']).code).toBe(0);
    expect(project.calls()).toContain('update probe none 4 red');
    expect(project.config('DEPLOYMENT_TARGET')).toBe('other');
  });
});

test('a job starts anew each time, in focus or not', () => {
  const errand = ['--target', 'errand', ...SETTINGS];
  project.run('deploy', errand);
  expect(status('ERRAND')).toBe('Completed');
  project.run('deploy', []);
  deployed('PROBE', { STATUS: 'InService' });
  expect(project.calls().filter((call) => call.startsWith('deploy'))).toHaveLength(2);
  project.run('deploy', ['--target', 'errand']);
  expect(project.calls()).toEqual(['preflight errand none 3 red', 'deploy errand none 3 red']);
});

describe('--reconfigure', () => {
  beforeEach(() => {
    deployed('PROBE', { STATUS: 'InService', ENDPOINT: 'mine' }, { COLOUR: 'green', NOTE: 'remember' });
  });

  test('of a live deployment needs --yes where nobody can be asked', () => {
    const before = project.snapshot();
    const { code, stderr } = project.run('deploy', ['--reconfigure']);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(stderr).toContain('SIZE=3');
    expect(project.snapshot()).toEqual(before);
  });

  test('with --yes cleans, keeps what is asked for, clears the rest, and deploys', () => {
    expect(project.run('deploy', ['--reconfigure', '--yes', '--size', '8']).code).toBe(0);
    expect(project.calls()).toEqual([
      'preflight probe none 8 green',
      expect.stringMatching(/^clean probe/),
      'preflight probe none 8 green',
      'deploy probe none 8 green',
    ]);
    expect([status(), record('ENDPOINT')]).toEqual(['InService', '']);
    expect(['SIZE', 'COLOUR', 'NOTE'].map((key) => project.config(key))).toEqual(['8', 'green', '']);
  });

  test.each([
    ['a wrong setting', ['--size', 'x'], 2, {}],
    ['a failed check', ['--size', '8'], 1, { preflight: 'return 1' }],
  ])('with %s cleans nothing', (_, args, expected, behaviour) => {
    const before = project.snapshot();
    expect(project.run('deploy', ['--reconfigure', '--yes', ...args], behaviour).code).toBe(expected);
    expect(project.calls().join()).not.toContain('clean');
    expect(project.snapshot()).toEqual(before);
  });

  test('stops when the teardown fails, with the state kept', () => {
    expect(project.run('deploy', ['--reconfigure', '--yes'], { clean: 'return 1' }).code).toBe(1);
    expect(project.calls().at(-1)).toMatch(/^clean/);
    expect([status(), record('ENDPOINT'), project.config('NOTE')]).toEqual(['Deleting', 'mine', 'remember']);
  });
});
