import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parseConfig, SECRET_PREFIXES } from '../../lib/config/index.js';
import { READONLY_SHELL_NAMES } from '../../lib/shell/index.js';
import { type Operation, pythonStoreFolder, shellStorePath, stores } from './support/stores.js';

interface Vectors {
  read: { name: string; text: string; values: Record<string, string | null> }[];
  edit: { name: string; before: string; after: string; set?: [string, string]; unset?: string }[];
  keys: { valid: string[]; invalid: string[] };
  values: { accepted: string[]; refused: string[] };
}

const vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')) as Vectors;
const folder = mkdtempSync(join(tmpdir(), 'mlcc-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

let fileCount = 0;
function configWith(text: string): string {
  fileCount += 1;
  const file = join(folder, `config-${fileCount}`);
  writeFileSync(file, text);
  return file;
}

describe.each(stores)('the table of vectors in $name', (store) => {
  test('[C01] [C02] [C11] [C12] reads every form', async () => {
    const cases = vectors.read.flatMap(({ name, text, values }) => {
      const file = configWith(text);
      return Object.entries(values).map(([key, value]) => ({ name, file, key, value }));
    });
    const { outcomes } = await store.run(cases.map(({ file, key }) => ({ operation: 'get', file, key })));
    const found = cases.map(({ name, key }, index) => {
      const outcome = outcomes[index];
      return { name, key, value: outcome?.code === 0 ? outcome.output : null };
    });
    expect(found).toEqual(cases.map(({ name, key, value }) => ({ name, key, value })));
  });

  test('[C01] [C02] [C12] an edit gives the same bytes', async () => {
    const cases = vectors.edit.map((vector) => ({ ...vector, file: configWith(vector.before) }));
    const operations = cases.map(({ file, set, unset }): Operation => {
      if (set) return { operation: 'set', file, key: set[0], value: set[1] };
      return { operation: 'unset', file, key: unset ?? '' };
    });
    const inodes = cases.map(({ file }) => statSync(file).ino);
    const { outcomes } = await store.run(operations);
    expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);
    const found = cases.map(({ name, file }) => ({ name, after: readFileSync(file, 'utf8') }));
    expect(found).toEqual(cases.map(({ name, after }) => ({ name, after })));
    const rewritten = cases.filter(({ file, before, after }, index) => {
      return before === after && statSync(file).ino !== inodes[index];
    });
    expect(rewritten.map(({ name }) => name)).toEqual([]);
  });

  test('keys are checked', async () => {
    const { valid, invalid } = vectors.keys;
    const keys = [...valid, ...invalid];
    const file = configWith('');
    const { outcomes } = await store.run([
      ...keys.map((key): Operation => ({ operation: 'set', file, key, value: 'v' })),
      ...keys.map((key): Operation => ({ operation: 'get', file, key })),
      ...keys.map((key): Operation => ({ operation: 'unset', file, key })),
    ]);
    const expected = keys.map((key) => (valid.includes(key) ? 0 : 2));
    expect(outcomes.map(({ code }) => code)).toEqual([...expected, ...expected, ...expected]);
  });

  test('values of several lines and secrets are refused with 2, and no message prints them', async () => {
    const { accepted, refused } = vectors.values;
    const before = "export OLD='kept'\n";
    for (const [values, code] of [
      [accepted, 0],
      [refused, 2],
    ] as const) {
      const file = configWith(before);
      const { outcomes, messages } = await store.run(
        values.map((value): Operation => ({ operation: 'set', file, key: 'K', value })),
      );
      expect(values.filter((_, index) => outcomes[index]?.code !== code)).toEqual([]);
      if (code === 2) expect(readFileSync(file, 'utf8')).toBe(before);
      expect(values.filter((value) => value.trim().length > 3 && messages.includes(value.trim()))).toEqual(
        [],
      );
    }
  });
});

test('what is not edited keeps every byte', () => {
  for (const { text } of vectors.read) expect(parseConfig(text).toString()).toBe(text);
});

test('the three languages carry the same lists', () => {
  const shell =
    readFileSync(shellStorePath, 'utf8') + readFileSync(shellStorePath.replace('store', 'grammar'), 'utf8');
  const python = (name: string) => readFileSync(join(pythonStoreFolder, name), 'utf8');
  const words = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]?.match(/[\w-]+/g);
  expect(words(shell, /_CONFIG_SECRET_PREFIXES='(.*)'/)).toEqual(SECRET_PREFIXES);
  expect(words(python('config_store.py'), /SECRET_PREFIXES = \(([^)]*)\)/)).toEqual(SECRET_PREFIXES);
  expect(words(shell, /_CONFIG_READONLY_NAMES='(.*)'/)).toEqual(READONLY_SHELL_NAMES);
  expect(words(python('config_grammar.py'), /READONLY_SHELL_NAMES = \(([^)]*)\)/)).toEqual(
    READONLY_SHELL_NAMES,
  );
});
