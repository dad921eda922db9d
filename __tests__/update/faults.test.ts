import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { packageTemplates } from '../../lib/project/index.js';
import { applyJournalled, regenerate, releaseNotes, type UpdateResult } from '../../lib/update/index.js';
import { target } from './support/catalogs.js';
import {
  catalog,
  differences,
  edited,
  kindsOf,
  NEW,
  OLD,
  snapshotOf,
  templatesWith,
  UpdatedProject,
} from './support/updated-project.js';

let project: UpdatedProject;
afterEach(() => project.remove());
const outside = mkdtempSync(join(tmpdir(), 'mlcc-outside-'));
afterAll(() => rmSync(outside, { recursive: true }));

const newer = () => templatesWith({ 'do/status': edited('live state', 'living state') });

/** Expects a refusal, and that it changed nothing at all. */
async function refused(run: () => Promise<unknown>, failure: object): Promise<void> {
  const before = [project.snapshot(), snapshotOf(outside)];
  await expect(run()).rejects.toMatchObject({ name: 'Failure', ...failure });
  expect([project.snapshot(), snapshotOf(outside)]).toEqual(before);
}

describe('a base that is not known', () => {
  test.each([
    ['missing', () => project.delete('.mlcc/base.json')],
    ['no JSON', () => project.write('.mlcc/base.json', '<<<<<<< HEAD\n')],
    ['half-written', () => project.edit('.mlcc/base.json', (text) => text.slice(0, text.length / 2))],
    ['without versions', () => project.write('.mlcc/base.json', '{"files":{},"pending":{},"defaults":{}}')],
    [
      'with other files',
      () => project.write('.mlcc/base.json', '{"version":"1.0.0","files":{"a":1},"pending":{}}'),
    ],
    ['null', () => project.write('.mlcc/base.json', 'null')],
    ['empty', () => project.write('.mlcc/base.json', '')],
  ])('%s: what is the same is adopted, what is not may be edited, and it says so', async (state, damage) => {
    project = new UpdatedProject();
    await project.set('INSTANCE_TYPE', 'ml.g5.12xlarge');
    await project.set(target.status_var, 'Creating');
    project.edit('do/status', edited('AS_JSON=no\n', 'AS_JSON=no\nMINE=yes\n'));
    const mine = project.read('do/status');
    damage();
    const result = await project.regenerate(newer());
    expect(result.notes[0]).toContain(`.mlcc/base.json is ${state === 'missing' ? 'missing' : 'damaged'}`);
    expect(result.notes.slice(1)).toEqual([expect.stringMatching(/^INSTANCE_TYPE was changed/)]);
    expect(result.pending).toEqual(['do/status']);
    expect(kindsOf(result)['do/status']).toBe('in-the-way');
    expect(project.read('do/status')).toBe(mine);
    expect(project.read('do/status.mlcc-new')).toContain('living state');
    expect(project.config().get('INSTANCE_TYPE')).toBe('ml.g5.12xlarge');
    expect(project.config().get(target.status_var)).toBe('Creating');
    expect(project.rc.answers.instanceType).toBe('ml.g5.12xlarge');
    expect(Object.keys(kindsOf(result)).filter((path) => !/status|yo-rc/.test(path))).toEqual([]);
    // From now on the base is known again.
    const second = await project.regenerate(newer());
    expect(second).toMatchObject({ changes: [], notes: [] });
  });

  test('a base that names paths outside the project is refused', async () => {
    for (const path of ['../evil', '/etc/evil', 'do/../../evil', './do/x', 'do//x']) {
      project?.remove();
      project = new UpdatedProject();
      project.edit('.mlcc/base.json', (text) => {
        const base = JSON.parse(text);
        base.files[path] = { contents: '', executable: false };
        return JSON.stringify(base);
      });
      await refused(() => project.regenerate(newer()), { message: expect.stringContaining(path) });
    }
  });
});

