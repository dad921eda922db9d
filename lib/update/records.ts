import {
  type Answers,
  BASE_PATH,
  type FileTree,
  type PendingFile,
  serialiseBase,
  updateYoRc,
  YO_RC_PATH,
} from '../project/index.js';
import type { Change } from './journal.js';
import { sameText } from './merge-text.js';
import type { PlanEntry } from './plan.js';
import type { ProjectState } from './project-state.js';

export interface NewRecords {
  version: string;
  answers: Answers;
  defaults: Readonly<Record<string, string>>;
  files: FileTree;
  pending: ReadonlyMap<string, PendingFile | null>;
}

/**
 * The new base, and the answers and version in .yo-rc.json: what says that an update is done, so written last. While
 * something waits for a decision, the version and the defaults of the last finished update stay.
 */
export function recordChanges(
  state: ProjectState,
  { version: newVersion, answers, defaults, files, pending }: NewRecords,
): { changes: Change[]; entries: PlanEntry[] } {
  const isDone = pending.size === 0;
  const version = isDone ? newVersion : state.version;
  const base = serialiseBase({
    version,
    defaults: isDone ? defaults : (state.base?.defaults ?? {}),
    files,
    pending,
  });
  const file = (contents: string) => ({ contents, executable: false });
  const changes: Change[] = [];
  if (state.baseText === undefined || !sameText(base, state.baseText)) {
    const before = state.baseText === undefined ? undefined : file(state.baseText);
    changes.push({ path: BASE_PATH, before, after: file(base) });
  }
  const rc = updateYoRc(state.rcText, { version, answers });
  if (rc === state.rcText) return { changes, entries: [] };
  const rcChange = { path: YO_RC_PATH, before: file(state.rcText), after: file(rc) };
  return { changes: [...changes, rcChange], entries: [{ ...rcChange, kind: 'update' }] };
}
