import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { TextFile } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { placeOf } from './paths.js';

/** Where an apply keeps what it is about to do. */
export const JOURNAL_PATH = '.mlcc/journal';
const STEPS = 'steps.json';

/** One change of one file: `after` undefined removes it. */
export interface Change {
  path: string;
  after: TextFile | undefined;
  /** Whether the journal keeps what was there before, so that later changes of it can be told apart. */
  keepBefore?: boolean;
}

/** A file that somebody changed between an interrupted apply and its completion. It is left alone. */
export interface ChangedMeanwhile {
  path: string;
  /** What the apply would have written; undefined: it would have removed the file. */
  staged: TextFile | undefined;
  /** What was there when the apply began, where it was kept. */
  before: string | undefined;
  /** Edits what is still to be written to another path. */
  restage(path: string, edit: (text: string) => string): void;
}

/** A change as the journal has it. */
interface Step {
  path: string;
  /** Name of the staged file; undefined: the file is removed. */
  staged: string | undefined;
  /** Hash of what was there before; undefined: nothing. */
  before: string | undefined;
  /** Name of the file that keeps what was there before. */
  kept?: string;
}

/** What the journal of an interrupted apply is for: a label that messages show. */
interface Journal {
  command: string;
  steps: readonly Step[];
}

/**
 * Changes many files so that a crash at any point leaves either the old tree or one that `finishInterrupted` completes.
 * All new contents are staged first; writing the journal's list is the moment from which the change goes forward.
 * The changes are made in the given order.
 */
export function applyJournalled(root: string, command: string, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const journal = join(root, JOURNAL_PATH);
  const made: string[] = [];
  try {
    rmSync(journal, { recursive: true, force: true });
    mkdirSync(journal, { recursive: true });
    for (const { path, after } of changes) {
      const file = placeOf(root, path);
      checkWritable(path, file);
      // Folders are made now: from the list on, there are only renames, which need no space.
      const first = after && mkdirSync(dirname(file), { recursive: true });
      if (first) made.push(first);
    }
    const steps = changes.map((change, index) => stage(root, journal, change, `${index}`));
    writeSynced(join(journal, `${STEPS}.new`), JSON.stringify({ command, steps } satisfies Journal), 0o644);
    renameSync(join(journal, `${STEPS}.new`), join(journal, STEPS));
    syncFolder(journal);
  } catch (cause) {
    for (const folder of [...made.reverse(), journal]) rmSync(folder, { recursive: true, force: true });
    if (cause instanceof Failure) throw cause;
    const why = (cause as Error).message;
    throw new Failure({ what: 'the new files cannot be written; nothing was changed', why, cause });
  }
  perform(root, journal);
}

/** What an interrupted apply was for; undefined: there is none. */
export function interruptedCommand(root: string): string | undefined {
  const list = join(root, JOURNAL_PATH, STEPS);
  return existsSync(list) ? readJournal(list).command : undefined;
}

/**
 * Completes an apply that was interrupted. A file that somebody changed in the meantime is left alone: `onChanged` decides
 * what to do about it. Without a journal, or with one that never came to its list, the old tree is there.
 */
export function finishInterrupted(root: string, onChanged: (changed: ChangedMeanwhile) => void): void {
  const journal = join(root, JOURNAL_PATH);
  if (!existsSync(join(journal, STEPS))) {
    rmSync(journal, { recursive: true, force: true });
    return;
  }
  perform(root, journal, onChanged);
}

/** A rename would replace a read-only file all the same, and what is read-only is so for a reason. */
function checkWritable(path: string, file: string): void {
  const place = nearestExisting(file);
  try {
    accessSync(place, constants.W_OK);
  } catch (cause) {
    const next = `chmod u+w ${place === file ? path : dirname(path)}`;
    throw new Failure({
      what: `${path} cannot be written; nothing was changed`,
      why: 'it is read-only',
      next,
      cause,
    });
  }
}

const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)));

function stage(root: string, journal: string, { path, after, keepBefore }: Change, name: string): Step {
  const file = placeOf(root, path);
  const current = statSync(file, { throwIfNoEntry: false });
  if (after) {
    // The file's own mode stays but for the bit that counts.
    const mode = current
      ? (current.mode & 0o777 & ~0o111) | (after.executable ? executableBits(current.mode) : 0)
      : undefined;
    writeSynced(join(journal, name), after.contents, mode ?? (after.executable ? 0o755 : 0o644));
  }
  const bytes = current ? readFileSync(file) : undefined;
  const kept = keepBefore && bytes ? `${name}.before` : undefined;
  if (kept && bytes) writeSynced(join(journal, kept), bytes.toString('utf8'), 0o600);
  return {
    path,
    staged: after ? name : undefined,
    before: bytes ? hash(bytes) : undefined,
    ...(kept ? { kept } : {}),
  };
}

/** Whoever may read a script may run it. */
const executableBits = (mode: number): number => (mode & 0o444) >> 2;

function perform(root: string, journal: string, onChanged?: (changed: ChangedMeanwhile) => void): void {
  const { steps } = readJournal(join(journal, STEPS));
  const stagedPath = (step: Step | undefined) =>
    step?.staged === undefined ? undefined : join(journal, step.staged);
  const restage = (path: string, edit: (text: string) => string) => {
    const source = stagedPath(steps.find((step) => step.path === path));
    if (!source || !existsSync(source)) return;
    const { contents, executable } = stagedFile(source);
    writeSynced(source, edit(contents), executable ? 0o755 : 0o644);
  };
  for (const step of steps) {
    const file = placeOf(root, step.path);
    const source = stagedPath(step);
    // A step that is done has no staged file any more, or nothing left to remove.
    if (source === undefined ? !existsSync(file) : !existsSync(source)) continue;
    const now = existsSync(file) ? hash(readFileSync(file)) : undefined;
    if (now !== step.before && onChanged) {
      const staged = source === undefined ? undefined : stagedFile(source);
      const before = step.kept === undefined ? undefined : readFileSync(join(journal, step.kept), 'utf8');
      onChanged({ path: step.path, staged, before, restage });
      if (source !== undefined) rmSync(source);
    } else if (source === undefined) remove(root, file);
    else renameSync(source, file);
  }
  rmSync(join(journal, STEPS));
  rmSync(journal, { recursive: true, force: true });
}

function stagedFile(source: string): TextFile {
  return { contents: readFileSync(source, 'utf8'), executable: (statSync(source).mode & 0o100) !== 0 };
}

/** Removes a file, and the folders that have nothing else in them. */
function remove(root: string, file: string): void {
  unlinkSync(file);
  for (let folder = dirname(file); folder !== root; folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

function readJournal(path: string): Journal {
  return JSON.parse(readFileSync(path, 'utf8')) as Journal;
}

function writeSynced(path: string, contents: string, mode: number): void {
  const file = openSync(path, 'w', mode);
  try {
    const bytes = Buffer.from(contents);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(path, mode);
}

/** Makes a rename in a folder last through a power cut, where the system can. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } catch {
    // Some file systems refuse to sync a folder; then the rename is as safe as they make it.
  } finally {
    closeSync(handle);
  }
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
