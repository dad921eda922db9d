import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { scriptedCatalog } from '../support/scripted-target.js';
import { DeployProject, WORKING } from './support/deploy-project.js';
import { setConfig } from './support/probe.js';

const catalog = scriptedCatalog([
  { name: 'probe', tag: 'PROBE', aliases: ['prb'] },
  { name: 'other', tag: 'OTHER', family: 'kubernetes' },
]);

let project: DeployProject;
beforeEach(() => {
  project = new DeployProject(catalog);
});
afterEach(() => project.remove());

const recordOf = (tag: string, what: string) => project.config(`DEPLOYMENT_TARGET_${tag}_${what}`);
/** Records a deployment as do/deploy leaves it. */
function deployed(tag: string, success: string): void {
  setConfig(project.project, {
    [`DEPLOYMENT_TARGET_${tag}_STATUS`]: success,
    [`DEPLOYMENT_TARGET_${tag}_ENDPOINT`]: `at ${tag}`,
    [`DEPLOYMENT_TARGET_${tag}_IMAGE`]: 'one',
  });
}

describe('nothing recorded', () => {
  test.each([[[]], [['--target', 'probe']], [['--all']], [['--all', '--dry-run']]])('%j says so', (args) => {
    setConfig(project.project, { DEPLOYMENT_TARGET: 'probe' });
    const before = project.snapshot();
    const { code, stderr } = project.run('clean', args);
    expect({ code, calls: project.calls() }).toEqual({ code: 0, calls: [] });
    expect(stderr).toContain('nothing is recorded');
    expect(project.snapshot()).toEqual(before);
  });
});

