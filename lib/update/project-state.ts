import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure/index.js';
import {
  type Answers,
  BASE_PATH,
  type Base,
  type FileTree,
  type PendingFile,
  parseBase,
  parseYoRc,
  YO_RC_PATH,
} from '../project/index.js';
import { placeOf } from './paths.js';
import { readTree } from './read-tree.js';

/** What a project says about itself. */
export interface ProjectState {
  root: string;
  rcText: string;
  version: string;
  answers: Answers;
  baseText: string | undefined;
  /** Undefined: missing or damaged. */
  base: Base | undefined;
  pending: ReadonlyMap<string, PendingFile | null>;
}

/** The real path of a project's folder; the path itself where there is nothing. */
export const projectRoot = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : folder);

/** Reads the records of a project. Throws a usage Failure where the folder is no project of ours. */
export function readProjectState(root: string): ProjectState {
  const isFolder = statSync(root, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const records = readTree(root, isFolder ? [YO_RC_PATH, BASE_PATH] : []);
  const rcText = records.get(YO_RC_PATH)?.contents;
  const { version, answers } = parseYoRc(rcText, root);
  const baseText = records.get(BASE_PATH)?.contents;
  const base = parseBase(baseText);
  return {
    root,
    rcText: rcText ?? '',
    version,
    answers,
    baseText,
    base,
    pending: base?.pending ?? new Map(),
  };
}

/** The files of the targets and engines that only the project has, as far as anything derives from them. */
export function ownDescriptors(root: string, known: FileTree): FileTree {
  const manifests = ['targets.d', 'serve.d'].flatMap((kind) =>
    namesIn(placeOf(root, `do/${kind}`)).map(
      (name) => [kind, name, `do/${kind}/${name}/manifest.json`] as const,
    ),
  );
  const own = manifests.filter(([, , path]) => !known.has(path) && existsSync(join(root, path)));
  return readTree(
    root,
    own.flatMap(([kind, name, path]) =>
      kind === 'serve.d' ? [path] : [path, `do/deploy.d/${name}`, `do/clean.d/${name}`],
    ),
  );
}

function namesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new Failure({ what: `a folder cannot be read: ${folder}`, why: (cause as Error).message, cause });
  }
}
