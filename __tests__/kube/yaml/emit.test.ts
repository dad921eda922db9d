import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type KubeObject, toYaml } from '../../../lib/kube/index.js';
import { describeWithPrograms } from '../../support/programs.js';
import { AWKWARD_TEXTS } from './awkward.js';
import { hasPyYaml, readWithJsYaml, readWithKubectl, readWithPyYaml } from './readers.js';

/** An object that kubectl takes whole: strings as values, and as the keys of a map of strings. */
function configMap(data: Record<string, string>, index = 0): KubeObject & { data: Record<string, string> } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${index}`, labels: { a: 'b' } }, data };
}

function asKeysAndValues(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.flatMap((text, index) => [[`k${index}`, text], ...(text.length < 900 ? [[text, text]] : [])]),
  );
}

test('Python’s YAML parser is there', () => {
  if (process.env.CI === 'true') expect(hasPyYaml()).toBe(true);
});

const describeWithReaders = hasPyYaml()
  ? describeWithPrograms
  : () => test.skip('read-back (not installed: python3-yaml)', () => {});

describeWithReaders(['python3', 'kubectl'], 'what is written reads back equal', () => {
  const awkward = configMap(asKeysAndValues(AWKWARD_TEXTS));

  test('[C37] awkward texts as keys and values, with js-yaml', () => {
    expect(readWithJsYaml(toYaml([awkward, awkward]))).toEqual([awkward, awkward]);
  });

  test('[C37] awkward texts as keys and values, with PyYAML', () => {
    expect(readWithPyYaml(toYaml([awkward, awkward]))).toEqual([awkward, awkward]);
  });

  test('[C37] awkward texts as keys and values, with kubectl', () => {
    expect(readWithKubectl(toYaml([awkward, awkward]))).toEqual([awkward, awkward]);
  });

  test('any text, as key and value, with all three', () => {
    const pieces = fc.constantFrom(
      ...AWKWARD_TEXTS.filter((text) => text.length < 20),
      '\n',
      ' ',
      ':',
      '#',
      '-',
      '\t',
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    );
    const samples = fc.sample(text, { numRuns: 1500, seed: 37 });
    const objects = [0, 1, 2].map((part) =>
      configMap(asKeysAndValues(samples.filter((_, i) => i % 3 === part)), part),
    );
    const yaml = toYaml(objects);
    expect(readWithJsYaml(yaml)).toEqual(objects);
    expect(readWithPyYaml(yaml)).toEqual(objects);
    expect(readWithKubectl(yaml)).toEqual(objects);
  });

  test('any JSON structure, with PyYAML and js-yaml', () => {
    const key = fc.constantFrom('a', 'on', '1', 'b c', '~');
    const leaf = fc.oneof(
      fc.constantFrom(...AWKWARD_TEXTS),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
      fc.constantFrom(1e21, 1e-7, 1.5e300, 0, true, false, null),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    const objects = fc
      .sample(tree, { numRuns: 800, seed: 5 })
      .map((value) => ({ value, list: [value, [value]] }));
    const yaml = toYaml(objects);
    expect(readWithPyYaml(yaml)).toEqual(objects);
    expect(readWithJsYaml(yaml)).toEqual(objects);
  });
});

test('a key with an undefined value is not written, and an object without keys is {}', () => {
  expect(toYaml([{ a: undefined, b: { c: undefined }, d: [] }])).toBe('b: {}\nd: []\n');
});

test('what YAML cannot hold is an error, not another value', () => {
  expect(() => toYaml([{ a: Number.NaN }])).toThrow('NaN cannot be written');
  expect(() => toYaml([{ a: '\ud800' }])).toThrow('surrogate');
  expect(() => toYaml([{ a: 'b\n\udc00' }])).toThrow('surrogate');
  expect(() => toYaml([{ ['k'.repeat(1025)]: 1 }])).toThrow('a key of 1025 characters');
});

test('anchors are never made, even for an object that stands twice', () => {
  const shared = { a: ['b'] };
  expect(toYaml([{ one: shared, two: shared }])).toBe('one:\n  a:\n  - b\ntwo:\n  a:\n  - b\n');
});
