import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeProject } from '../../lib/cli/write-project.js';
import { Failure } from '../../lib/failure/index.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-write-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const text = (contents: string) => ({ contents, executable: false });
const tree = new Map([
  ['README.md', text('ours\n')],
  ['do/config', text('data\n')],
  ['do/lib/a.sh', text('code\n')],
]);
const everything = () => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();

function refusal(dest: string, files = tree): Failure {
  try {
    writeProject(dest, files);
  } catch (failure) {
    if (failure instanceof Failure) return failure;
    throw failure;
  }
  throw new Error('it was written');
}

test('folders above the new one are made', () => {
  writeProject(join(root, 'a/b/demo'), tree);
  expect(readFileSync(join(root, 'a/b/demo/do/lib/a.sh'), 'utf8')).toBe('code\n');
  expect(readdirSync(join(root, 'a/b'))).toEqual(['demo']);
});

test('a link to a folder is followed', () => {
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'link'));
  writeProject(join(root, 'link'), tree);
  expect(readdirSync(join(root, 'real')).sort()).toEqual(['README.md', 'do']);
});

describe('what is in the way is listed, with exit 2', () => {
  test.each<[string, () => void, string, string]>([
    ['the folder is a file', () => writeFileSync(join(root, 'x'), ''), 'x', 'is not a folder'],
    [
      'a folder above it is a file',
      () => writeFileSync(join(root, 'x'), ''),
      'x/y/demo',
      'x is there already',
    ],
    [
      'the folder is a link to nowhere',
      () => symlinkSync('nowhere', join(root, 'x')),
      'x',
      'is not a folder',
    ],
    [
      'a file stands where a folder has to be',
      () => {
        mkdirSync(join(root, 'x'));
        writeFileSync(join(root, 'x/do'), '');
      },
      'x',
      '\n  do\n',
    ],
    [
      'a link stands where a folder has to be',
      () => {
        mkdirSync(join(root, 'x'));
        mkdirSync(join(root, 'elsewhere'));
        symlinkSync('../elsewhere', join(root, 'x/do'));
      },
      'x',
      '\n  do\n',
    ],
    [
      'a link to nowhere stands where a file has to be',
      () => {
        mkdirSync(join(root, 'x/do'), { recursive: true });
        symlinkSync('nowhere', join(root, 'x/do/config'));
      },
      'x',
      '\n  do/config\n',
    ],
  ])('%s', (_, make, dest, expected) => {
    make();
    const before = everything();
    const failure = refusal(join(root, dest));
    expect(failure.exit).toBe(2);
    expect(failure.lines().join('\n')).toContain(expected);
    expect(everything()).toEqual(before);
  });
});

describe('a write that fails leaves nothing behind', () => {
  const failing = new Map([...tree, [`do/${'x'.repeat(300)}`, text('a name too long for any disk')]]);

  test('in a new folder, the folders above it included', () => {
    const failure = refusal(join(root, 'a/b/demo'), failing);
    expect(failure.exit).toBe(1);
    expect(failure.message).toMatch(/cannot write .*nothing was changed/);
    expect(everything()).toEqual([]);
  });

  test('in a folder that has files', () => {
    writeFileSync(join(root, 'notes.txt'), 'mine');
    expect(refusal(root, failing).exit).toBe(1);
    expect(everything()).toEqual(['notes.txt']);
  });
});

test('in a folder that is there, only that folder is written to: the one above may be another disk or somebody else’s', () => {
  const dest = join(root, 'mounted');
  mkdirSync(dest);
  writeProject(dest, tree);
  expect(readdirSync(root)).toEqual(['mounted']);
  expect(existsSync(join(dest, 'do/config'))).toBe(true);
  expect(readdirSync(dest).sort()).toEqual(['README.md', 'do']);
});
