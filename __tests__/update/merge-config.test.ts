import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseConfig } from '../../lib/config/index.js';
import { mergeConfig } from '../../lib/update/index.js';

/** Lines of a do/config, each with its line end. */
const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const merge = (base: string | undefined, mine: string, theirs: string, runtime: string[] = []) =>
  mergeConfig({ base, mine, theirs, runtimeOwned: new Set(runtime) });

const BASE = text('# settings', "export A='1'", '# about B', "export B='2'", '', "export STATUS=''");

describe('by lifecycle', () => {
  test('a runtime-owned value stays byte for byte, however it is written', () => {
    const mine = BASE.replace("export STATUS=''", 'export STATUS="$(odd) `text`"   # by hand');
    const theirs = BASE.replace('# settings', '# all settings');
    expect(merge(BASE, mine, theirs, ['STATUS']).text).toBe(mine.replace('# settings', '# all settings'));
  });

  test('[C19] a runtime-owned line and a user’s own line survive a template that lacks them, with their comments', () => {
    const mine = `${BASE}# ours, do not touch\nexport MY_TEAM=abc\n# told by the script\nexport ROUTE='r'\n`;
    const base = `${BASE}# told by the script\nexport ROUTE=''\n`;
    const { text: merged, keptAlthoughDropped } = merge(base, mine, BASE, ['ROUTE']);
    expect(merged).toContain('# ours, do not touch\nexport MY_TEAM=abc\n');
    expect(merged).toContain("# told by the script\nexport ROUTE='r'\n");
    expect(keptAlthoughDropped).toEqual(['ROUTE']);
  });

  test('[C19] a key that the template dropped goes when nobody changed it, and is listed', () => {
    const theirs = BASE.replace("# about B\nexport B='2'\n", '');
    expect(merge(BASE, BASE, theirs)).toMatchObject({
      text: theirs,
      dropped: ['B'],
      keptAlthoughDropped: [],
    });
  });

  test('a key that the template dropped stays when a person changed it, and is listed', () => {
    const theirs = BASE.replace("# about B\nexport B='2'\n", '');
    const mine = BASE.replace("B='2'", "B='3'");
    const merged = merge(BASE, mine, theirs);
    expect(merged).toMatchObject({ dropped: [], keptAlthoughDropped: ['B'] });
    expect(merged.text).toContain("# about B\nexport B='3'\n");
  });

  test('a line that scripts write comes back when it is missing; another that a person deleted does not', () => {
    const mine = BASE.replace("export STATUS=''\n", '').replace("export A='1'\n", '');
    const { text: merged } = merge(BASE, mine, BASE, ['STATUS']);
    expect(parseConfig(merged).keys()).toEqual(['B', 'STATUS']);
  });

  test('a template-owned value is the render’s; form and comment of the line stay', () => {
    const mine = BASE.replace("export A='1'", "  export A='1'  # mine");
    expect(merge(BASE, mine, BASE.replace("A='1'", "A='9'")).text).toContain("export A='9'  # mine\n");
    const same = BASE.replace("export A='1'", 'export A="1"');
    expect(merge(BASE, same, BASE).text).toBe(same);
  });

  test('a value that only a shell can compute is left alone and named', () => {
    const mine = BASE.replace("export A='1'", 'export A=$(cat file)');
    expect(merge(BASE, mine, BASE.replace("A='1'", "A='9'"))).toMatchObject({ text: mine, computed: ['A'] });
  });

  test('code, duplicates, CRLF, a missing last newline and a value of two lines change nothing by themselves', () => {
    const mine = [
      'if true; then',
      '  export A=0',
      'fi',
      "export STATUS='old'",
      ...BASE.trimEnd().split('\n'),
      "export NOTE='two",
      "lines'",
      "export STATUS='new'",
    ].join('\r\n');
    expect(merge(BASE, mine, BASE, ['STATUS']).text).toBe(mine);
  });

  test('of a key that occurs twice the last one counts, and no line of it is lost', () => {
    const mine = BASE.replace("export A='1'", "export A='0' # first\nexport A='1' # last");
    const { text: merged } = merge(BASE, mine, BASE.replace("A='1'", "A='9'"));
    expect(merged).toContain("export A='0' # first\nexport A='9' # last\n");
  });
});

describe('as text', () => {
  test('new keys come where the template has them, with their comments', () => {
    const theirs = BASE.replace('# about B', "# about N\nexport N='n'\n# about B");
    expect(merge(BASE, `${BASE}export MINE='m'\n`, theirs).text).toBe(`${theirs}export MINE='m'\n`);
  });

  test('without a base nothing of either side is taken for a deletion', () => {
    const mine = text("export MINE='m'", "export A='7'");
    const keys = parseConfig(merge(undefined, mine, BASE, ['STATUS']).text).keys();
    expect([...keys].sort()).toEqual(['A', 'B', 'MINE', 'STATUS']);
  });
});

/** What a random config is made of: keys of every kind, and lines that are none. */
const item = fc.oneof(
  fc.tuple(fc.constantFrom('T0', 'T1', 'T2', 'R0', 'R1', 'R2'), fc.constantFrom('', 'x', 'y')),
  fc.tuple(fc.constantFrom('#', '# --- section'), fc.constant(undefined)),
  fc.tuple(fc.constant(''), fc.constant(undefined)),
);
const own = fc.tuple(fc.constantFrom('U0', 'U1'), fc.constantFrom('mine', ''));
const config = (entry: fc.Arbitrary<[string, string | undefined]>) =>
  fc.uniqueArray(entry, { maxLength: 10, selector: ([key]) => (/^[A-Z]/.test(key) ? key : Math.random()) });
const written = (items: readonly [string, string | undefined][]): string =>
  text(
    ...items.flatMap(([key, value]) =>
      value === undefined ? [key] : [`# about ${key}`, `export ${key}='${value}'`],
    ),
  );

test('1,000 configs: nothing that a script or a person wrote is lost, and a second merge changes nothing', () => {
  const runtime = ['R0', 'R1', 'R2'];
  fc.assert(
    fc.property(
      fc.option(config(item), { nil: undefined }),
      config(fc.oneof(item, own)),
      config(item),
      (baseItems, mineItems, theirItems) => {
        const base = baseItems && written(baseItems);
        const [mine, theirs] = [written(mineItems), written(theirItems)];
        const { text: merged, dropped } = merge(base, mine, theirs, runtime);
        const [before, after, template] = [mine, merged, theirs].map(parseConfig) as [
          ReturnType<typeof parseConfig>,
          ReturnType<typeof parseConfig>,
          ReturnType<typeof parseConfig>,
        ];
        for (const key of before.keys()) {
          if (dropped.includes(key)) {
            expect(key).toMatch(/^T/);
            expect(before.get(key)).toBe(parseConfig(base ?? '').get(key));
            expect(template.has(key)).toBe(false);
          } else if (key.startsWith('T') && template.has(key)) {
            expect(after.get(key)).toBe(template.get(key));
          } else {
            expect(after.get(key)).toBe(before.get(key));
            if (!template.has(key)) expect(after.commentAbove(key)).toContain(`# about ${key}`);
          }
        }
        for (const key of template.keys()) {
          const isDeleted = key.startsWith('T') && !before.has(key) && parseConfig(base ?? '').has(key);
          expect(after.has(key)).toBe(!isDeleted);
        }
        expect(after.problems()).toEqual([]);
        expect(merge(theirs, merged, theirs, runtime).text).toBe(merged);
      },
    ),
    { numRuns: 1000 },
  );
});
