import { type FileTree, sortTree } from './file-tree.js';

/** Where the last pristine render is kept: what makes a three-way merge possible later, offline. */
export const BASE_PATH = '.mlcc/base.json';

/** The paths that record a render and are therefore no part of it. */
export const RECORD_PATHS: ReadonlySet<string> = new Set([BASE_PATH, '.yo-rc.json']);

/** A file that could not be merged: what the generator wanted, kept until a person decides. */
export interface PendingFile {
  contents: string;
  executable: boolean;
}

/** The contents of .mlcc/base.json. */
export interface Base {
  /** Version of the generator that made `files`. */
  version: string;
  /** The defaults of that version by answer, so that a changed one can be reported. */
  defaults: Readonly<Record<string, string>>;
  files: FileTree;
  /** Conflicted paths; `null` where the generator dropped the file. */
  pending: ReadonlyMap<string, PendingFile | null>;
}

/** The same bytes on every platform: sorted paths, two spaces, a final newline. */
export function serialiseBase({ version, defaults, files, pending }: Base): string {
  const entries = (map: ReadonlyMap<string, unknown>) => Object.fromEntries(map);
  const data = {
    version,
    defaults: entries(new Map(Object.entries(defaults).sort(([a], [b]) => (a < b ? -1 : 1)))),
    files: entries(
      new Map(
        [...sortTree(files)].map(([path, { contents, executable }]) => [path, { contents, executable }]),
      ),
    ),
    pending: entries(new Map([...pending].sort(([a], [b]) => (a < b ? -1 : 1)))),
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}
