import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { verbs } from '../../lib/contract/index.js';
import { packageVersion } from '../../lib/package/index.js';
import { mlcc } from '../support/mlcc.js';
import { makeProject } from '../support/project.js';

const catalog = loadCatalog();
const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-commands-')));
afterAll(() => rmSync(cwd, { recursive: true }));

describe('mlcc targets', () => {
  test('the matrix has a row per target with its aliases and every restricted verb', async () => {
    const { code, stdout } = await mlcc(['targets'], { cwd });
    expect(code).toBe(0);
    const [header = '', ...rows] = stdout.split('\n');
    const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb.name] : []));
    expect(header.trim().split(/\s+/)).toEqual([
      'TARGET',
      'ALIASES',
      'ORIGIN',
      ...restricted.map((name) => name.toUpperCase()),
    ]);
    for (const { manifest } of catalog.targets) {
      const row = rows.find((line) => line.startsWith(`${manifest.target} `)) ?? '';
      const answers = row.trim().split(/\s+/).slice(-restricted.length);
      expect(answers).toEqual(restricted.map((verb) => (manifest.verbs[verb] ? 'yes' : 'no')));
      for (const alias of manifest.aliases) expect(row).toContain(alias);
    }
  });

  test('--json prints every descriptor with its origin', async () => {
    const { stdout } = await mlcc(['targets', '--json'], { cwd });
    expect(
      JSON.parse(stdout).map((row: { target: string; origin: string }) => [row.target, row.origin]),
    ).toEqual(catalog.targets.map(({ manifest }) => [manifest.target, 'built-in']));
  });

  test('a pack that is not there is a usage error', async () => {
    const { code, stderr } = await mlcc(['targets', '--targets-dir', 'nowhere'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('no folder nowhere')]);
  });
});

describe('mlcc config', () => {
  test('sets, gets and unsets a value, byte for byte', async () => {
    const project = makeProject();
    const value = `a 'b' "c" $d \\ e`;
    expect((await mlcc(['config', 'set', 'NOTE', value, '--dir', project.dir], { cwd })).code).toBe(0);
    expect((await mlcc(['config', 'get', 'NOTE'], { cwd: project.dir })).stdout).toBe(`${value}\n`);
    expect((await mlcc(['config', 'unset', 'NOTE', '--dir', project.dir], { cwd })).code).toBe(0);
    const { code, stderr } = await mlcc(['config', 'get', 'NOTE', '--dir', project.dir], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining('NOTE is not set')]);
    project.remove();
  });

  test('refuses a bad key and a secret with 2, and a folder without a config with a clear message', async () => {
    const project = makeProject();
    expect((await mlcc(['config', 'set', 'A-B', 'x'], { cwd: project.dir })).code).toBe(2);
    const secret = await mlcc(['config', 'set', 'A', 'hf_abcdefghijklmnopqrstuvwxyz'], { cwd: project.dir });
    expect(secret.code).toBe(2);
    expect(secret.stderr).not.toContain('abcdefgh');
    const nowhere = await mlcc(['config', 'get', 'A'], { cwd });
    expect(nowhere.code).toBeGreaterThan(0);
    expect(nowhere.stderr).toContain('do/config');
    project.remove();
  });
});

describe('mlcc itself', () => {
  test('on Windows it names WSL and does nothing; help works everywhere', async () => {
    const windows = { cwd, platform: 'win32' } as const;
    const { code, stderr } = await mlcc(['new', 'demo', '--yes'], windows);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Windows Subsystem for Linux')]);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await mlcc(['--help'], windows)).code).toBe(0);
  });

  test('--version, --help and a misspelt command', async () => {
    expect((await mlcc(['--version'], { cwd })).stdout).toBe(`${packageVersion}\n`);
    const help = await mlcc(['--help'], { cwd });
    for (const name of ['new', 'targets', 'config']) expect(help.stdout).toContain(name);
    const { code, stderr } = await mlcc(['trgets'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('targets')]);
    expect((await mlcc([], { cwd })).code).toBe(2);
  });
});
