import {
  buildCatalog,
  type Catalog,
  type CatalogResult,
  type DescriptorFolder,
  orThrow,
  type TextFile,
} from '../catalog/index.js';
import type { FileTree } from '../project/index.js';
import { sameText } from './merge-text.js';
import { type Decisions, makePlan, type PlanInput, resultOf } from './plan.js';
import { isValidText } from './validity.js';

/*
 * A project's descriptors are input: a person's edit of one changes everything that derives from it. So they are merged
 * before anything is rendered, by the same rules as any file.
 */

const VARIABLES = 'do/targets.d/variables.json';
const MANIFEST = /^do\/(targets|serve)\.d\/([^/]+)\/manifest\.json$/;

export interface DescriptorInput {
  packageCatalog: Catalog;
  /** The descriptor files as this version of the package has them. */
  pristine: FileTree;
  base: FileTree;
  mine: FileTree;
  decisions: Decisions;
  /** Whether the project's settings name this target or engine, or a status of it is recorded. */
  isInUse(manifestText: string): boolean;
}

export interface MergedDescriptors {
  /** The project's catalogue as it will be after the merge. */
  catalog: Catalog;
  /** Whether a file belongs to a target or engine that only this project has: it is the person's, and no part of a render. */
  isOwn(path: string): boolean;
  /** Whether a merged text may be written; the merge of the whole project has to ask the same. */
  isValid: PlanInput['isValid'];
  notes: string[];
}

/** Throws a Failure for a faulty descriptor. */
export function mergeDescriptors(input: DescriptorInput): MergedDescriptors {
  const { pristine, base, mine, decisions } = input;
  const own = ownFolders(input);
  const isOwn = (path: string): boolean => {
    const part = own.get(folderOf(path) ?? '');
    return part === 'whole' || (part === 'unedited files' && !isEdited(path, base, mine));
  };
  const merge = (isValid: PlanInput['isValid']): CatalogResult => {
    const merged = (tree: FileTree): FileTree =>
      new Map([...tree].filter(([path]) => isDescriptorFile(path) && !isOwn(path)));
    const trees = { base: merged(base), mine: merged(mine), theirs: merged(pristine) };
    return catalogOf(resultOf(mine, makePlan({ ...decisions, ...trees, isValid })), input);
  };
  const cautious: PlanInput['isValid'] = (path, text) => !isDescriptorFile(path) && isValidText(path, text);
  const result = merge(isValidText);
  // Two changes that go together as text may contradict each other as a descriptor: then they are a conflict, too.
  const isValid = result.faults.length === 0 ? isValidText : cautious;
  return {
    catalog: orThrow(isValid === cautious ? merge(cautious) : result),
    isOwn,
    isValid,
    notes: [...own.keys()]
      .filter((folder) => [...base.keys()].some((path) => folderOf(path) === folder))
      .map((folder) => `do/${folder} is no part of the generator any more: it is this project's own now`),
  };
}

/** `targets.d/<name>` or `serve.d/<name>` for every file of a target or engine; undefined for other files. */
function folderOf(path: string): string | undefined {
  const [, kind, name] = /^do\/(targets|deploy|clean|serve)\.d\/([^/]+)/.exec(path) ?? [];
  if (kind === undefined) return undefined;
  return `${kind === 'serve' ? 'serve' : 'targets'}.d/${name}`;
}

/** Whether a file is part of a target or engine, so that it comes from the package as it is and not from a render. */
export const isDescriptorFile = (path: string): boolean => folderOf(path) !== undefined;

const isEdited = (path: string, base: FileTree, mine: FileTree): boolean => {
  const [before, now] = [base.get(path), mine.get(path)];
  return before !== undefined && now !== undefined && !sameText(before.contents, now.contents);
};

/**
 * The targets and engines that the package does not have, and how much of each is the project's own. One that the package
 * dropped goes like any dropped file, unless the project uses it; where a person edited one of its files, the others stay with
 * it, and leave the base.
 */
function ownFolders({ pristine, base, mine, decisions, isInUse }: DescriptorInput) {
  const own = new Map<string, 'whole' | 'unedited files'>();
  for (const [path, { contents }] of mine) {
    const folder = folderOf(path);
    if (folder === undefined || !MANIFEST.test(path) || pristine.has(path)) continue;
    const fromBase = [...base.keys()].filter((other) => folderOf(other) === folder);
    const mayGo = base.has(path) && !isInUse(contents);
    const waits = fromBase.some((other) => isEdited(other, base, mine)) && decisions.conflict !== 'theirs';
    if (waits && !isInUse(contents)) own.set(folder, 'unedited files');
    else if (!mayGo) own.set(folder, 'whole');
  }
  return own;
}

/** The catalogue of a tree of descriptor files. */
function catalogOf(tree: FileTree, { packageCatalog, pristine, mine }: DescriptorInput): CatalogResult {
  const text = (path: string): TextFile | undefined => tree.get(path) ?? pristine.get(path);
  const targets: DescriptorFolder[] = [];
  const engines: DescriptorFolder[] = [];
  for (const [path, manifest] of tree) {
    const [, kind, name = ''] = MANIFEST.exec(path) ?? [];
    const location = `do/${kind}.d/${name}`;
    if (kind === 'targets') {
      const origin = packageCatalog.targets.find((target) => target.manifest.target === name)?.origin;
      const files = new Map([['manifest.json', manifest]]);
      for (const script of ['deploy', 'clean']) {
        const file = text(`do/${script}.d/${name}`);
        // What lost its executable bit on the way here gets it back; it is no fault of the descriptor.
        if (file) files.set(script, { ...file, executable: true });
      }
      for (const [other, file] of tree) {
        if (other.startsWith(`${location}/files/`)) files.set(other.slice(location.length + 1), file);
      }
      targets.push({ name, location, origin: origin ?? 'project', files });
    } else if (kind === 'serve') {
      const known = packageCatalog.engines.find((engine) => engine.manifest.engine === name);
      // Of an engine of its own, a project has the start script only where the engine is the chosen one.
      const serve = known?.serve ?? mine.get('code/serve')?.contents ?? '';
      const files = new Map([
        ['manifest.json', manifest],
        ['serve', { contents: serve, executable: true }],
      ]);
      engines.push({ name, location, origin: known?.origin ?? 'project', files });
    }
  }
  const variables = { contents: text(VARIABLES)?.contents ?? '', file: VARIABLES };
  return buildCatalog({ targets, engines, variables });
}
