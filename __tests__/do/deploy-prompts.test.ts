import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { scriptedCatalog } from '../support/scripted-target.js';
import { CTRL_C, CTRL_D } from '../support/terminal.js';
import { DeployProject } from './support/deploy-project.js';
import { setConfig } from './support/probe.js';

const catalog = scriptedCatalog([{ name: 'probe', tag: 'PROBE' }]);
const number = catalog.targets.findIndex(({ manifest }) => manifest.target === 'probe') + 1;

let project: DeployProject;
beforeEach(() => {
  project = new DeployProject(catalog);
  setConfig(project.project, { DEPLOYMENT_TARGET: '' });
});
afterEach(() => project.remove());

const stored = (...keys: string[]) => keys.map((key) => project.config(key));

describe('a deploy', () => {
  test('asks for the target and for what is missing, again after a wrong answer, and stores the answers', () => {
    const { code, output } = project.onTerminal(
      'deploy',
      [],
      [
        ['Deployment target: ', '999\n'],
        ['Deployment target: ', `${number}\n`],
        ['How large: ', 'huge\n'],
        ['How large: ', '\n'],
        ['How large: ', ' 7 \n'],
        ['Where: ', 'über $(touch MARKER) \'"\n'],
      ],
    );
    expect(output).toContain('A whole number.');
    expect(output).toContain('"huge" is not allowed');
    expect(output).toContain('a value is needed');
    expect(output).not.toContain('Which colour');
    expect(code).toBe(0);
    expect(stored('DEPLOYMENT_TARGET', 'SIZE', 'PLACE')).toEqual(['probe', '7', 'über $(touch MARKER) \'"']);
    expect(project.snapshot()).not.toHaveProperty('MARKER');
    expect(project.calls()).toContain('deploy probe none 7 red');
    expect(project.onTerminal('deploy', [], []).code).toBe(0);
  });

  test('takes a name for the target, and asks only for what no flag gives', () => {
    const { code, output } = project.onTerminal(
      'deploy',
      ['--size=4'],
      [
        ['Deployment target: ', 'probe\n'],
        ['Where: ', 'here\n'],
      ],
    );
    expect(code).toBe(0);
    expect(output).not.toContain('How large');
  });

  test('--yes asks nothing: what is missing is a usage error', () => {
    const before = project.snapshot();
    const { code, output } = project.onTerminal('deploy', ['--target', 'probe', '--yes'], []);
    expect(code).toBe(2);
    expect(output).toContain('--size is missing');
    expect(output).toContain('--place is missing');
    expect(project.snapshot()).toEqual(before);
  });

  test.each([
    ['Control-C at the target', [['Deployment target: ', CTRL_C]], 130],
    [
      'Control-C at a setting',
      [
        ['Deployment target: ', 'probe\n'],
        ['How large: ', '3\n'],
        ['Where: ', CTRL_C],
      ],
      130,
    ],
    [
      'Control-D at a setting',
      [
        ['Deployment target: ', 'probe\n'],
        ['How large: ', CTRL_D],
      ],
      2,
    ],
  ] as const)('%s changes nothing', (_, dialogue, expected) => {
    const before = project.snapshot();
    const { code, output, unasked } = project.onTerminal('deploy', [], dialogue);
    expect({ code, unasked, calls: project.calls() }).toEqual({ code: expected, unasked: [], calls: [] });
    expect(output).not.toContain('Traceback');
    expect(project.snapshot()).toEqual(before);
  });

  test('Control-C during the work is an interruption', () => {
    const { code, output } = project.onTerminal(
      'deploy',
      ['--target', 'probe', '--size=3', '--place=here'],
      [['working', CTRL_C]],
      { deploy: 'echo working; for step in 1 2 3 4 5 6 7 8; do sleep 1; done' },
    );
    expect([code, project.config('DEPLOYMENT_TARGET_PROBE_STATUS')]).toEqual([130, 'Interrupted']);
    expect(output).toContain('do/clean --target probe');
  });
});

describe('--reconfigure', () => {
  beforeEach(() => {
    project.run('deploy', ['--target', 'probe', '--size=3', '--place=here', '--colour=green', '--note=old']);
    project.calls();
  });

  test('shows the settings, asks before it deletes, and offers each current value', () => {
    const { code, output } = project.onTerminal(
      'deploy',
      ['--reconfigure'],
      [
        ['NOTE=old', ''],
        ['[y/N]', 'y\n'],
        ['How large [3]: ', '5\n'],
        ['Where [here]: ', '\n'],
        ['Which colour [green]: ', '1\n'],
      ],
    );
    expect(code).toBe(0);
    expect(output).toContain('probe is InService');
    expect(project.calls().map((line) => line.split(' ')[0])).toEqual([
      'preflight',
      'clean',
      'preflight',
      'deploy',
    ]);
    expect(stored('SIZE', 'PLACE', 'COLOUR', 'NOTE')).toEqual(['5', 'here', 'red', '']);
  });

  test('does not ask for what a flag gives', () => {
    const { code, output } = project.onTerminal(
      'deploy',
      ['--reconfigure', '--size=9', '--colour=red'],
      [
        ['[y/N]', 'y\n'],
        ['Where [here]: ', 'there\n'],
      ],
    );
    expect(code).toBe(0);
    expect(output).not.toContain('How large');
    expect(stored('SIZE', 'PLACE', 'COLOUR')).toEqual(['9', 'there', 'red']);
  });

  test.each([
    ['a no', [['[y/N]', '\n']], 1],
    ['Control-C at the question', [['[y/N]', CTRL_C]], 130],
    [
      'Control-C at a setting',
      [
        ['[y/N]', 'y\n'],
        ['How large [3]: ', CTRL_C],
      ],
      130,
    ],
  ] as const)('%s changes nothing', (_, dialogue, expected) => {
    const before = project.snapshot();
    const { code, unasked } = project.onTerminal('deploy', ['--reconfigure'], dialogue);
    expect({ code, unasked, calls: project.calls() }).toEqual({ code: expected, unasked: [], calls: [] });
    expect(project.snapshot()).toEqual(before);
  });
});
