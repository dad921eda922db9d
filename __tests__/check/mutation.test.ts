import { describe, expect, test } from '@jest/globals';
import { loadCatalog, runtimeOwned, shellVarToAnswer } from '../../lib/catalog/index.js';
import {
  type Authority,
  compareWith,
  type Demand,
  demandOf,
  type Inspection,
  inspect,
} from '../../lib/check/index.js';
import { BASE_PATH, type FileTree, render } from '../../lib/project/index.js';
import { derivedLines, leafMutants, lineMutants, type Mutant, withFile } from './support/mutants.js';

/*
 * Every line of derived text, every executable bit, every field of a header and every leaf of a descriptor is changed, one at
 * a time. A mutant that no finding names is a survivor; there must be none.
 */
const packageCatalog = loadCatalog();
const options = { packageCatalog, parses: () => true };
const project = render({ projectName: 'demo' }, packageCatalog);
const demand = demandOf(project, options);

/** The descriptors are as they were, so what they ask for is, too. */
const judge = (tree: FileTree): Inspection => compareWith(tree, demand, options);

/** What is wrong with the verdict on a mutant of derived text; undefined: nothing. */
function flawOf({ title, path, tree }: Mutant, authorities: readonly Authority[]): string | undefined {
  const { findings, mended } = judge(tree);
  const named = findings.filter((one) => one.file === path && authorities.includes(one.authority));
  if (named.length === 0) return `${title}: survives (${findings.map((one) => one.authority)})`;
  const strange = findings.filter((one) => one.file !== path);
  if (strange.length > 0) return `${title}: ${strange[0]?.file} is blamed, too`;
  if (named.some((one) => one.field === '' || one.why === '' || one.mend === ''))
    return `${title}: says too little`;
  // What stands behind the name of a status is state, which derives from nothing.
  if (/do\/config:\d+ ended otherwise/.test(title) && !named.some((one) => one.fixable)) return undefined;
  const fixed = mended.get(path)?.contents;
  return fixed === project.get(path)?.contents ? undefined : `${title}: is not mended`;
}

const escapes = (mutants: Iterable<Mutant>, authorities: readonly Authority[]): string[] =>
  [...mutants].flatMap((mutant) => flawOf(mutant, authorities) ?? []);

test('the project itself has no finding, and nothing to mend', () => {
  expect(inspect(project, options)).toEqual({ findings: [], mended: new Map(), isStale: false });
  expect(judge(project).findings).toEqual([]);
});

const AUTHORITIES: Readonly<Record<string, readonly Authority[]>> = {
  'do/lib/targets.sh': ['guard-map', 'dispatch', 'verb-targets', 'serving-source', 'generated-text'],
  'do/lib/targets-guidance.sh': ['verb-targets', 'generated-text'],
  'do/lib/engines.sh': ['serving-source', 'generated-text'],
  'do/lib/python/deploy_schema.py': ['python-derived', 'generated-text'],
  'do/deploy': ['generated-text', 'dispatch'],
  'do/README.md': ['generated-text'],
  'do/config': ['status-block'],
};
const derived = [...project].filter(
  ([path, file]) =>
    file.contents.includes('>>> GENERATED') && path !== BASE_PATH && path !== 'do/lib/contract-cold.sh',
);

test('every file with derived text is known here', () => {
  expect(derived.map(([path]) => path).sort()).toEqual(Object.keys(AUTHORITIES).sort());
});

describe.each(derived)('derived text of %s', (path, { contents }) => {
  const lines = derivedLines(path, contents);
  const authorities = AUTHORITIES[path] ?? [];

  test('each line dropped, altered and written twice is named and mended', () => {
    expect(lines.length).toBeGreaterThan(3);
    expect(escapes(lineMutants(project, path, lines), authorities)).toEqual([]);
  });

  test('each block dropped, emptied and without its markers is named and mended', () => {
    const all = contents.split('\n');
    const isMarker = (line: string) => /(>>> GENERATED|<<< END GENERATED)/.test(line);
    const blocks = lines.reduce<number[][]>((found, at) => {
      const last = found.at(-1);
      if (last?.at(-1) === at - 1 && !all[at]?.includes('>>> GENERATED')) last.push(at);
      else found.push([at]);
      return found;
    }, []);
    const mutants = blocks
      .flatMap((block) => {
        const without = (drop: (at: number) => boolean): Mutant => {
          const text = all.filter((_, at) => !(block.includes(at) && drop(at))).join('\n');
          return { title: `${path}:${block[0]} block`, path, tree: withFile(project, path, text) };
        };
        return [
          without(() => true),
          without((at) => !isMarker(all[at] ?? '')),
          without((at) => isMarker(all[at] ?? '')),
        ];
      })
      .filter(({ tree }) => tree.get(path)?.contents !== contents);
    expect(escapes(mutants, authorities)).toEqual([]);
  });
});

test('a missing file that is derived, and is no document, is named and mended', () => {
  const paths = derived.map(([path]) => path).filter((path) => !path.endsWith('.md') && path !== 'do/config');
  const mutants = paths.map((path) => ({ title: path, path, tree: withFile(project, path, undefined) }));
  expect(mutants.flatMap((mutant) => flawOf(mutant, AUTHORITIES[mutant.path] ?? []) ?? [])).toEqual([]);
});

