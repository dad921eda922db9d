import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeProject, type TestProject } from '../support/project.js';
import { fakeProgram } from './support/fake-program.js';
import { writeProbe } from './support/probe.js';

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

const write = (path: string, profile: unknown, ageSeconds = 10) => {
  const file = join(project.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof profile === 'string' ? profile : JSON.stringify(profile));
  const time = Date.now() / 1000 - ageSeconds;
  utimesSync(file, time, time);
  return file;
};
const CURRENT = '.config/mlcc/config.json';
const OLDER = '.ml-container-creator/config.json';
const CACHE = '.cache/mlcc/profile.sh';
const show = (env: Record<string, string> = {}) => {
  const work =
    '. "$DO_DIR/lib/profile.sh"\nfor name in ${!_PROFILE_*}; do printf "%s=%s\\n" "$name" "${!name}"; done';
  const { code, stdout, stderr } = project.run(writeProbe(project, { work }), [], { env });
  return {
    code,
    stderr,
    values: stdout.split('\n').filter((line) => line && !line.startsWith('_PROFILE_SOURCE=')),
  };
};

test('no profile: no values, no message', () => {
  expect(show()).toEqual({ code: 0, stderr: '', values: [] });
});

test('scalars of the top and of the active profile, named as in the JSON; values are data', () => {
  write(CURRENT, {
    activeProfile: 'work',
    team: 'a "b" $(touch MARKER) \'c\'',
    profiles: {
      work: { ecrRepositoryName: 'repo', ci: { 'code-build': true }, list: [1], none: null },
      other: { ecrRepositoryName: 'no' },
    },
  });
  expect(show()).toEqual({
    code: 0,
    stderr: '',
    values: [
      '_PROFILE_activeProfile=work',
      '_PROFILE_ci_code_build=true',
      '_PROFILE_ecrRepositoryName=repo',
      '_PROFILE_team=a "b" $(touch MARKER) \'c\'',
    ],
  });
  expect(existsSync(join(project.dir, 'MARKER'))).toBe(false);
  expect(statSync(join(project.home, CACHE)).mode & 0o777).toBe(0o600);
});

test('a current cache is read without Python; a newer profile makes it anew', () => {
  write(CURRENT, { name: 'one' });
  show();
  const PATH = fakeProgram(project, 'python3', 'echo forked >&2; exit 1');
  expect(show({ PATH })).toEqual({ code: 0, stderr: '', values: ['_PROFILE_name=one'] });
  write(CURRENT, { name: 'two' }, -10);
  expect(show().values).toEqual(['_PROFILE_name=two']);
});

test('the older place counts while there is no current one, and not after that', () => {
  write(OLDER, { name: 'older' });
  expect(show().values).toEqual(['_PROFILE_name=older']);
  write(CURRENT, { name: 'current' }, 1000);
  expect(show().values).toEqual(['_PROFILE_name=current']);
});

test.each(['{', '[]', '"text"'])('a profile of %s is reported and not used', (text) => {
  write(CURRENT, text);
  const { code, stderr, values } = show();
  expect({ code, values }).toEqual({ code: 0, values: [] });
  expect(stderr).toContain(CURRENT);
  expect(stderr).not.toContain('Traceback');
});

test('a cache that cannot be written is no hindrance', () => {
  write(CURRENT, { name: 'one' });
  writeFileSync(join(project.home, '.cache'), 'a file where a folder should be');
  chmodSync(join(project.home, '.cache'), 0o400);
  expect(show()).toEqual({ code: 0, stderr: '', values: ['_PROFILE_name=one'] });
  expect(readFileSync(join(project.home, '.cache'), 'utf8')).toContain('a file');
});
