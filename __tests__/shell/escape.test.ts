import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import ejs from 'ejs';
import fc from 'fast-check';
import { CORE_SCHEMA, load } from 'js-yaml';
import { escapeForPath, exportLine, quoteShell, type TextKind, textKind } from '../../lib/shell/index.js';

const folder = mkdtempSync(join(tmpdir(), 'mlcc-escape-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HOSTILE = [
  'R&D "7B" it\'s <fast>',
  '$(touch MARKER)',
  '`touch MARKER`',
  "'; touch MARKER; '",
  '"; touch MARKER; "',
  '${HOME:-x} $HOME \\$HOME',
  'C:\\notes\\',
  '-n leading dash',
  '😀 é \u0085 \u2028 \ufeff \u007f',
  '%s %%  two blanks ',
  '&amp; &#39;',
  '# no comment',
  '',
];

const line = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replace(/[\n\0]/g, ''));
const values = [...HOSTILE, ...fc.sample(line, 300)];

describe('the kind of a file', () => {
  test.each([
    ['do/config', 'config'],
    ['do/deploy', 'shell'],
    ['do/lib/wait.sh', 'shell'],
    ['do/deploy.d/some-target', 'shell'],
    ['code/serve', 'shell'],
    ['.yo-rc.json', 'json'],
    ['do/targets.d/some-target/manifest.json', 'json'],
    ['deploy.yaml', 'yaml'],
    ['ci/buildspec.yml', 'yaml'],
    ['README.md', 'markdown'],
    ['README.md.ejs', 'markdown'],
    ['Dockerfile', 'dockerfile'],
    ['Dockerfile.ejs', 'dockerfile'],
    ['docker/Dockerfile.gpu', 'dockerfile'],
    ['do/lib/python/x.py', 'python'],
    ['do/lib/config.json.ejs', 'json'],
    ['.gitignore', undefined],
    ['.dockerignore', undefined],
    ['LICENSE', undefined],
    ['page.html', undefined],
  ] as [string, TextKind | undefined][])('%s is %s', (path, kind) => {
    expect(textKind(path)).toBe(kind);
  });

  test('a value for a file of no known kind is refused, not written raw', () => {
    expect(() => escapeForPath('page.html')('x')).toThrow('page.html');
  });
});

describe('[C14] a value in EJS stands for itself, and for nothing else', () => {
  const render = (path: string, template: string, value: unknown): string =>
    ejs.render(template, { value }, { escape: escapeForPath(path) });

  /** What bash makes of a rendered file that prints NUL-ended words. */
  function bash(script: string): string[] {
    const run = spawnSync('bash', ['-u'], { input: script, cwd: folder, env: { PATH: process.env.PATH } });
    expect({ status: run.status, stderr: run.stderr.toString() }).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(folder)).toEqual([]);
    return run.stdout.toString('utf8').split('\0').slice(0, -1);
  }

  test('shell', () => {
    const script = values.map((value) => render('do/x', "printf '%s\\0' <%= value %>\n", value)).join('');
    expect(bash(script)).toEqual(values);
  });

  test('do/config', () => {
    const lines = values.map((value, index) => render('do/config', `export K${index}=<%= value %>\n`, value));
    expect(lines).toEqual(values.map((value, index) => `${exportLine(`K${index}`, value)}\n`));
    const probe = values.map((_, index) => `printf '%s\\0' "$K${index}"\n`);
    expect(bash([...lines, ...probe].join(''))).toEqual(values);
  });

  test('JSON', () => {
    for (const value of [...values, 7, true, null, ['a"b'], { a: 1 }]) {
      expect(JSON.parse(render('x.json', '{"v": <%= value %>}', value))).toEqual({ v: value });
    }
  });

  test('YAML', () => {
    for (const value of [...values, 'no', '1e3', '0777', '~', '2020-01-01', 7, true, null]) {
      const text = render('x.yaml', 'v: <%= value %>\nw: 1\n', value);
      expect(load(text, { schema: CORE_SCHEMA })).toEqual({ v: value, w: 1 });
      // Some readers take these for line ends or refuse them: they must not stand there bare.
      expect(text).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
    }
  });

  test('Python', () => {
    const items = [...values, 7, true, false].map((value) => render('x.py', '<%= value %>', value));
    const script = `import json, sys\nsys.stdout.write(json.dumps([\n${items.join(',\n')}\n]))`;
    const run = spawnSync('python3', ['-'], { input: script, encoding: 'utf8', cwd: folder });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual([...values, 7, true, false]);
  });

  test('a Dockerfile', () => {
    for (const value of values) {
      const text = render('Dockerfile', 'ENV K=<%= value %>', value);
      expect(dockerfileValue(text.slice('ENV K='.length))).toBe(value);
    }
    expect(render('Dockerfile', 'FROM <%= value %>', 'reg:5000/a/b:v1@sha256:0f')).toBe(
      'FROM reg:5000/a/b:v1@sha256:0f',
    );
  });

  test('Markdown', () => {
    for (const value of values) {
      const text = render('README.md', '<%= value %>', value);
      expect(text.replace(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(value);
      expect(text).not.toMatch(/(?<!\\)(?:\\\\)*[<`*[\]|~]/);
      expect(text).not.toMatch(/(?<!\\)&(?:[a-z]+|#\d+);/i);
    }
    const shown = [
      'my_model_v2',
      '# x',
      '- x',
      '+ x',
      '1. x',
      '> x',
      '_x_',
      'a_b',
      '&amp;',
      'a & b',
      'R&D it\'s "x"',
    ];
    expect(shown.map((value) => render('README.md', '<%= value %>', value))).toEqual([
      ...['my_model_v2', '\\# x', '\\- x', '\\+ x', '1\\. x', '\\> x', '\\_x\\_', 'a_b', '\\&amp;', 'a & b'],
      'R&D it\'s "x"',
    ]);
  });

  test.each(['do/config', 'Dockerfile', 'README.md'])('a value of several lines is refused in %s', (file) => {
    expect(() => escapeForPath(file)('a\nb')).toThrow();
  });

  test.each(['do/config', 'do/deploy', 'do/lib/python/x.py', 'Dockerfile', 'README.md'])(
    'an absent value, or no scalar, is refused in %s',
    (file) => {
      for (const value of [undefined, null, {}, Number.NaN])
        expect(() => escapeForPath(file)(value)).toThrow();
    },
  );
});

test('no NUL gets into a shell word, and no bad name or line end into a config line', () => {
  expect(() => quoteShell('a\0b')).toThrow();
  expect(() => exportLine('9K', 'v')).toThrow();
  expect(() => exportLine('UID', 'v')).toThrow();
  expect(() => exportLine('K', 'a\nb')).toThrow();
});

/** One word as the reference describes it: double quotes go, a backslash keeps the next quote, dollar or backslash. */
function dockerfileValue(word: string): string {
  if (!word.startsWith('"')) {
    expect(word).toMatch(/^[\w./:@+-]+$/);
    return word;
  }
  expect(word).toMatch(/^"(?:[^"\\$]|\\["\\$])*"$/s);
  return word.slice(1, -1).replace(/\\(["\\$])/g, '$1');
}
