import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withConfigLock } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { BASE_PATH, parseBase, parseYoRc, serialiseBase, updateYoRc, YO_RC_PATH } from '../project/index.js';
import {
  type Change,
  isUpdateUnfinished,
  JOURNAL_PATH,
  performJournal,
  type Restage,
  stageJournal,
} from './journal.js';
import { readTree } from './read-tree.js';

export const CONFIG_PATH = 'do/config';

/**
 * Changes many files of a project so that a crash at any point leaves either the old tree or one that `finishUpdate`
 * completes. The changes are made in the given order; whoever changes do/config holds its lock. Throws a Failure, with
 * nothing changed, where that cannot be done.
 */
export function applyJournalled(root: string, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  stageJournal(root, changes);
  const left: string[] = [];
  performJournal(root, (path, restage) => {
    left.push(path);
    leaveAsItIs(root, path, restage);
  });
  if (left.length === 0) return;
  throw new Failure({
    what: `changed at this very moment, and left as they are: ${left.join(', ')}`,
    next: 'run the command again; everything else is done',
  });
}

/**
 * Completes an update that was interrupted, and says so in the returned lines; a merge must follow, which looks at the
 * files that somebody changed since then. In a dry run it refuses instead (exit 3): nothing that it could show would be true.
 */
export async function finishUpdate(root: string, dryRun: boolean): Promise<string[]> {
  if (!existsSync(join(root, JOURNAL_PATH))) return [];
  if (dryRun) {
    refuseUnfinished(root);
    return [];
  }
  // Under the lock no other process is at work on the journal.
  const config = join(root, CONFIG_PATH);
  const complete = (): string[] => completeJournal(root);
  return existsSync(config) ? withConfigLock(config, complete) : complete();
}

/** Refuses (exit 3) a project in which an update was interrupted. */
export function refuseUnfinished(root: string): void {
  if (!isUpdateUnfinished(root)) return;
  throw new Failure({
    what: 'an update of this project was interrupted, or is still at work',
    next: 'mlcc regenerate completes it',
    exit: 3,
  });
}

/** Completes an interrupted update, for whoever holds the lock of do/config. */
export function completeJournal(root: string): string[] {
  const notes = isUpdateUnfinished(root) ? ['an interrupted update was completed first'] : [];
  performJournal(root, (path, restage) => {
    notes.push(`${path} was changed since the interruption; that change is merged now`);
    leaveAsItIs(root, path, restage);
  });
  return notes;
}

/** What is left out of an update keeps its old base, and the project its old version, so that the next merge takes it up. */
function leaveAsItIs(root: string, path: string, restage: Restage): void {
  const records = readTree(root, [BASE_PATH, YO_RC_PATH]);
  const oldBase = parseBase(records.get(BASE_PATH)?.contents);
  const oldVersion = stampedVersion(records.get(YO_RC_PATH)?.contents);
  restage(BASE_PATH, (text) => {
    const base = parseBase(text);
    if (!base) return text;
    const files = new Map([...base.files].filter(([other]) => other !== path));
    const before = oldBase?.files.get(path);
    if (before) files.set(path, before);
    return serialiseBase({ ...base, version: oldVersion ?? base.version, files });
  });
  restage(YO_RC_PATH, (text) => {
    const rc = parseYoRc(text, root);
    return updateYoRc(text, { ...rc, version: oldVersion ?? rc.version });
  });
}

/** Undefined where there is no project of ours yet. */
function stampedVersion(rcText: string | undefined): string | undefined {
  try {
    return parseYoRc(rcText, '.').version;
  } catch {
    return undefined;
  }
}
