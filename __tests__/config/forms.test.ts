import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseConfig } from '../../lib/config/index.js';
import { sourceConfigs, stores } from './support/stores.js';

const folder = mkdtempSync(join(tmpdir(), 'mlcc-forms-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PIECES = [
  ...[
    'a',
    'b c',
    "'",
    "'",
    '"',
    '"',
    '\\',
    '$',
    '${K:-',
    '"${K:-',
    '}',
    '{',
    ',',
    ' ',
    '\t',
    '#',
    '~',
    ':',
    '=',
    '*',
  ],
  ...['\n', '\\\n', '%', '!', 'é', '\r', '[', ']', '$x', ';', '|', "'it'\\''s'", '"d"', '-'],
];
const word = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((pieces) => pieces.join(''));

/**
 * Random spellings of a value. Where we say that a value needs no shell, a shell must agree; and whatever the spelling,
 * the three languages must agree with each other.
 */
test('a value that is read without a shell is the one that a shell sets', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 300, maxLength: 300 }), async (words) => {
      const cases = words.map((spelling, index) => {
        const file = join(folder, `config-${index}`);
        writeFileSync(file, `export K=${spelling}\nexport NEXT='1'\n`);
        return { file, spelling };
      });
      const parsed = cases.map(({ spelling }) => parseConfig(`export K=${spelling}\nexport NEXT='1'\n`));

      for (const store of stores) {
        for (const key of ['K', 'NEXT']) {
          const { outcomes } = await store.run(cases.map(({ file }) => ({ operation: 'get', file, key })));
          const differing = cases.filter(({ spelling }, index) => {
            const outcome = outcomes[index];
            const expected = parsed[index]?.get(key)?.replace(/\n$/, '');
            return (
              spelling && (outcome?.code === 0 ? outcome.output.replace(/\n$/, '') : undefined) !== expected
            );
          });
          expect({ store: store.name, key, differing }).toEqual({ store: store.name, key, differing: [] });
        }
      }

      const isData = (index: number): boolean => {
        const config = parsed[index];
        return config?.get('K') !== undefined && config.items().every(({ kind }) => kind !== 'code');
      };
      const data = cases.filter((_, index) => isData(index));
      const documents = parsed.filter((_, index) => isData(index));
      expect(data.length).toBeGreaterThan(30);
      // A carriage return before a line end is the editor's for us, and the value's for a shell.
      const sourced = sourceConfigs(data.map(({ file }) => ({ file, keys: ['K', 'NEXT'] })));
      const differing = data.flatMap(({ spelling }, index) => {
        if (spelling.includes('\r')) return [];
        const ours = [documents[index]?.get('K'), documents[index]?.get('NEXT')];
        return JSON.stringify(ours) === JSON.stringify(sourced[index])
          ? []
          : [{ spelling, ours, shell: sourced[index] }];
      });
      expect(differing).toEqual([]);
    }),
    { numRuns: 3, endOnFailure: true },
  );
}, 120_000);