test('each record of targets.sh names the field that it derives from', () => {
  const record = packageCatalog.targets.find(({ manifest }) => Object.values(manifest.verbs).includes(true))
    ?.manifest.target;
  const text = project.get('do/lib/targets.sh')?.contents ?? '';
  const [, words = ''] = new RegExp(`RECORD='(${record} [^']*)'`).exec(text) ?? [];
  const fields = words
    .split(' ')
    .slice(0, 9)
    .map((word, index) => {
      const parts = words.split(' ');
      parts[index] = `${word}x`;
      const tree = withFile(project, 'do/lib/targets.sh', text.replace(words, parts.join(' ')));
      const [found] = judge(tree).findings;
      return `${found?.authority} ${found?.field.split('#/')[1]}`;
    });
  expect(fields).toEqual([
    'dispatch target',
    'guard-map status_var',
    'guard-map success_status',
    'dispatch family',
    'dispatch invocation',
    'dispatch workload',
    'dispatch sagemaker_endpoint',
    'serving-source serving_config_source',
    'verb-targets verbs',
  ]);
});

test('each executable bit that is lost is named and mended', () => {
  const scripts = [...project].filter(([, file]) => file.executable);
  expect(scripts.length).toBeGreaterThan(15);
  for (const [path, file] of scripts) {
    const { findings, mended } = judge(new Map(project).set(path, { ...file, executable: false }));
    expect(findings.map((one) => `${one.authority} ${one.file}`)).toEqual([`script-executable ${path}`]);
    expect([...mended]).toEqual([[path, file]]);
  }
});

test('each missing script of a target is named and mended', () => {
  for (const { manifest } of packageCatalog.targets) {
    for (const path of [`do/${manifest.deploy_script}`, `do/${manifest.clean_script}`]) {
      const { findings, mended } = inspect(withFile(project, path, undefined), options);
      expect(findings.map((one) => `${one.authority} ${one.file}`)).toContain(`script-present ${path}`);
      expect(mended.get(path)).toEqual(project.get(path));
    }
  }
});

describe('headers', () => {
  const verbs = [...project].filter(
    ([path, file]) => /^do\/[a-z-]+$/.test(path) && file.contents.includes('@mlcc-script'),
  );

  test.each(verbs)(
    'each field of %s dropped, altered and written twice is named and mended',
    (path, { contents }) => {
      const lines = contents.split('\n');
      const fields = lines.flatMap((line, at) =>
        /^# (@mlcc-script$|(type|guard|lifecycle|targets|usage):)/.test(line) ? [at] : [],
      );
      expect(fields).toHaveLength(6);
      // A second marker is one line more of text before the header.
      const mutants = [...lineMutants(project, path, fields)].filter(
        ({ title }) => !(title.endsWith('twice') && title.startsWith(`${path}:${(fields[0] ?? 0) + 1} `)),
      );
      const replaced = fields.slice(1).map((at) => ({
        title: `${path}:${at + 1} replaced`,
        path,
        tree: withFile(
          project,
          path,
          lines.with(at, (lines[at] ?? '').replace(/:.*/, ': nonsense')).join('\n'),
        ),
      }));
      expect(escapes([...mutants, ...replaced], ['header', 'verb-targets'])).toEqual([]);
    },
  );
});

describe('descriptors', () => {
  const files = [...project.keys()].filter((path) =>
    /^do\/(targets|serve)\.d\/(.*\/manifest|variables)\.json$/.test(path),
  );
  const rendered = withoutDescriptors(render({ projectName: 'demo' }, packageCatalog));

  /** Whether nothing but the descriptor itself says anything else now, every key that was state is, and answers are read back as before. */
  function isEqual({ catalog, expected }: Demand): boolean {
    const before = [...runtimeOwned(packageCatalog)];
    return (
      expected !== undefined &&
      JSON.stringify([...withoutDescriptors(expected)]) === JSON.stringify([...rendered]) &&
      before.every((name) => runtimeOwned(catalog).has(name)) &&
      JSON.stringify(shellVarToAnswer(catalog)) === JSON.stringify(shellVarToAnswer(packageCatalog))
    );
  }

  test.each(files)('each leaf of %s dropped and altered is named, or nothing derives from it', (path) => {
    const survivors: string[] = [];
    const unmended: string[] = [];
    let [killed, equal] = [0, 0];
    for (const { title, tree } of leafMutants(project, path)) {
      const mutantDemand = demandOf(tree, options);
      const { findings, mended } = compareWith(tree, mutantDemand, options);
      if (findings.length > 0) killed += 1;
      else if (isEqual(mutantDemand)) equal += 1;
      else survivors.push(title);
      if (mended.size === 0) continue;
      // What derives follows the descriptor; what is left is for a person, or for a new render.
      const fixed = compareWith(new Map([...tree, ...mended]), mutantDemand, options);
      if (fixed.mended.size > 0) unmended.push(title);
    }
    expect({ survivors, unmended }).toEqual({ survivors: [], unmended: [] });
    expect(killed).toBeGreaterThan(equal > 40 ? 20 : 10);
  });
});

/** A render without the descriptors, and without the record that repeats them. */
function withoutDescriptors(tree: FileTree): FileTree {
  return new Map([...tree].filter(([path]) => !/^do\/(targets|serve)\.d\//.test(path) && path !== BASE_PATH));
}
