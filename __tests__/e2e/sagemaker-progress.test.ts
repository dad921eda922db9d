import { expect } from '@jest/globals';
import { describeWithAws, type EmulatedAws } from './support/emulated-aws.js';
import { type Subject, subject, subjects } from './support/sagemaker.js';
import { testSideBySide, type Work } from './support/side-by-side.js';
import { Stage } from './support/stage.js';

/** A pause is over at once, and the clock has gone on meanwhile. */
const clockGoesOn = (seconds: number) => ({
  'BASH_FUNC_sleep%%': `() { SECONDS=$((SECONDS + ${seconds})); }`,
});

describeWithAws('What do/deploy and do/clean show of a deployment on SageMaker', () => {
  testSideBySide(2, [
    ...subjects().map(
      (one) => [`one line for each step: ${one.title}`, onStage(one, hasOneLinePerStep)] as const,
    ),
    ['elapsed time on a terminal', onStage(subject('async'), showsAClock)],
    ['a line a minute elsewhere', onStage(subject('async'), showsALineAMinute)],
    [
      'why it failed in the words of the service, and what to type next',
      onStage(subject('component'), saysWhyAndWhatNext),
    ],
  ]);
});

function onStage(one: Subject, work: (stage: Stage) => Promise<void>): Work {
  return async (cloud: EmulatedAws) => {
    const stage = await Stage.set(cloud, one);
    try {
      await work(stage);
    } finally {
      stage.remove();
    }
  };
}

async function hasOneLinePerStep({ project, cloud, subject: { target } }: Stage): Promise<void> {
  for (const [verb, changes, words] of [
    ['deploy', /^Create(.*)$/, 'Creating'],
    ['clean', /^Delete(.*)$/, 'Deleting'],
  ] as const) {
    cloud.aws.calls.clear();
    const { stdout, stderr } = await project.run(verb, ['--target', target.target]);
    const steps = stderr.split('\n').filter((line) => line.startsWith('==> '));
    const calls = cloud.aws.calls.all.flatMap(({ operation }) => changes.exec(operation)?.[1] ?? []);
    expect(steps.map((line) => line.replace(/ [^ ]+$/, ''))).toEqual(
      calls.map((kind) => `==> ${words} the ${kind.replace(/(?<=[a-z])[A-Z]/g, ' $&').toLowerCase()}`),
    );
    expect(stderr).toMatch(new RegExp(`^Done: ${target.target} is `, 'm'));
    // Progress is no result.
    expect(stdout).toBe('');
  }
}

async function showsAClock({ project, cloud }: Stage): Promise<void> {
  cloud.aws.plan({ kind: 'endpoint', on: 'create', looks: 4 });
  const output = await project.runOnTerminal('deploy', ['--yes']);
  const clocks = output
    .split('\r\u001b[K')
    .filter((shown) => /^ {2}the endpoint demo: Creating \(\d+s\)$/.test(shown));
  expect(clocks.length).toBeGreaterThanOrEqual(3);
  expect(output).toMatch(/ {2}the endpoint demo: InService \(\d+s\)/);
}

async function showsALineAMinute({ project, cloud }: Stage): Promise<void> {
  cloud.aws.plan({ kind: 'endpoint', on: 'create', looks: 10 });
  const said = await project.must('deploy', [], clockGoesOn(20));
  const lines = said.split('\n').filter((line) => line.includes('the endpoint demo: Creating'));
  expect(lines.map((line) => /\((\d+)m\d\ds\)$/.exec(line)?.[1])).toEqual(['1', '2', '3']);
}

async function saysWhyAndWhatNext({ project, cloud, subject: { target } }: Stage): Promise<void> {
  const reason = 'The container of the model stopped with exit code 137.';
  cloud.aws.plan({ kind: 'inference-component', on: 'create', fails: reason });
  const { code, stderr } = await project.run('deploy');
  expect(code).toBe(1);
  expect(stderr).toMatch(/Error: the inference component demo-component: Failed after \d+s\n/);
  expect(stderr).toContain(reason);
  expect(stderr).toContain('-> do/deploy goes on where it stopped; do/logs shows what the model says');
  expect((await project.must('logs')).split('\n')).toContainEqual(expect.stringContaining(reason));
  const { stdout } = await project.run('status', ['--json']);
  expect(JSON.parse(stdout)).toContainEqual({
    target: target.target,
    focus: true,
    status: 'Failed',
    live: 'Failed',
    reason,
  });
}
