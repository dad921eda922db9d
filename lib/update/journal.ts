import { createHash } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
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
/** The list of steps. It is there from the moment on from which an apply goes forward, whatever happens. */
const STEPS = 'steps.json';

/** One change of one file: from what was read there (undefined: nothing) to what is to be there (undefined: nothing). */
export interface Change {
  path: string;
  before: TextFile | undefined;
  after: TextFile | undefined;
}

/** A change as the journal has it; its new contents are staged in a file that is called by its place in the list. */
interface Step {
  path: string;
  action: 'write' | 'remove';
  /** Hash of what was there before; undefined: nothing. */
  before?: string;
}

/** Edits what an apply is still to write to a path; does nothing when that is written already. */
export type Restage = (path: string, edit: (text: string) => string) => void;

/** Called for a file that is not as it was when the apply was decided. It is left alone. */
export type OnChanged = (path: string, restage: Restage) => void;

/** Whether an apply has begun here and not ended: it was interrupted, or another process is at work on it. */
export function isUpdateUnfinished(root: string): boolean {
  return existsSync(join(root, JOURNAL_PATH, STEPS));
}

/**
 * Stages the new contents of many files, and then the list of steps. Throws a Failure, with nothing changed, when a file
 * cannot be written or is not what `before` says.
 */
export function stageJournal(root: string, changes: readonly Change[]): void {
  const journal = placeOf(root, JOURNAL_PATH);
  const made: string[] = [];
  try {
    removeJournal(journal);
    mkdirSync(journal, { recursive: true });
    const steps = changes.map((change, index) => {
      const file = placeOf(root, change.path);
      checkUnchanged(change, file);
      checkReplaceable(change.path, file);
      // Folders are made now: from the list on, there are only renames, which need no space.
      const first = change.after && mkdirSync(dirname(file), { recursive: true });
      if (first) made.push(first);
      if (change.after) stage(join(journal, `${index}`), file, change.after);
      return toStep(change);
    });
    writeSynced(join(journal, `${STEPS}.new`), JSON.stringify(steps), 0o644);
    renameSync(join(journal, `${STEPS}.new`), join(journal, STEPS));
    syncFolder(journal);
  } catch (cause) {
    for (const folder of made.reverse()) removeEmptyFolder(folder);
    removeJournal(journal);
    if (cause instanceof Failure) throw cause;
    const why = (cause as Error).message;
    throw new Failure({ what: 'the new files cannot be written; nothing was changed', why, cause });
  }
}

/**
 * Takes the steps that are not taken yet, in their order, and ends the journal. Without a list of steps nothing has
 * happened: what was staged is thrown away.
 */
export function performJournal(root: string, onChanged: OnChanged): void {
  const journal = placeOf(root, JOURNAL_PATH);
  if (isUpdateUnfinished(root)) {
    const steps = readSteps(journal);
    const restage: Restage = (path, edit) => {
      const staged = join(journal, `${steps.findIndex((step) => step.path === path)}`);
      if (existsSync(staged)) restageFile(staged, edit);
    };
    steps.forEach((step, index) => {
      try {
        perform(root, step, join(journal, `${index}`), () => onChanged(step.path, restage));
      } catch (cause) {
        throw stoppedMidway(step.path, cause);
      }
    });
  }
  removeJournal(journal);
}

function perform(root: string, { path, action, before }: Step, staged: string, onChanged: () => void): void {
  const file = placeOf(root, path);
  // A step that is taken has nothing staged any more, or nothing left to remove.
  if (!existsSync(action === 'write' ? staged : file)) return;
  if (hashOf(file) !== before) {
    onChanged();
    rmSync(staged, { force: true });
  } else if (action === 'write') renameSync(staged, file);
  else remove(root, file);
}

function checkUnchanged({ path, before }: Change, file: string): void {
  if (hashOf(file) === (before && hash(before.contents))) return;
  throw new Failure({
    what: `${path} was changed at this very moment; nothing was changed by this command`,
    next: 'run it again',
  });
}

/** A rename needs only the folder, but what is read-only is so for a reason. */
function checkReplaceable(path: string, file: string): void {
  const folder = nearestFolder(file);
  for (const place of [folder, ...(existsSync(file) ? [file] : [])]) {
    try {
      accessSync(place, constants.W_OK | (place === folder ? constants.X_OK : 0));
    } catch (cause) {
      throw new Failure({
        what: `${path} cannot be written; nothing was changed`,
        why: `${place} is read-only`,
        next: `chmod u+w ${place}`,
        cause,
      });
    }
  }
}

function nearestFolder(file: string): string {
  const folder = dirname(file);
  return existsSync(folder) ? folder : nearestFolder(folder);
}

/** The new file keeps the old one's owner and mode, but for the bit that counts. */
function stage(staged: string, file: string, { contents, executable }: TextFile): void {
  const current = statSync(file, { throwIfNoEntry: false });
  const mode = current?.mode ?? 0o644 & ~process.umask();
  // Whoever may read a script may run it.
  const executableBits = executable ? (mode & 0o444) >> 2 : 0;
  writeSynced(staged, contents, (mode & 0o666) | executableBits);
  const own = statSync(staged);
  if (!current || (current.uid === own.uid && current.gid === own.gid)) return;
  try {
    chownSync(staged, current.uid, current.gid);
  } catch {
    // Only root may give a file away; it then changes hands, as with any editor.
  }
}

function restageFile(staged: string, edit: (text: string) => string): void {
  const { mode } = statSync(staged);
  writeSynced(`${staged}.new`, edit(readFileSync(staged, 'utf8')), mode & 0o777);
  renameSync(`${staged}.new`, staged);
}

const toStep = ({ path, before, after }: Change): Step => ({
  path,
  action: after ? 'write' : 'remove',
  ...(before ? { before: hash(before.contents) } : {}),
});

function readSteps(journal: string): Step[] {
  try {
    return JSON.parse(readFileSync(join(journal, STEPS), 'utf8')) as Step[];
  } catch (cause) {
    throw new Failure({
      what: `the journal of an interrupted update is damaged: ${JOURNAL_PATH}/${STEPS}`,
      why: (cause as Error).message,
      next: `look at the project's changes (git status), delete ${JOURNAL_PATH}, and run mlcc regenerate`,
      cause,
    });
  }
}

const stoppedMidway = (path: string, cause: unknown): unknown =>
  cause instanceof Failure
    ? cause
    : new Failure({
        what: `the update stopped midway, at ${path}`,
        why: (cause as Error).message,
        next: 'mend that, and run mlcc regenerate: it completes what is left',
        cause,
      });

/** Removes a file, and the folders that have nothing else in them. */
function remove(root: string, file: string): void {
  unlinkSync(file);
  for (let folder = dirname(file); folder !== root && removeEmptyFolder(folder); folder = dirname(folder));
}

function removeEmptyFolder(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** The list goes first: what is staged means nothing without it. */
function removeJournal(journal: string): void {
  rmSync(join(journal, STEPS), { force: true });
  rmSync(journal, { recursive: true, force: true });
}

function writeSynced(path: string, contents: string, mode: number): void {
  const file = openSync(path, 'w', mode);
  try {
    const bytes = Buffer.from(contents);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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

/** Hash of a file's contents; undefined when there is none. */
function hashOf(file: string): string | undefined {
  return lstatSync(file, { throwIfNoEntry: false }) ? hash(readFileSync(file)) : undefined;
}

const hash = (contents: string | Buffer): string => createHash('sha256').update(contents).digest('hex');
