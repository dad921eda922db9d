import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../failure/index.js';
import type { FileTree } from '../project/index.js';
import { placeOf } from './paths.js';

/** The files of a project on disk, for the given paths; what is not there is left out. */
export function readTree(root: string, paths: Iterable<string>): FileTree {
  const tree = new Map<string, { contents: string; executable: boolean }>();
  for (const path of paths) {
    const file = placeOf(root, path);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) continue;
    if (!stat.isFile()) throw new Failure({ what: `${path} is not a file`, next: 'move it out of the way' });
    tree.set(path, { contents: readText(file, path), executable: (stat.mode & 0o100) !== 0 });
  }
  return tree;
}

function readText(file: string, path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new Failure({ what: `${path} cannot be read`, why: (cause as Error).message, cause });
  }
  const contents = bytes.toString('utf8');
  if (Buffer.from(contents, 'utf8').equals(bytes)) return contents;
  throw new Failure({
    what: `${path} is not UTF-8 text`,
    next: 'save it as UTF-8, or move it out of the way',
  });
}
