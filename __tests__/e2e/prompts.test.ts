import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { packageRoot } from '../../lib/package/index.js';
import { filesBelow } from '../support/files.js';
import { abandoned, dialogue, expectedProject, helpLines, target } from '../support/new-project-dialogue.js';
import { isolatedEnv } from '../support/project.js';
import { onTerminal } from '../support/terminal.js';

const program = join(packageRoot, 'dist/bin/mlcc.js');
let cwd: string;

beforeEach(() => {
  if (!existsSync(program)) throw new Error('not built; run: npm run build');
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-prompts-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const talk = (lines: readonly [string, string][], args: readonly string[] = []) =>
  onTerminal([process.execPath, program, 'new', ...args], lines, {
    cwd,
    env: isolatedEnv(cwd, { TERM: 'xterm', NO_COLOR: '1' }),
  });

test('every setting is asked with its default, a line of help and a check; the answers make the project', () => {
  const { code, output, unasked } = talk(dialogue);
  expect([code, unasked]).toEqual([0, []]);
  // A narrow terminal breaks lines, and inquirer moves its cursor about.
  const shown = stripVTControlCharacters(output).replace(/\s/g, '');
  for (const line of helpLines) expect(shown).toContain(line.replace(/\s/g, ''));
  expect(filesBelow(join(cwd, 'my-thing'))).toEqual(expectedProject);
  expect(readdirSync(cwd)).toEqual(['my-thing']);
});

test('what is given is not asked, and a bad value among it is said before anything is asked', () => {
  const { code, output } = talk([], ['my-thing', '--target', target, '--engine', 'nothing']);
  expect(code).toBe(2);
  expect(output).toContain('--engine: found "nothing"');
  expect(readdirSync(cwd)).toEqual([]);
});

test('Control-C at a question: 130, and nothing is written', () => {
  const { code, output, unasked } = talk(abandoned);
  expect([code, unasked]).toEqual([130, []]);
  expect(output).toContain('stopped; nothing was written');
  expect(readdirSync(cwd)).toEqual([]);
});
