import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { render } from '../../lib/project/index.js';
import { mlcc } from '../support/mlcc.js';
import { catalog, differences, type Snapshot, snapshotOf } from './support/updated-project.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mlcc-force-'));
  mkdirSync(join(cwd, 'demo'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const expected = render({ projectName: 'demo' }, catalog);
const write = (path: string, text: string) => writeFileSync(join(cwd, 'demo', path), text);
const read = (path: string) => readFileSync(join(cwd, 'demo', path), 'utf8');
const force = (...args: string[]) => mlcc(['new', 'demo', '--yes', '--force', ...args], { cwd });

test('files that are there stay, ours are laid beside them, and regenerate goes on from there', async () => {
  write('README.md', '# Mine\n');
  write('model.py', 'print()\n');
  write('.gitignore', expected.get('.gitignore')?.contents ?? '');
  const { code, stdout } = await force();
  expect(code).toBe(3);
  expect(stdout).toMatch(/README\.md\.mlcc-new, then: mlcc regenerate demo --resolved README\.md$/m);
  expect(read('README.md')).toBe('# Mine\n');
  expect(read('README.md.mlcc-new')).toBe(expected.get('README.md')?.contents);
  expect(read('model.py')).toBe('print()\n');
  for (const [path, { contents }] of expected) {
    if (!['README.md', '.mlcc/base.json'].includes(path))
      expect([path, read(path)]).toEqual([path, contents]);
  }
  expect((await mlcc(['regenerate', 'demo'], { cwd })).code).toBe(3);
  expect((await mlcc(['regenerate', 'demo', '--resolved', 'README.md'], { cwd })).code).toBe(0);
  expect(read('README.md')).toBe('# Mine\n');
  expect((await mlcc(['regenerate', 'demo', '--check'], { cwd })).code).toBe(0);
});

test('a do/config that is there stays, and its settings are merged by the next regenerate', async () => {
  mkdirSync(join(cwd, 'demo/do'));
  write('do/config', "# mine\nexport INSTANCE_TYPE='ml.g5.12xlarge'\nexport MINE='x'\n");
  expect((await force()).code).toBe(3);
  expect(read('do/config')).toContain('# mine\n');
  const { code } = await mlcc(['regenerate', 'demo'], { cwd });
  expect(code).toBe(0);
  expect(read('do/config')).toContain('# mine\n');
  expect(read('do/config')).toContain("export INSTANCE_TYPE='ml.g5.12xlarge'\n");
  expect(read('do/config')).toContain("export MINE='x'\n");
  expect(read('do/config')).toContain("export PROJECT_NAME='demo'\n");
  expect(() => read('do/config.mlcc-new')).toThrow();
});

test('without clashes it is the plain project, with 0', async () => {
  write('.yo-rc.json', '{"generator-other": {"a": 1}}\n');
  write('notes.txt', 'mine\n');
  expect((await force()).code).toBe(0);
  expect(JSON.parse(read('.yo-rc.json'))).toMatchObject({
    'generator-other': { a: 1 },
    'generator-mlcc': {},
  });
  expect(read('.mlcc/base.json')).toBe(expected.get('.mlcc/base.json')?.contents);
  rmSync(join(cwd, 'demo'), { recursive: true });
  expect((await force()).code).toBe(0);
  expect(read('.yo-rc.json')).toBe(expected.get('.yo-rc.json')?.contents);
});

test('a dry run says what would happen, and a project that is there already is refused', async () => {
  write('README.md', '# Mine\n');
  const before: Snapshot = snapshotOf(cwd);
  const { code, stdout } = await force('--dry-run', '--json');
  expect(code).toBe(3);
  const planned = JSON.parse(stdout);
  expect(planned).toMatchObject({ changed: true, pending: ['README.md'], removed: [] });
  expect(differences(before, snapshotOf(cwd))).toEqual([]);
  await force();
  const after = snapshotOf(cwd);
  expect(differences(before, after)).toEqual(planned.written.map((path: string) => `demo/${path}`).sort());
  const again = await force();
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toContain('mlcc regenerate');
  expect(differences(after, snapshotOf(cwd))).toEqual([]);
});
