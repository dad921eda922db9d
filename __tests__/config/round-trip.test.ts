import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { secretKind } from '../../lib/config/index.js';
import { type Operation, type Store, sourceConfigs, stores } from './support/stores.js';

const VALUES_PER_BATCH = 256;
const BATCHES = 4;
const KEYS_PER_FILE = 8;

let folder: string;
const home = process.cwd();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mlcc-round-trip-'));
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

/** What has a meaning to a shell, to a pattern, to a replacement text, to printf or to a parser of lines. */
const AWKWARD = [
  ...`'"\\$\`&|=#*?[]{}()<>;!~^%@:, \t\r`,
  ...[
    '$(touch MARKER)',
    '`touch MARKER`',
    '${X:-y}',
    '$HOME',
    '$&',
    '$1',
    '$$',
    '\\n',
    '\\1',
    '%s',
    "'\\''",
    '\\\\',
  ],
  ...[
    "'; touch MARKER; '",
    'export K0=x',
    '\u2028',
    '\u0085',
    '\ufeff',
    'é',
    '😀',
    '\u0001',
    '\u007f',
    '-n',
    '\\',
  ],
];
const line = fc
  .oneof(
    fc.array(fc.constantFrom(...AWKWARD, 'a', '7'), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/[\n\0]/g, '')),
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[\n\0]/g, '')),
  )
  .filter((text) => secretKind(text) === undefined);
const batch = fc.array(line, { minLength: VALUES_PER_BATCH, maxLength: VALUES_PER_BATCH });

interface Stored {
  file: string;
  key: string;
  value: string;
}

async function write(store: Store, values: readonly string[]): Promise<Stored[]> {
  const stored = values.map((value, index) => ({
    file: join(folder, `config-${Math.floor(index / KEYS_PER_FILE)}`),
    key: `K${index % KEYS_PER_FILE}`,
    value,
  }));
  // Half of the keys exist before, in different shapes.
  const before =
    "# top\nexport K1=\"x\"\nexport K3=${K3:-'it'} # c\n\nexport K5='a'\nexport K7=\nexport K5=b\n";
  for (const file of new Set(stored.map((entry) => entry.file))) writeFileSync(file, before);
  const { outcomes } = await store.run(stored.map((entry): Operation => ({ operation: 'set', ...entry })));
  expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);
  return stored;
}

/** What each store and a plain shell read back, only where it differs. */
async function differences(writer: Store, stored: readonly Stored[]): Promise<unknown[]> {
  const found: unknown[] = [];
  const compare = (reader: string, values: (string | undefined)[]): void => {
    stored.forEach(({ key, value }, index) => {
      if (values[index] !== value)
        found.push({ writer: writer.name, reader, key, value, found: values[index] });
    });
  };
  for (const reader of stores) {
    const { outcomes } = await reader.run(stored.map(({ file, key }) => ({ operation: 'get', file, key })));
    compare(
      reader.name,
      outcomes.map(({ code, output }) => (code === 0 ? output : undefined)),
    );
  }
  const files = [...new Set(stored.map(({ file }) => file))];
  const keys = Array.from({ length: KEYS_PER_FILE }, (_, index) => `K${index}`);
  compare('source', sourceConfigs(files.map((file) => ({ file, keys }))).flat());
  return found;
}

test('[C03] [C04] [C12] any line of text goes through any writer and any reader, and nothing is executed', async () => {
  await fc.assert(
    fc.asyncProperty(batch, async (values) => {
      const texts: string[][] = [];
      for (const writer of stores) {
        const stored = await write(writer, values);
        expect(await differences(writer, stored)).toEqual([]);
        texts.push([...new Set(stored.map(({ file }) => file))].map((file) => readFileSync(file, 'utf8')));
      }
      expect(texts[1]).toEqual(texts[0]);
      expect(texts[2]).toEqual(texts[0]);
      expect(readdirSync(folder).filter((name) => !name.startsWith('config-'))).toEqual([]);
    }),
    { numRuns: BATCHES, endOnFailure: true },
  );
}, 120_000);

test('[C03] [C04] answers with blanks, wildcards and expansions source as they are under set -u', async () => {
  const answers = ['20 4 * * *', 'my model', 'pa$word', '$(touch MARKER)', '`id`', "it's", '-n', ''];
  const stored = await write(stores[0] as Store, answers);
  expect(await differences(stores[0] as Store, stored)).toEqual([]);
  expect(readdirSync(folder)).not.toContain('MARKER');
});
