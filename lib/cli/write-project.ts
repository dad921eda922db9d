import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../failure/index.js';
import type { FileTree } from '../project/index.js';

/** Refuses to scaffold over what is there already: a usage Failure that lists it. */
export function refuseClashes(dest: string, tree: FileTree): void {
  const found = attempt(dest, () => {
    refuseNonFolder(resolve(dest));
    return clashes(dest, tree);
  });
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
  attempt(dest, () => {
    // Inside an existing folder, because the one above may be another disk, or nobody's to write.
    if (existsSync(target)) {
      const folder = realpathSync(target);
      stage(folder, tree, (staged) => moveInto(staged, folder, tree));
    } else {
      const parent = dirname(target);
      const made = mkdirSync(parent, { recursive: true });
      try {
        stage(parent, tree, (staged) => renameSync(staged, target));
      } catch (error) {
        if (made) rmSync(made, { recursive: true, force: true });
        throw error;
      }
    }
  });
}

/** The nearest thing on the way to `folder` that is there must be a folder, or a link to one. */
function refuseNonFolder(folder: string): void {
  for (let path = folder; ; path = dirname(path)) {
    const entry = entryAt(path);
    if (entry === undefined) continue;
    if (entry.isDirectory() || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    throw new Failure({ what: `${path} is there already and is not a folder`, exit: 2 });
  }
}

/** Paths below `dest`, sorted, that stand where a file of the tree, or a folder above it, has to be. */
function clashes(dest: string, tree: FileTree): string[] {
  const found = new Set<string>();
  for (const path of tree.keys()) {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const part = end < 0 ? path : path.slice(0, end);
      const entry = entryAt(join(dest, part));
      if (entry === undefined) break;
      if (part === path || !entry.isDirectory()) {
        found.add(part);
        break;
      }
    }
  }
  return [...found].sort();
}

function entryAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined; // what is above is no folder
    throw error;
  }
}

/** Writes the tree into a hidden folder in `parent` and puts it in its place with `place`; leaves nothing else behind. */
function stage(parent: string, tree: FileTree, place: (staged: string) => void): void {
  const staged = mkdtempSync(join(parent, '.mlcc-new-'));
  try {
    for (const [path, { contents, executable }] of tree) {
      const file = join(staged, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents);
      chmodSync(file, executable ? 0o755 : 0o644);
    }
    chmodSync(staged, 0o755);
    place(staged);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Moves staged files into a folder that is there; takes the moved ones away again when one of them fails. */
function moveInto(staged: string, target: string, tree: FileTree): void {
  const moved: string[] = [];
  const made: string[] = [];
  try {
    for (const path of tree.keys()) {
      const file = join(target, path);
      const first = mkdirSync(dirname(file), { recursive: true });
      if (first) made.push(first);
      renameSync(join(staged, path), file);
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

function attempt<T>(dest: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure({
      what: `cannot write ${dest}; nothing was changed`,
      why: (cause as Error).message,
      next: 'see that the folder is yours to write and its disk is not full, or choose another one with --dest',
      cause,
    });
  }
}
