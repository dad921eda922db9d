import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, type TestProject } from '../support/project.js';
import { setConfig, writeProbe } from './support/probe.js';

let project: TestProject;
let probe: string;
beforeAll(() => {
  project = makeProject();
  setConfig(project, { NOTE: 'from the file' });
  probe = writeProbe(project, { work: 'printf "[%s]" "${NOTE-}" "${OTHER-}" "$@"' });
});
afterAll(() => project.remove());

const shown = (args: readonly string[], env: Record<string, string> = {}) =>
  project.run(probe, args, { env }).stdout;

describe('an override of a setting for one run', () => {
  test('comes from the command line in either form, which the verb does not see', () => {
    expect(shown([])).toBe('[from the file][]');
    expect(shown(['--set', 'NOTE=new', 'a b', '--set=OTHER=x=y', ''])).toBe('[new][x=y][a b][]');
    expect(shown(['--set', 'NOTE=', '--', '--set', 'NOTE=z'])).toBe('[][][--][--set][NOTE=z]');
  });

  test.each(["it's", '$(touch MARKER)', '`id`', ' a "b" ', 'x&y|z', '#', '😀', '\\n', '-n', '*'])(
    '%s is literal',
    (value) => {
      expect(shown(['--set', `NOTE=${value}`])).toBe(`[${value}][]`);
      expect(shown([], { MLCC_SET_NOTE: value })).toBe(`[${value}][]`);
    },
  );

  test('comes from the environment, and the command line wins', () => {
    expect(shown([], { MLCC_SET_NOTE: 'env', MLCC_SET_OTHER: 'too' })).toBe('[env][too]');
    expect(shown(['--set', 'NOTE=line'], { MLCC_SET_NOTE: 'env' })).toBe('[line][]');
  });

  test('reaches the verbs that a verb starts', () => {
    const parent = writeProbe(project, { name: 'parent', work: '"$DO_DIR/probe" inner' });
    expect(project.run(parent, ['--set', 'NOTE=line']).stdout).toBe('[line][][inner]');
  });

  test('counts for the guard', () => {
    const guarded = writeProbe(project, { name: 'guarded', guard: 'artifact-ready' });
    expect(project.run(guarded).code).toBe(3);
    expect(project.run(guarded, ['--set', 'ECR_IMAGE_URI=x']).code).toBe(0);
    expect(project.run(guarded, [], { env: { MLCC_SET_ECR_IMAGE_URI: 'x' } }).code).toBe(0);
  });

  test.each([
    [['--set'], '--set needs KEY=VALUE'],
    [['--set', 'NOTE'], 'not "NOTE"'],
    [['--set='], '--set needs KEY=VALUE'],
    [['--set', '=x'], 'is not the name of a setting'],
    [['--set', '1A=x'], '"1A" is not the name of a setting'],
    [['--set', '_TARGET=x'], '"_TARGET" is not the name of a setting'],
    [['--set', 'a;b=x'], '"a;b" is not the name of a setting'],
    [['--set', 'UID=0'], "UID is the shell's own"],
    [['--set', 'NOTE=a\nb'], 'more than one line'],
  ])('%j is refused', (args, message) => {
    const { code, stdout, stderr } = project.run(probe, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('a bad name in the environment is refused, too', () => {
    expect(project.run(probe, [], { env: { MLCC_SET_lower: 'x' } })).toMatchObject({ code: 2, stdout: '' });
  });
});
