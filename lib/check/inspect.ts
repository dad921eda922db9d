import type { Catalog, Fault, TextFile } from '../catalog/index.js';
import { packageVersion } from '../package/index.js';
import {
  type Answers,
  BASE_PATH,
  type FileTree,
  parseYoRc,
  type RenderSource,
  render,
  YO_RC_PATH,
} from '../project/index.js';
import { codeFindings } from './code-rules.js';
import { compareStatusBlock, secretFindings } from './config-rules.js';
import { type Comparison, compareDerivedText } from './derived-text.js';
import { descriptorFindings } from './descriptor-faults.js';
import { type Finding, sortFindings } from './finding.js';
import { compareHeaders } from './headers.js';
import {
  answerFindings,
  damagedRecord,
  type LastRender,
  lostKnowledge,
  parseLastRender,
  refusedAnswers,
  staleFindings,
} from './last-render.js';
import { projectCatalog } from './project-catalog.js';
import { filesToRestore } from './restore.js';
import { contractFindings, modeFindings, type Parses, parseFindings, scriptFindings } from './scripts.js';
import { missingFindings, readerFindings } from './wiring.js';
import { keyFindings, recordFindings } from './written-keys.js';

export interface InspectOptions {
  /** The descriptors of this version of the package, with packs: they say where a project's own come from. */
  packageCatalog: Catalog;
  parses: Parses;
  /** Other templates and another version, for tests. */
  source?: Partial<RenderSource>;
}

export interface Inspection {
  findings: readonly Finding[];
  /** Files as derivation makes them, where they differ: what a fix writes. */
  mended: ReadonlyMap<string, TextFile>;
  /** Whether answers or descriptors changed since the last render, so that a fix has to render anew. */
  isStale: boolean;
}

/** What a project's own descriptors and answers ask for. */
export interface Demand {
  /** Version of the generator that made the project. */
  version: string;
  answers: Answers;
  catalog: Catalog;
  faults: readonly Fault[];
  /** The project as it would be rendered today; undefined where the descriptors have faults or refuse the answers. */
  expected: FileTree | undefined;
  refused: readonly Finding[];
}

/**
 * Compares a project, given as the files of its folder, with its own descriptors. A pure function but for `parses`. Throws a
 * usage Failure where the files are no project of ours.
 */
export function inspect(mine: FileTree, options: InspectOptions): Inspection {
  return compareWith(mine, demandOf(mine, options), options);
}

export function demandOf(mine: FileTree, { packageCatalog, source = {} }: InspectOptions): Demand {
  const { version, answers } = parseYoRc(mine.get(YO_RC_PATH)?.contents, 'the folder');
  const { catalog, faults } = projectCatalog(mine, packageCatalog);
  const demand = { version, answers, catalog, faults, expected: undefined, refused: [] };
  if (faults.length > 0) return demand;
  try {
    return { ...demand, expected: render(answers, catalog, source) };
  } catch (error) {
    return { ...demand, refused: refusedAnswers(error) };
  }
}

export function compareWith(mine: FileTree, demand: Demand, options: InspectOptions): Inspection {
  const { version, answers, catalog, faults, expected, refused } = demand;
  const { last, damaged } = lastRender(mine);
  const always = [
    ...secretFindings(mine),
    ...parseFindings(mine, last?.files ?? new Map(), options.parses),
    ...damaged,
  ];
  if (faults.length > 0) return only([...descriptorFindings(faults, mine), ...always]);

  if (last) always.push(...lostKnowledge(mine, last, catalog));
  if (!expected) return only([...refused, ...always, ...ruleFindings(mine, catalog)]);

  const isCurrent = version === (options.source?.version ?? packageVersion);
  const derived = compareAll(mine, expected, catalog, isCurrent);
  const modes = modeFindings(mine, expected);
  // Derived text whose markers are damaged is no code of a person's.
  const judged = new Map([...mine, ...derived.mended]);
  const restorable = filesToRestore(judged, catalog, {
    rendered: last?.files ?? new Map(),
    expected: isCurrent ? expected : new Map(),
    packageCatalog: options.packageCatalog,
  });
  const mended = new Map([...derived.mended, ...restorable]);
  for (const { file } of modes)
    mended.set(file, { ...(mended.get(file) ?? at(mine, file)), executable: true });

  const rendersSame = last?.version === version && isCurrent;
  const stale = [
    ...answerFindings(answers, expected),
    ...(last && rendersSame ? staleFindings(mine, last, expected, catalog, new Set(mended.keys())) : []),
  ];
  const scripts = scriptFindings(mine, catalog, (path) => restorable.has(path));
  return {
    findings: sortFindings([
      ...derived.findings,
      ...modes,
      ...scripts,
      ...stale,
      ...always,
      ...missingFindings(judged, (path) => restorable.has(path)),
      ...ruleFindings(judged, catalog),
    ]),
    mended,
    isStale: stale.length > 0,
  };
}

/** The rules over what people write. */
const ruleFindings = (files: FileTree, catalog: Catalog): Finding[] => [
  ...keyFindings(files, catalog),
  ...recordFindings(files, catalog),
  ...codeFindings(files, catalog),
  ...contractFindings(files),
  ...readerFindings(files),
];

const only = (findings: readonly Finding[]): Inspection => ({
  findings: sortFindings(findings),
  mended: new Map(),
  isStale: false,
});

const at = (tree: FileTree, path: string): TextFile => tree.get(path) as TextFile;

function lastRender(mine: FileTree): { last: LastRender | undefined; damaged: Finding[] } {
  try {
    return { last: parseLastRender(mine.get(BASE_PATH)), damaged: [] };
  } catch {
    return { last: undefined, damaged: [damagedRecord()] };
  }
}

/**
 * Everything that derives from the descriptors. Of a project that another version made, this version's text may differ for
 * other reasons too: only a regenerate brings it up to date.
 */
function compareAll(mine: FileTree, expected: FileTree, catalog: Catalog, isCurrent: boolean): Comparison {
  const compare = [compareHeaders, compareDerivedText, compareStatusBlock];
  const found = compare.map((one) => ({ one, ...one(mine, expected, catalog) }));
  const findings = found.flatMap((comparison) => comparison.findings);
  const mended = new Map<string, TextFile>();
  if (!isCurrent) {
    return {
      findings: findings.map((one) => ({ ...one, mend: 'mlcc regenerate', fixable: false })),
      mended,
    };
  }
  // Several comparisons may mend the same file: each one starts from what the others have made of it.
  for (const { one, mended: first } of found) {
    const next = mended.size === 0 ? first : one(new Map([...mine, ...mended]), expected, catalog).mended;
    for (const [path, file] of next) mended.set(path, file);
  }
  return { findings, mended };
}