describe('.yo-rc.json', () => {
  test.each([
    ['missing', undefined, 'is not a project of'],
    ['damaged', '{"generator-mlcc": ', 'is damaged'],
    ['of another generator', '{"generator-other": {}}', 'is not a project of'],
    ['a list', '[]', 'is not a project of'],
    [
      'with a version that is a number',
      '{"generator-mlcc": {"version": 1, "answers": {}}}',
      'is not a project of',
    ],
    [
      'with answers that are a list',
      '{"generator-mlcc": {"version": "1.0.0", "answers": []}}',
      'is not a project of',
    ],
  ])('%s: a usage error', async (_, text, message) => {
    project = new UpdatedProject();
    if (text === undefined) project.delete('.yo-rc.json');
    else project.write('.yo-rc.json', text);
    await refused(() => project.regenerate(), { exit: 2, message: expect.stringContaining(message) });
  });

  test('an answer that is no text is named', async () => {
    project = new UpdatedProject();
    project.edit('.yo-rc.json', edited(/"instanceType": "[^"]*"/, '"instanceType": 7'));
    await refused(() => project.regenerate(), { exit: 2, why: [expect.stringContaining('instance-type')] });
  });

  test('a folder that is not there, or a file, is no project', async () => {
    project = new UpdatedProject();
    for (const folder of [project.path('nowhere'), project.path('README.md')]) {
      await refused(() => regenerate(folder, { catalog }), { exit: 2 });
    }
  });
});

describe('versions', () => {
  test.each([
    ['2.0.0', '1.9.9'],
    ['1.0.0-beta.2', '1.0.0-beta.1'],
    ['1.0.0', '1.0.0-rc.1'],
    ['1.0.1-alpha', '1.0.0'],
  ])('a project of %s is refused by %s, unless a downgrade is allowed', async (from, to) => {
    project = new UpdatedProject({ version: from });
    await refused(() => project.regenerate(newer(), { version: to }), {
      exit: 1,
      message: expect.stringContaining(from),
      next: expect.stringContaining('--allow-downgrade'),
    });
    await project.regenerate(newer(), { version: to, allowDowngrade: true });
    expect(project.rc.version).toBe(to);
  });

  test.each([
    ['1.0.0-beta.1', '1.0.0-beta.2'],
    ['1.0.0-rc.1', '1.0.0'],
    ['1.0.0', '1.0.0'],
  ])('a project of %s is refreshed by %s', async (from, to) => {
    project = new UpdatedProject({ version: from });
    await project.regenerate(newer(), { version: to });
    expect(project.rc.version).toBe(to);
  });

  test('a version that is none is refused, and mended by --allow-downgrade', async () => {
    project = new UpdatedProject({ version: 'latest' });
    await refused(() => project.regenerate(), { message: expect.stringContaining('latest') });
    await project.regenerate(packageTemplates(), { allowDowngrade: true });
    expect(project.rc.version).toBe(NEW);
  });

  test('the release notes are those between the two versions', () => {
    project = new UpdatedProject();
    const log =
      '# Changelog\n\n## 2.0.0\n\n- two\n\n## [1.1.0] - 2024\n\n- one\n\n## 1.1.0-rc.1\n\n- rc\n\n## Unreleased\n\n- no\n\n## 1.0.0\n\n- zero\n';
    expect(releaseNotes('1.0.0', '1.1.0', log)).toBe('## [1.1.0] - 2024\n\n- one\n\n## 1.1.0-rc.1\n\n- rc');
    expect(releaseNotes('1.1.0-rc.1', '2.0.0', log)).toBe('## 2.0.0\n\n- two\n\n## [1.1.0] - 2024\n\n- one');
    for (const [from, to] of [
      ['2.0.0', '2.0.0'],
      ['2.0.0', '1.0.0'],
      ['latest', '2.0.0'],
    ] as const) {
      expect(releaseNotes(from, to, log)).toBe('');
    }
  });
});

describe('symlinks', () => {
  test.each([
    ['a file', 'do/status', 'status'],
    ['a file that is the same', 'README.md', 'README.md'],
    ['do/config', 'do/config', 'config'],
    ['a folder', 'do/lib', 'lib'],
    ['the journal’s folder', '.mlcc', 'records'],
    ['the folder of the targets', 'do/targets.d', 'targets.d'],
  ])('%s that leads out is refused', async (_, path, name) => {
    project = new UpdatedProject();
    const to = join(outside, `${name} of a case`);
    if (path === 'do/lib' || path === '.mlcc' || path.endsWith('.d')) mkdirSync(to, { recursive: true });
    else writeFileSync(to, project.read(path));
    project.delete(path);
    symlinkSync(to, project.path(path));
    await refused(() => project.regenerate(newer()), {
      exit: 1,
      message: expect.stringMatching(/leads out of the project/),
    });
  });

  test('a file in the place of a proposal that leads out is not followed', async () => {
    project = new UpdatedProject();
    project.edit('do/status', edited('live state', 'lively state'));
    writeFileSync(join(outside, 'target'), 'precious\n');
    symlinkSync(join(outside, 'target'), project.path('do/status.mlcc-new'));
    await refused(() => project.regenerate(newer()), { message: expect.stringMatching(/leads out/) });
  });

  test('a link that stays inside is followed, and stays a link', async () => {
    project = new UpdatedProject();
    mkdirSync(project.path('settings'));
    for (const [path, to] of [
      ['do/config', 'settings/config'],
      ['do/status', 'settings/status'],
    ] as const) {
      project.write(to, project.read(path), path === 'do/status' ? 0o755 : 0o644);
      project.delete(path);
      symlinkSync(`../${to}`, project.path(path));
    }
    project.edit('settings/config', edited(new RegExp(`^export ${target.status_var}=.*\n`, 'm'), ''));
    await project.regenerate(newer());
    expect(readlinkSync(project.path('do/config'))).toBe('../settings/config');
    expect(readFileSync(project.path('settings/config'), 'utf8')).toContain(`export ${target.status_var}=''`);
    expect(readlinkSync(project.path('do/status'))).toBe('../settings/status');
    expect(project.read('settings/status')).toContain('living state');
    expect(project.isExecutable('settings/status')).toBe(true);
  });

  test('a link to nothing is named', async () => {
    project = new UpdatedProject();
    project.delete('do/status');
    symlinkSync('nowhere', project.path('do/status'));
    await expect(project.regenerate(newer())).rejects.toMatchObject({ name: 'Failure', exit: 1 });
  });
});

describe('what is in the way', () => {
  test('a folder in a file’s place, and a file in a folder’s place, are named', async () => {
    project = new UpdatedProject();
    project.delete('do/status');
    project.write('do/status/mine', 'mine\n');
    await refused(() => project.regenerate(newer()), { message: expect.stringContaining('do/status') });
    project.delete('do/status');
    project.delete('do/clean.d');
    project.write('do/clean.d', 'a file\n');
    await refused(() => project.regenerate(newer()), { message: expect.stringContaining('do/clean.d') });
  });

  test('bytes that are no text are named, and untracked ones do not matter', async () => {
    project = new UpdatedProject();
    writeFileSync(project.path('model.bin'), Buffer.from([0xff, 0xfe, 0]));
    await project.regenerate(newer());
    writeFileSync(project.path('do/status'), Buffer.from([0xff, 0xfe]));
    await refused(() => project.regenerate(), { message: expect.stringContaining('do/status') });
  });
});

test('a journal that is damaged is named, and the way out', async () => {
  project = new UpdatedProject();
  project.write('.mlcc/journal/steps.json', '[{"path"');
  await refused(() => project.regenerate(newer(), { dryRun: true }), { exit: 3 });
  await expect(project.regenerate(newer())).rejects.toMatchObject({
    name: 'Failure',
    next: expect.stringContaining('delete .mlcc/journal'),
  });
});

test('a journal whose steps lead out of the project is refused', async () => {
  project = new UpdatedProject();
  project.write('.mlcc/journal/0', 'evil');
  project.write('.mlcc/journal/steps.json', '[{"path":"../evil","action":"write"}]');
  await expect(project.regenerate(newer())).rejects.toMatchObject({ name: 'Failure' });
  expect(snapshotOf(join(project.dir, '..'))).not.toHaveProperty('evil');
});

test('what was staged by an update that never began is thrown away', async () => {
  project = new UpdatedProject();
  project.write('.mlcc/journal/0', 'half a file');
  const result: UpdateResult = await project.regenerate(packageTemplates(), { version: OLD });
  expect(result).toMatchObject({ changes: [], notes: [] });
  expect(project.has('.mlcc/journal')).toBe(false);
  expect(differences(project.snapshot(), project.snapshot())).toEqual([]);
});

test('a file that is saved between the decision and the writing is not overwritten', async () => {
  project = new UpdatedProject();
  const { changes } = await project.regenerate(newer(), { dryRun: true });
  project.edit('do/status', (text) => `${text}# saved in the last moment\n`);
  await refused(async () => applyJournalled(project.dir, changes), {
    exit: 1,
    message: expect.stringContaining('do/status'),
  });
  project.delete('do/status');
  await refused(async () => applyJournalled(project.dir, changes), { exit: 1 });
});
