import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { updateDiff } from '../../lib/cli/update-report.js';
import { packageVersion } from '../../lib/package/index.js';
import { packageTemplates } from '../../lib/project/index.js';
import { mlcc } from '../support/mlcc.js';
import { isolatedEnv } from '../support/project.js';
import { differences, edited, OLD, templatesWith, UpdatedProject } from './support/updated-project.js';

let project: UpdatedProject;
afterEach(() => project.remove());

/** A project of an older version: an untouched file, an edited one, a merge, a conflict and a deletion. */
function projectWithEverything(): void {
  project = new UpdatedProject({
    version: '0.0.1',
    templates: templatesWith({
      'README.md.ejs': (text) => `${text}\nAn older line.\n`,
      'do/status': edited('live state', 'living state'),
      'do/deploy': edited(/^set -euo pipefail$/m, 'set -eu'),
      'do/dropped': 'old\n',
    }),
  });
  project.edit('do/status', edited('AS_JSON=no\n', 'AS_JSON=no\nMINE=yes\n'));
  project.edit('do/deploy', edited(/^set -eu$/m, 'set -e -u'));
  project.edit('do/export', (text) => `${text}# mine\n`);
  project.delete('do/clean');
}

const regenerate = (...args: string[]) => mlcc(['regenerate', ...args], { cwd: project.dir });

describe('mlcc regenerate', () => {
  test('[C16] [C21] says what became of each file, what waits, and what to type next', async () => {
    projectWithEverything();
    const { code, stdout, stderr } = await regenerate();
    expect(stderr).toBe('');
    expect(code).toBe(3);
    for (const line of [
      /^regenerate 0\.0\.1 to .*: done$/m,
      /^ {2}updated +README\.md$/m,
      /^ {2}merged +do\/status$/m,
      /^ {2}CONFLICT +do\/deploy$/m,
      /^ {2}removed +do\/dropped$/m,
      /^ {2}still deleted +do\/clean$/m,
      /^ {2}yours, kept +do\/export$/m,
      /do\/deploy: .*do\/deploy\.mlcc-new, then: mlcc regenerate --resolved do\/deploy$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(project.rc.version).toBe('0.0.1');
    const fromAbove = await mlcc(['regenerate', 'a project'], { cwd: join(project.dir, '..') });
    expect(fromAbove.stdout).toContain("mlcc regenerate 'a project' --resolved do/deploy\n");
    const second = await regenerate();
    expect(second.code).toBe(3);
    expect(second.stdout).toMatch(/: nothing to do$/m);
    const decided = await regenerate('--resolved', 'do/deploy');
    expect(decided.code).toBe(0);
    expect(project.rc.version).toBe(packageVersion);
  });

  test('--dry-run and --check change nothing; --check ends with 3 as long as something would change', async () => {
    projectWithEverything();
    const before = project.snapshot();
    const dry = await regenerate('--dry-run');
    const check = await regenerate('--check');
    expect([dry.code, check.code]).toEqual([3, 3]);
    expect(differences(before, project.snapshot())).toEqual([]);
    const real = await regenerate('--conflict', 'ours');
    expect(real.code).toBe(0);
    expect((await regenerate('--check')).code).toBe(0);
    project.edit('do/config', (text) => `${text}export MINE='x'\n`);
    expect((await regenerate('--check')).code).toBe(0);
    project.write('do/status', project.read('do/status'), 0o644);
    expect((await regenerate('--check')).code).toBe(3);
  });

  test('--diff shows every change as a patch, and --json holds the plan', async () => {
    projectWithEverything();
    const { stdout } = await regenerate('--dry-run', '--diff');
    expect(stdout).toContain('--- a/do/status\n+++ b/do/status\n');
    expect(stdout).toContain('+++ b/do/deploy.mlcc-new\n');
    expect(stdout).toContain('--- a/do/dropped\n+++ /dev/null\n');
    expect(stdout).toContain('-# Shows every target’s recorded and living state.'.replace('’', "'"));
    expect(stdout).not.toContain('\u001b');
    const planned = JSON.parse((await regenerate('--dry-run', '--json', '--diff')).stdout);
    const before = project.snapshot();
    const done = JSON.parse((await regenerate('--json')).stdout);
    expect(planned).toEqual({ ...done, diff: expect.stringContaining('+++ b/do/deploy.mlcc-new') });
    expect(differences(before, project.snapshot())).toEqual([...done.written, ...done.removed].sort());
    expect(done).toMatchObject({ changed: true, pending: ['do/deploy'], removed: ['do/dropped'] });
  });

  test('on a terminal the patch is coloured', async () => {
    projectWithEverything();
    const { entries } = await project.regenerate(packageTemplates(), { dryRun: true });
    const diff = updateDiff(entries, true);
    expect(diff).toContain('\u001b[31m-An older line.\u001b[0m');
    expect(diff).toMatch(/^\+\+\+ b\/do\/status$/m);
    const colours = ['\u001b[31m', '\u001b[32m', '\u001b[0m'];
    const plain = colours.reduce((text, colour) => text.replaceAll(colour, ''), diff);
    expect(plain).toBe(updateDiff(entries, false));
  });

  test('a patch of --diff applies to what was there and gives what is there', async () => {
    projectWithEverything();
    const { diff } = JSON.parse(
      (await regenerate('--dry-run', '--json', '--diff', '--conflict', 'theirs')).stdout,
    );
    const clone = join(project.dir, '../clone');
    const git = (...args: string[]) =>
      spawnSync('git', args, { cwd: clone, input: diff, encoding: 'utf8', env: isolatedEnv(clone) });
    spawnSync('cp', ['-r', project.dir, clone]);
    expect(git('init', '-q').status).toBe(0);
    expect(git('apply', '-p1').stderr).toBe('');
    await regenerate('--conflict', 'theirs');
    const compared = spawnSync(
      'diff',
      ['-r', '-x', '.git', '-x', '.mlcc', '-x', 'config.owner', project.dir, clone],
      {
        encoding: 'utf8',
      },
    );
    expect(compared.stdout).toBe('');
  });

  test('--restore brings a deleted file back; decisions about other paths are usage errors', async () => {
    projectWithEverything();
    expect((await regenerate('--restore', 'do/clean', '--conflict', 'ours')).code).toBe(0);
    expect(project.isExecutable('do/clean')).toBe(true);
    for (const args of [
      ['--restore', 'do/clean'],
      ['--resolved', 'do/status'],
      ['--conflict', 'both'],
      ['--no-such-flag'],
    ]) {
      const { code, stderr } = await regenerate(...args);
      expect([args, code, stderr !== '']).toEqual([args, 2, true]);
    }
  });
});

test('a fresh clone of a project with a pending conflict still knows it, and git sees no proposal', async () => {
  projectWithEverything();
  await regenerate();
  const clone = join(project.dir, '../clone');
  const git = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd,
      encoding: 'utf8',
      env: isolatedEnv(clone),
    });
    expect([args, stderr, status]).toEqual([args, expect.anything(), 0]);
    return stdout;
  };
  git(project.dir, 'init', '-q');
  git(project.dir, 'add', '-A');
  git(project.dir, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
  const tracked = git(project.dir, 'ls-files');
  expect(tracked).not.toMatch(/mlcc-new|config\.owner|config\.lock/);
  expect(tracked).toContain('.mlcc/base.json');
  expect(git(project.dir, 'check-attr', 'linguist-generated', '.mlcc/base.json')).toContain(': set');
  git(project.dir, 'clone', '-q', '.', clone);
  const { code, stdout } = await mlcc(['regenerate', '--json'], { cwd: clone });
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    pending: ['do/deploy'],
    written: ['do/deploy.mlcc-new'],
    removed: [],
  });
});