describe('wrong usage changes nothing', () => {
  test.each([
    [['--target'], '--target needs a value'],
    [['--target', 'nowhere'], 'targets: '],
    [['--all', '--target', 'probe'], 'exclude each other'],
    [['--everything'], '--everything'],
    [['probe'], 'probe'],
  ])('%j', (args, message) => {
    deployed('PROBE', 'InService');
    const before = project.snapshot();
    const { code, stderr } = project.run('clean', args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(project.snapshot()).toEqual(before);
  });

  test('without a target', () => {
    setConfig(project.project, { DEPLOYMENT_TARGET: '' });
    const { code, stderr } = project.run('clean', []);
    expect(code).toBe(2);
    expect(stderr).toContain('--target');
  });
});

describe('one target', () => {
  beforeEach(() => {
    deployed('PROBE', 'InService');
    deployed('OTHER', 'Running');
    setConfig(project.project, { DEPLOYMENT_TARGET: 'probe', SIZE: '3' });
  });

  test.each([[[]], [['--target', 'prb']], [['--target=probe', '--yes']]])(
    'with %j is Deleting during the work and forgotten afterwards, and the other is left alone',
    (args) => {
      const { code } = project.run('clean', args, { clean: 'grep PROBE_STATUS "$CONFIG_FILE" >>"$CALLS"' });
      expect(code).toBe(0);
      expect(project.calls()[1]).toBe("export DEPLOYMENT_TARGET_PROBE_STATUS='Deleting'");
      expect(['STATUS', 'ENDPOINT', 'IMAGE'].map((what) => recordOf('PROBE', what))).toEqual(['', '', '']);
      expect(['STATUS', 'ENDPOINT'].map((what) => recordOf('OTHER', what))).toEqual(['Running', 'at OTHER']);
      expect(project.config('SIZE')).toBe('3');
    },
  );

  test.each(['return 1', 'exit 255', 'false; echo went on >>"$CALLS"'])(
    '[C07] that fails with `%s` keeps its state, and a rerun finishes',
    (script) => {
      const { code, stderr } = project.run('clean', [], { clean: script });
      expect(code).toBe(1);
      expect(project.calls()).toHaveLength(1);
      expect([recordOf('PROBE', 'STATUS'), recordOf('PROBE', 'ENDPOINT')]).toEqual(['Deleting', 'at PROBE']);
      expect(stderr).toContain('do/clean --target probe');
      expect(project.run('clean', []).code).toBe(0);
      expect([recordOf('PROBE', 'STATUS'), recordOf('PROBE', 'ENDPOINT')]).toEqual(['', '']);
    },
  );

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('that gets %s keeps its state', async (signal, expected) => {
    const { code } = await project.runAndSignal('clean', [], signal, { clean: WORKING });
    expect([code, recordOf('PROBE', 'STATUS'), recordOf('PROBE', 'ENDPOINT')]).toEqual([
      expected,
      'Deleting',
      'at PROBE',
    ]);
  });

  test('with --dry-run shows the calls and changes nothing', () => {
    const before = project.snapshot();
    const { code, stdout } = project.run('clean', ['--dry-run']);
    expect({ code, calls: project.calls() }).toEqual({ code: 0, calls: [] });
    expect(stdout).toContain('would clean probe');
    expect(project.snapshot()).toEqual(before);
  });

  test('without access to AWS keeps its status', () => {
    project.writeProgram('aws', 'echo "Unable to locate credentials" >&2; exit 253');
    expect(project.run('clean', []).code).toBe(1);
    expect({ status: recordOf('PROBE', 'STATUS'), calls: project.calls() }).toEqual({
      status: 'InService',
      calls: [],
    });
  });

  test('forgets the status last', () => {
    setConfig(project.project, { DEPLOYMENT_TARGET_PROBE_ZONE: 'recorded' });
    const watch = '_update_config() { printf "%s\\n" "$1=$2" >>"$CALLS"; export "$1=$2"; }';
    expect(project.run('clean', [], { clean: watch }).code).toBe(0);
    const written = project.calls().slice(1);
    expect(written).toHaveLength(4);
    expect(written.at(-1)).toBe('DEPLOYMENT_TARGET_PROBE_STATUS=');
  });

  test('that has records but no status is cleaned too', () => {
    setConfig(project.project, { DEPLOYMENT_TARGET_PROBE_STATUS: '' });
    expect(project.run('clean', []).code).toBe(0);
    expect(recordOf('PROBE', 'ENDPOINT')).toBe('');
  });

  test('[C06] works with a config that lacks the status lines of every other target', () => {
    setConfig(project.project, {
      DEPLOYMENT_TARGET_PROBE_STATUS: 'InService',
      DEPLOYMENT_TARGET: 'probe',
    });
    project.dropLines(/DEPLOYMENT_TARGET_(?!PROBE)\w+=|SIZE|PLACE|COLOUR|NOTE/);
    const { code, stderr } = project.run('clean', ['--all']);
    expect({ code, unbound: stderr.includes('unbound') }).toEqual({ code: 0, unbound: false });
  });
});

describe('--all', () => {
  beforeEach(() => {
    deployed('PROBE', 'InService');
    deployed('OTHER', 'Failed');
  });

  test('cleans every recorded target', () => {
    expect(project.run('clean', ['--all']).code).toBe(0);
    expect([recordOf('PROBE', 'STATUS'), recordOf('OTHER', 'STATUS')]).toEqual(['', '']);
  });

  test('goes on after one that fails, names it, and fails', () => {
    const { code, stderr } = project.run('clean', ['--all'], { clean: '[[ $_TARGET != other ]]' });
    expect(code).toBe(1);
    expect([recordOf('PROBE', 'STATUS'), recordOf('OTHER', 'STATUS')]).toEqual(['', 'Deleting']);
    expect(stderr).toContain('not cleaned: other');
  });
});

describe('on a terminal', () => {
  beforeEach(() => deployed('PROBE', 'InService'));

  test('offers what is recorded, and asks before it deletes', () => {
    deployed('OTHER', 'Running');
    const { code, output } = project.onTerminal(
      'clean',
      [],
      [
        ['Clean which one?', 'seventh\n'],
        ['Clean which one?', '2\n'],
        ['[y/N]', 'y\n'],
      ],
    );
    expect(output).toContain('1) other (Running)');
    expect([code, recordOf('PROBE', 'STATUS'), recordOf('OTHER', 'STATUS')]).toEqual([0, '', 'Running']);
  });

  test.each([
    ['none', [['Clean which one?', '2\n']], 0],
    [
      'no',
      [
        ['Clean which one?', 'probe\n'],
        ['[y/N]', '\n'],
      ],
      1,
    ],
    ['Control-D', [['Clean which one?', '\x04']], 0],
    ['Control-C in the menu', [['Clean which one?', '\x03']], 130],
    [
      'Control-C at the question',
      [
        ['Clean which one?', '1\n'],
        ['[y/N]', '\x03'],
      ],
      130,
    ],
  ] as const)('the answer %s changes nothing', (_, dialogue, expected) => {
    const before = project.snapshot();
    const { code, unasked } = project.onTerminal('clean', [], dialogue);
    expect({ code, unasked, calls: project.calls() }).toEqual({ code: expected, unasked: [], calls: [] });
    expect(project.snapshot()).toEqual(before);
  });

  test('with nothing recorded says so', () => {
    project.run('clean', ['--target', 'probe']);
    const { code, output } = project.onTerminal('clean', [], []);
    expect(code).toBe(0);
    expect(output).toContain('nothing is recorded');
  });

  test('--yes asks nothing', () => {
    const { code } = project.onTerminal('clean', ['--target', 'probe', '--yes'], []);
    expect([code, recordOf('PROBE', 'STATUS')]).toEqual([0, '']);
  });
});
