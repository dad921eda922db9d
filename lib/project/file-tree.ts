import type { TextFile } from '../catalog/index.js';

/** A project as data: relative POSIX path -> file. Its order carries no meaning. */
export type FileTree = ReadonlyMap<string, TextFile>;

/** The same tree with its paths in byte order, so that whatever is derived from it is the same everywhere. */
export function sortTree(tree: FileTree): FileTree {
  return new Map([...tree].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
