import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { pointer, positionsOf } from '../../../lib/kube/toml/positions.js';

const TOML = `\uFEFF# a comment = 1
title = "x" # tail
"quoted key" . 'other' = '''
a = 1
[not.a.table]'''
when = 1979-05-27 07:32:00
list = [ 1, # one
  "two, ]",
  { inner = [true], deep.est = 0x1F },
]

[a.b]
c = { d = "}", e = [] }
[[items]]
name = "one"
[items.sub]
x = """multi
line \\""" still"""""
[[items]]
name = 1.10
[[items.sub2]]
y = -inf
`;

test('each key is found on its line, with its value as it was written', () => {
  const found = Object.fromEntries(
    [...positionsOf(TOML)].map(([here, { line, source }]) => [here, `${line} ${source}`]),
  );
  expect(found).toEqual({
    '/title': '2 "x"',
    '/quoted key': expect.stringMatching(/^3 /),
    '/quoted key/other': "3 '''\na = 1\n[not.a.table]'''",
    '/when': '6 1979-05-27 07:32:00',
    '/list': expect.stringMatching(/^7 \[ 1[\s\S]*\]$/),
    '/list/0': '7 1',
    '/list/1': '8 "two, ]"',
    '/list/2': '9 { inner = [true], deep.est = 0x1F }',
    '/list/2/inner': '9 [true]',
    '/list/2/inner/0': '9 true',
    '/list/2/deep': expect.stringMatching(/^9 /),
    '/list/2/deep/est': '9 0x1F',
    '/a': '12 [a.b]',
    '/a/b': '12 [a.b]',
    '/a/b/c': '13 { d = "}", e = [] }',
    '/a/b/c/d': '13 "}"',
    '/a/b/c/e': '13 []',
    '/items': '14 [[items]]',
    '/items/0': '14 [[items]]',
    '/items/0/name': '15 "one"',
    '/items/0/sub': '16 [items.sub]',
    '/items/0/sub/x': '17 """multi\nline \\""" still"""""',
    '/items/1': '19 [[items]]',
    '/items/1/name': '20 1.10',
    '/items/1/sub2': '21 [[items.sub2]]',
    '/items/1/sub2/0': '21 [[items.sub2]]',
    '/items/1/sub2/0/y': '22 -inf',
  });
});

test('for any document: every value of it has a position, whose text is that value', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'b-1', '1', 'a.b', '"', "'", '#', ']', 'é', '~/', '\\u0041'),
    fc.string(),
  );
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('"""', "'''", '\\', '"\\"', '}]#,\n', '\r\n'),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(1.5, -0.25, 1e30, Number.POSITIVE_INFINITY),
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
  );
  const { table } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.array(tie('table'), { maxLength: 3 }),
      tie('table'),
    ),
    table: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(table, (document) => {
      const toml = stringify(document);
      const positions = positionsOf(toml);
      const lines = toml.split('\n');
      const visit = (value: unknown, path: (string | number)[]): void => {
        const position = positions.get(pointer(path));
        if (path.length > 0 && position === undefined)
          throw new Error(`${pointer(path)} has no position in\n${toml}`);
        if (Array.isArray(value)) {
          for (const [index, item] of value.entries()) visit(item, [...path, index]);
        } else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
          for (const [name, item] of Object.entries(value)) visit(item, [...path, name]);
        } else if (position) {
          expect(lines[position.line - 1]).toContain(position.source.split('\n')[0]);
        }
      };
      const parsed = parse(toml);
      visit(parsed, []);
      for (const [here, { source }] of positions) {
        const value = at(parsed, here);
        if (value === undefined) throw new Error(`${here} is not in the document`);
        if (typeof value !== 'object') expect(parse(`v = ${source}`).v).toEqual(value);
      }
    }),
    { numRuns: 400, seed: 12 },
  );
});

function at(document: unknown, here: string): unknown {
  const parts = here
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document);
}