describe('an update that was interrupted', () => {
  const interrupt = () => {
    project = new UpdatedProject({ version: packageVersion });
    project.write('.mlcc/journal/0', 'new readme\n');
    project.write('.mlcc/journal/steps.json', '[{"path":"NEW.txt","action":"write"}]');
  };

  test('is said by any command, and completed by regenerate', async () => {
    interrupt();
    for (const [cwd, args] of [
      [project.dir, ['config', 'get', 'PROJECT_NAME']],
      ['/', ['config', 'get', 'PROJECT_NAME', '--dir', project.dir]],
      ['/', ['config', 'get', 'PROJECT_NAME', `--dir=${project.dir}`]],
      [project.dir, ['targets']],
    ] as const) {
      const { code, stdout, stderr } = await mlcc(args, { cwd });
      expect(code).toBe(0);
      expect(stdout).not.toBe('');
      expect(stderr).toContain('mlcc regenerate completes it');
    }
    for (const flag of ['--check', '--dry-run']) {
      const { code, stderr } = await regenerate(flag);
      expect(code).toBe(3);
      expect(stderr).toContain('interrupted');
    }
    const { code, stdout } = await regenerate();
    expect(code).toBe(0);
    expect(stdout).toContain('an interrupted update was completed first');
    expect(project.read('NEW.txt')).toBe('new readme\n');
    expect((await mlcc(['targets'], { cwd: project.dir })).stderr).toBe('');
  });

  test('leaves a file alone that a person changed in the meantime, and merges it', async () => {
    const base = 'one\ntwo\nthree\nfour\nfive\n';
    const newer = templatesWith({ 'NOTES.txt': base.replace('five', 'five of theirs') });
    project = new UpdatedProject({ templates: templatesWith({ 'NOTES.txt': base }) });
    // As far as the list of steps: everything is staged, nothing is done.
    const { stageJournal } = await import('../../lib/update/journal.js');
    const planned = await project.regenerate(newer, { dryRun: true });
    stageJournal(project.dir, planned.changes);
    project.write('NOTES.txt', base.replace('one', 'one of mine'));
    project.write('do/config', `${project.read('do/config')}export LATE='x'\n`);
    const result = await project.regenerate(newer);
    expect(project.read('NOTES.txt')).toBe(
      base.replace('one', 'one of mine').replace('five', 'five of theirs'),
    );
    expect(project.config().get('LATE')).toBe('x');
    expect(result.notes.join('\n')).toContain('NOTES.txt was changed since the interruption');
    expect(result.pending).toEqual([]);
    expect(project.rc.version).not.toBe(OLD);
    expect((await project.regenerate(newer)).changes).toEqual([]);
    expect(packageTemplates().has('NOTES.txt')).toBe(false);
  });
});
