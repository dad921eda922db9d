import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure } from '../failure/index.js';
import type { FileTree } from '../project/index.js';

/**
 * Paths of the tree that exist already below `dest`, sorted. An existing symlink or folder in a file's place counts.
 */
export function clashes(dest: string, tree: FileTree): string[] {
  return [...tree.keys()]
    .filter((path) => lstatSync(join(dest, path), { throwIfNoEntry: false }) !== undefined)
    .sort();
}

/** Refuses to scaffold over files that are there already: a usage Failure that lists them. */
export function refuseClashes(dest: string, tree: FileTree): void {
  const stat = lstatSync(dest, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory())
    throw new Failure({ what: `${dest} is there already and is not a folder`, exit: 2 });
  const found = clashes(dest, tree);
  if (found.length === 0) return;
  throw new Failure({
    what: `${dest} has ${found.length === 1 ? 'a file' : `${found.length} files`} that the project would overwrite; nothing was written`,
    why: found,
    next: 'choose another folder, move these files away, or run mlcc regenerate in an existing project',
    exit: 2,
  });
}

/** Writes a new project. The folder appears whole or not at all; an existing folder only gains files that it did not have. */
export function writeProject(dest: string, tree: FileTree): void {
  refuseClashes(dest, tree);
  const target = resolve(dest);
  mkdirSync(dirname(target), { recursive: true });
  const staging = mkdtempSync(join(dirname(target), `.${basename(target)}.mlcc-`));
  try {
    for (const [path, { contents, executable }] of tree) {
      const file = join(staging, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents);
      chmodSync(file, executable ? 0o755 : 0o644);
    }
    if (existsSync(target)) moveInto(staging, target, tree);
    else {
      chmodSync(staging, 0o755);
      renameSync(staging, target);
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure({
      what: `cannot write ${dest}; nothing was changed`,
      why: (cause as Error).message,
      cause,
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Moves staged files into a folder that is there; takes the moved ones away again when one of them fails. */
function moveInto(staging: string, target: string, tree: FileTree): void {
  const moved: string[] = [];
  const made: string[] = [];
  try {
    for (const path of tree.keys()) {
      const file = join(target, path);
      const first = mkdirSync(dirname(file), { recursive: true });
      if (first) made.push(first);
      renameSync(join(staging, path), file);
      moved.push(file);
    }
  } catch (error) {
    for (const file of moved) rmSync(file, { force: true });
    for (const folder of made.reverse())
      if (isEmptyTree(folder)) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const isEmptyTree = (folder: string): boolean =>
  existsSync(folder) &&
  readdirSync(folder, { recursive: true, withFileTypes: true }).every((entry) => entry.isDirectory());
