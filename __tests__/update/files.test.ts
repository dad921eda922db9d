import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { packageTemplates } from '../../lib/project/index.js';
import { MANIFEST, target } from './support/catalogs.js';
import {
  differences,
  edited,
  kindsOf,
  OLD,
  templatesWith,
  UpdatedProject,
} from './support/updated-project.js';

let project: UpdatedProject;
afterEach(() => project.remove());

/** Every shell file of the project that bash cannot parse. */
function unparsable(): string[] {
  return readdirSync(project.path('do'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((file) => /\.sh$|^[^.]+$/.test(file.slice(project.dir.length)))
    .filter((file) => spawnSync('bash', ['-n', file]).status !== 0);
}

describe('files', () => {
  test('[C21] after a conflict every script still parses, and everything else arrived', async () => {
    const older = templatesWith({
      'do/deploy': edited(/^set -euo pipefail$/m, 'set -eu'),
      'do/status': edited('live state', 'living state'),
    });
    project = new UpdatedProject({ templates: older });
    project.edit('do/deploy', edited(/^set -eu$/m, 'set -e -u # mine'));
    for (const conflict of ['side-file', 'markers'] as const) {
      const result = await project.regenerate(packageTemplates(), { conflict });
      expect(result.pending).toEqual(['do/deploy']);
      expect(project.read('do/deploy')).toContain('set -e -u # mine');
      expect(project.read('do/deploy')).not.toContain('<<<<<<<');
      expect(project.read('do/deploy.mlcc-new')).toContain('set -euo pipefail');
      expect(project.rc.version).toBe(OLD);
      expect(project.read('do/status')).toContain('live state');
      expect(unparsable()).toEqual([]);
    }
  });

  test.each([
    [
      'do/lib/example.sh',
      ['if true; then', ': 1', ': 2', ': 3', 'fi'],
      ['{', ': 1', ': 2', ': 3', '}'],
      ['if true; then', ': 1', 'else', ': 3', 'fi'],
    ],
    [
      'do/lib/python/example.py',
      ['if True:', '  a = 1', '  b = 2', '  c = 3', 'd = 4'],
      ['with open("x"):', '  a = 1', '  b = 2', '  c = 3', 'd = 4'],
      ['if True:', '  a = 1', 'else:', '  c = 3', 'd = 4'],
    ],
    [
      'do/lib/example.json',
      ['[', ' ', '  ', '   ', ']'],
      ['{', ' ', '  ', '   ', '}'],
      ['[', ' ', '1', '   ', ']'],
    ],
  ])('%s: edits that are apart as text but do not go together are a conflict', async (path, ...versions) => {
    const [base = '', mine = '', theirs = ''] = versions.map((lines) => `${lines.join('\n')}\n`);
    project = new UpdatedProject({ templates: templatesWith({ [path]: base }) });
    project.write(path, mine);
    const result = await project.regenerate(templatesWith({ [path]: theirs }), { conflict: 'markers' });
    expect(result.pending).toEqual([path]);
    expect(project.read(path)).toBe(mine);
    expect(project.read(`${path}.mlcc-new`)).toBe(theirs);
  });

  test('CRLF on disk is no conflict and no difference, and stays', async () => {
    project = new UpdatedProject();
    const toCrlf = (text: string) => text.replaceAll('\n', '\r\n');
    for (const path of ['README.md', 'do/status', 'do/config', MANIFEST, '.yo-rc.json', '.mlcc/base.json']) {
      project.edit(path, toCrlf);
    }
    const before = project.snapshot();
    const same = await project.regenerate(packageTemplates(), { version: OLD });
    expect(same).toMatchObject({ changes: [], pending: [], notes: [] });
    expect(differences(before, project.snapshot())).toEqual([]);
    project.edit('do/status', edited('AS_JSON=no\r\n', 'AS_JSON=no\r\nMINE=yes\r\n'));
    const newer = templatesWith({
      'do/status': edited('live state', 'living state'),
      'README.md.ejs': (text) => `${text}\nMore.\n`,
    });
    const result = await project.regenerate(newer);
    expect(result.pending).toEqual([]);
    expect(project.read('README.md')).toMatch(/\r\nMore\.\r\n$/);
    expect(project.read('do/status')).toContain('living state');
    expect(project.read('do/status')).not.toMatch(/[^\r]\n/);
  });

  test('only the executable bit of a mode is compared, and it comes back', async () => {
    project = new UpdatedProject();
    project.write('do/status', project.read('do/status'), 0o644);
    project.write('README.md', project.read('README.md'), 0o664);
    project.write('Dockerfile', project.read('Dockerfile'), 0o755);
    const result = await project.regenerate();
    expect(kindsOf(result)).toEqual({ 'do/status': 'update', '.yo-rc.json': 'update' });
    expect(project.isExecutable('do/status')).toBe(true);
    expect(project.snapshot()['README.md']?.mode.toString(8)).toBe('100664');
    expect(project.isExecutable('Dockerfile')).toBe(true);
  });

  test('a rewritten file keeps its mode', async () => {
    project = new UpdatedProject();
    project.write('do/status', project.read('do/status'), 0o750);
    project.write('do/config', project.read('do/config'), 0o600);
    const newer = templatesWith({ 'do/status': edited('live state', 'living state') });
    await project.set('BASE_IMAGE', 'example.com/mine:1');
    project.edit('do/config', edited(new RegExp(`^export ${target.status_var}=.*\n`, 'm'), ''));
    await project.regenerate(newer);
    expect(project.snapshot()['do/status']?.mode.toString(8)).toBe('100750');
    expect(project.snapshot()['do/config']?.mode.toString(8)).toBe('100600');
  });

  test('a renamed template: the old file goes when it was not edited, and stays with a question when it was', async () => {
    const older = templatesWith({
      'do/old-name': '#!/bin/bash\ntrue\n',
      'do/old-edited': '#!/bin/bash\ntrue\n',
    });
    project = new UpdatedProject({ templates: older });
    project.edit('do/old-edited', (text) => `${text}echo mine\n`);
    const newer = templatesWith({
      'do/new-name': '#!/bin/bash\ntrue\n',
      'do/new-edited': '#!/bin/bash\ntrue\n',
    });
    const result = await project.regenerate(newer);
    expect(kindsOf(result)).toMatchObject({
      'do/old-name': 'remove',
      'do/new-name': 'create',
      'do/old-edited': 'dropped',
      'do/new-edited': 'create',
    });
    expect(result.pending).toEqual(['do/old-edited']);
    expect(project.isExecutable('do/new-name')).toBe(true);
  });

  test('a folder whose last file was dropped goes; one with a person’s file stays', async () => {
    const older = templatesWith({ 'do/extra/a.txt': 'a\n', 'do/more/b.txt': 'b\n' });
    project = new UpdatedProject({ templates: older });
    project.write('do/more/mine.txt', 'mine\n');
    await project.regenerate();
    expect(project.has('do/extra')).toBe(false);
    expect(project.read('do/more/mine.txt')).toBe('mine\n');
  });

  test('a deleted do/config stays deleted until it is restored', async () => {
    project = new UpdatedProject();
    project.delete('do/config');
    const result = await project.regenerate();
    expect(kindsOf(result)['do/config']).toBe('deleted');
    expect(project.has('do/config')).toBe(false);
    await project.regenerate(packageTemplates(), { restore: ['do/config'] });
    expect(project.config().get('PROJECT_NAME')).toBe('demo');
  });
});
