import { Failure } from '../failure/index.js';
import {
  BASE_PATH,
  type FileTree,
  mergeIntoYoRc,
  parseBase,
  serialiseBase,
  withoutRecords,
  YO_RC_PATH,
} from '../project/index.js';
import { applyJournalled, finishUpdate } from './apply.js';
import { planFiles } from './changes.js';
import { projectRoot } from './project-state.js';
import { readTree } from './read-tree.js';
import type { UpdateResult } from './regenerate.js';
import { isValidText } from './validity.js';

/**
 * Places a new project in a folder that has files. Those stay: where one differs from what the project would have there,
 * ours is laid beside it and waits for a decision. Throws a Failure, with nothing changed, when that cannot be done.
 */
export async function placeProject(folder: string, tree: FileTree, dryRun: boolean): Promise<UpdateResult> {
  const root = projectRoot(folder);
  const notes = await finishUpdate(root, dryRun);
  const theirs = withoutRecords(tree);
  const mine = readTree(root, [...theirs.keys(), BASE_PATH, YO_RC_PATH]);
  const { plan, ...files } = planFiles(root, {
    base: new Map(),
    mine,
    theirs,
    conflict: 'side-file',
    pending: new Map(),
    resolved: new Set(),
    restore: new Set(),
    isValid: isValidText,
  });

  const base = parseBase(tree.get(BASE_PATH)?.contents);
  if (!base) throw new Error('a render without a base');
  const rc = mergeIntoYoRc(mine.get(YO_RC_PATH)?.contents, tree.get(YO_RC_PATH)?.contents ?? '');
  if (rc === undefined) {
    throw new Failure({
      what: `${folder} is a project already, or its ${YO_RC_PATH} is no JSON object; nothing was written`,
      next: `refresh the project: mlcc regenerate ${folder}; or mend or delete ${YO_RC_PATH}`,
      exit: 2,
    });
  }
  const record = (path: string, contents: string) => ({
    path,
    before: mine.get(path),
    after: { contents, executable: false },
  });
  const changes = [
    ...files.changes,
    record(BASE_PATH, serialiseBase({ ...base, ...plan.base })),
    record(YO_RC_PATH, rc),
  ];
  if (!dryRun) applyJournalled(root, changes);
  return {
    entries: plan.entries,
    changes,
    notes: [...notes, ...files.notes],
    pending: [...plan.base.pending.keys()],
    version: { from: base.version, to: base.version },
  };
}
