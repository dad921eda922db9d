import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtInSources, loadCatalog } from '../../lib/catalog/index.js';
import { Failure } from '../../lib/failure/index.js';
import { packageRoot } from '../../lib/package/index.js';

const original = builtInSources().targets[0]?.name ?? '';
let pack: string;

beforeEach(() => {
  pack = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-pack-')));
  cpSync(join(packageRoot, 'targets.d', original), join(pack, 'other'), { recursive: true });
  const file = join(pack, 'other/manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const tag = manifest.status_var.replace(/STATUS$/, '');
  const text = JSON.stringify({
    ...manifest,
    target: 'other',
    aliases: [],
    answer_key: 'deploymentTargetOtherStatus',
    deploy_script: 'deploy.d/other',
    clean_script: 'clean.d/other',
  });
  writeFileSync(file, text.replaceAll(tag, 'DEPLOYMENT_TARGET_OTHER_'));
});
afterEach(() => rmSync(pack, { recursive: true, force: true }));

const added = (...targetDirs: string[]) =>
  loadCatalog({ targetDirs })
    .targets.filter(({ origin }) => origin === 'pack')
    .map(({ manifest }) => manifest.target);

function refusal(...targetDirs: string[]): { exit: number; text: string } {
  try {
    loadCatalog({ targetDirs });
  } catch (failure) {
    if (failure instanceof Failure) return { exit: failure.exit, text: failure.lines().join('\n') };
    throw failure;
  }
  throw new Error('it was accepted');
}

test('a pack adds its targets, also when it is named twice', () => {
  expect(added(pack)).toEqual(['other']);
  expect(added(pack, `${pack}/.`)).toEqual(['other']);
});

test('a second pack with a target of the same name is a fault that names both', () => {
  const copy = join(pack, '.copy');
  cpSync(join(pack, 'other'), join(copy, 'other'), { recursive: true });
  const { exit, text } = refusal(pack, copy);
  expect(exit).toBe(1);
  expect(text).toContain(
    `${copy}/other/manifest.json#/target: "other" is taken by ${pack}/other/manifest.json`,
  );
});

describe('what is no pack is a usage error that says why', () => {
  test.each([
    ['an empty name', () => '', 'no folder ""'],
    ['a folder that is not there', () => join(pack, 'nowhere'), 'nowhere'],
    ['a file', () => join(pack, 'other/deploy'), 'it is not a folder'],
    [
      'an empty folder',
      () => mkdirSync(join(pack, 'empty'), { recursive: true }) ?? '',
      'holds no target folders',
    ],
  ])('%s', (_, folder, expected) => {
    const { exit, text } = refusal(folder());
    expect(exit).toBe(2);
    expect(text).toContain(expected);
  });

  test('a target’s own folder: the one above it is named', () => {
    const { exit, text } = refusal(join(pack, 'other'));
    expect(exit).toBe(2);
    expect(text).toContain(`it is a target itself\n→ name the folder above it: ${pack}`);
  });
});

describe('a file that cannot be part of a target is named', () => {
  test.each([
    ['a link to nowhere', () => symlinkSync('nowhere', join(pack, 'other/x')), 'it does not exist'],
    ['links that go in circles', () => symlinkSync('.', join(pack, 'other/x')), 'go in circles'],
    [
      'bytes that are no text',
      () => writeFileSync(join(pack, 'other/x'), Buffer.of(0xff, 0xfe)),
      'not UTF-8',
    ],
    [
      'a file of more than 1 MiB',
      () => writeFileSync(join(pack, 'other/x'), 'x'.repeat(2 ** 20 + 1)),
      'too large',
    ],
  ])('%s', (_, make, expected) => {
    make();
    const { exit, text } = refusal(pack);
    expect(exit).toBe(2);
    expect(text).toContain(`${basename(pack)}/other/x`);
    expect(text).toContain(expected);
  });

  test('a folder that is not called like its target', () => {
    renameSync(join(pack, 'other'), join(pack, 'another'));
    expect(refusal(pack).text).toContain('#/target: found "other"; the folder is called "another"');
  });
});
