import {
  type Catalog,
  runtimeOwned,
  type SharedVariable,
  shellVarToAnswer,
  type TargetManifest,
  type TextFile,
} from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import {
  type Answers,
  BASE_PATH,
  catalogFiles,
  type FileTree,
  parseBase,
  parseYoRc,
  YO_RC_PATH,
} from '../project/index.js';
import { lineOf } from './descriptor-faults.js';
import { type Finding, finding, manifestField } from './finding.js';
import { VARIABLES } from './project-catalog.js';
import { perFile } from './shell-code.js';

/** What .mlcc/base.json knows about the last render. */
export interface LastRender {
  version: string;
  files: FileTree;
  /** Paths that wait for a person's decision. */
  pending: ReadonlySet<string>;
}

/** Reads the record of the last render; undefined where there is none. Throws a TypeError where it is damaged. */
export const parseLastRender = (file: TextFile | undefined): LastRender | undefined =>
  file === undefined ? undefined : recordOf(file);

const recordOf = perFile(({ contents }): LastRender => {
  const base = parseBase(contents);
  if (!base) throw new TypeError('not a record of a render');
  return { version: base.version, files: base.files, pending: new Set(base.pending.keys()) };
});

export const damagedRecord = (): Finding => {
  const where = { file: BASE_PATH, field: BASE_PATH };
  return finding(
    'records',
    where,
    'the record of the last render is damaged',
    'mlcc regenerate writes it anew',
  );
};

/**
 * Files that would be rendered otherwise today, from the answers and descriptors as they stand: whoever changed one of those
 * has not run the derivation since.
 */
export function staleFindings(
  mine: FileTree,
  last: LastRender,
  expected: FileTree,
  catalog: Catalog,
  reported: ReadonlySet<string>,
): Finding[] {
  const inputs = new Set([...catalogFiles(catalog)].map(([path]) => path));
  const paths = new Set([...last.files.keys(), ...expected.keys()]);
  return [...paths].flatMap((path) => {
    if (inputs.has(path) || isInput(path) || isRecord(path)) return [];
    if (last.pending.has(path) || reported.has(path)) return [];
    const [before, now, there] = [last.files.get(path), expected.get(path), mine.get(path)];
    if (isSame(before, now) || isSame(there, now)) return [];
    // What a person deleted stays deleted.
    if (before && !there) return [];
    const message = now
      ? 'the descriptors or answers changed since the last render, and with them this file'
      : 'it was rendered before, and no descriptor asks for it any more';
    return [
      finding('generated-text', { file: path, field: 'do/targets.d, do/serve.d, .yo-rc.json' }, message),
    ];
  });
}

/** Stored answers that are not what the descriptors ask for. */
export function answerFindings(stored: Answers, expected: FileTree): Finding[] {
  const resolved = parseYoRc(expected.get(YO_RC_PATH)?.contents, '.').answers;
  return Object.entries(resolved)
    .filter(([key, value]) => stored[key] !== value)
    .map(([key, value]) => {
      const found = stored[key] === undefined ? 'has no' : `has another`;
      const message = `${found} answer ${key}; the descriptors give "${value}"`;
      return finding('round-trip', { file: YO_RC_PATH, field: `${VARIABLES}#/variables` }, message);
    });
}

/** Why the project's own descriptors cannot be rendered with its answers. */
export function refusedAnswers(error: unknown): Finding[] {
  if (!(error instanceof Failure)) throw error;
  const lines = error.why.length > 0 ? error.why : [error.message];
  return lines.map((why) => {
    const message = error.why.length > 0 ? `${error.message}: ${why}` : why;
    const where = { file: YO_RC_PATH, field: 'do/targets.d/*/manifest.json#/params' };
    return finding('round-trip', where, message, 'correct the answer or the descriptor');
  });
}

/**
 * What regenerate knew about keys of do/config at the last render and does not know any more, of targets that are still there:
 * that scripts own their values, and which answers they are read back into.
 */
export function lostKnowledge(mine: FileTree, last: LastRender, catalog: Catalog): Finding[] {
  const owned = runtimeOwned(catalog);
  const lostState = (file: string, names: readonly string[], field: (name: string) => string) =>
    names
      .filter((name) => mine.has(file) && !owned.has(name))
      .map((name) => {
        const mend = `list ${name} as runtime-owned again`;
        const message = `${name} is not runtime-owned any more`;
        const path = file === VARIABLES ? ['variables', name] : ['runtime_owned_vars'];
        const line = lineOf(mine.get(file)?.contents ?? '', path);
        return finding('runtime-owned', { file, line, field: field(name) }, message, mend);
      });
  return [...last.files].flatMap(([file, { contents }]) => {
    const target = /^do\/targets\.d\/([^/]+)\/manifest\.json$/.exec(file)?.[1];
    if (target !== undefined) {
      const names = readJson<TargetManifest>(contents)?.runtime_owned_vars ?? [];
      return lostState(file, names, () => manifestField(target, 'runtime_owned_vars'));
    }
    if (file !== VARIABLES) return [];
    const { variables = {} } = readJson<{ variables: Record<string, SharedVariable> }>(contents) ?? {};
    const names = Object.keys(variables).filter((name) => variables[name]?.lifecycle === 'runtime-owned');
    return [
      ...lostState(file, names, (name) => `${VARIABLES}#/variables/${name}/lifecycle`),
      ...lostAnswers(mine, variables, catalog),
    ];
  });
}

function lostAnswers(
  mine: FileTree,
  before: Readonly<Record<string, SharedVariable>>,
  catalog: Catalog,
): Finding[] {
  const now = shellVarToAnswer(catalog);
  return Object.entries(before).flatMap(([name, { answer }]) => {
    if (answer === undefined || now[name] === answer) return [];
    const line = lineOf(mine.get(VARIABLES)?.contents ?? '', ['variables', name, 'answer']);
    const where = { file: VARIABLES, line, field: `${VARIABLES}#/variables/${name}/answer` };
    const instead = now[name] === undefined ? 'is no answer any more' : `is now ${now[name]}`;
    const message = `${name} was read back as the answer ${answer}, and ${instead}`;
    return [finding('round-trip', where, message, `give ${name} the answer ${answer} again`)];
  });
}

function readJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

const isRecord = (path: string): boolean => path === BASE_PATH || path === YO_RC_PATH;
const isInput = (path: string): boolean => /^do\/(?:targets|serve|deploy|clean)\.d\//.test(path);
const isSame = (a: TextFile | undefined, b: TextFile | undefined): boolean => a?.contents === b?.contents;
