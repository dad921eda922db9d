import { Failure } from '../failure/index.js';
import type { FileTree } from '../project/index.js';
import { hasMarkers } from './merge-text.js';
import type { Decisions } from './plan.js';

/** Refuses (usage) decisions about paths that there is nothing to decide about. */
export function checkDecisions(
  { resolved, restore, pending }: Decisions,
  mine: FileTree,
  theirs: FileTree,
): void {
  for (const path of resolved) {
    if (!pending.has(path)) {
      const why = pending.size > 0 ? `waiting: ${[...pending.keys()].join(', ')}` : 'nothing is';
      throw new Failure({ what: `${path} is not waiting for a decision`, why, exit: 2 });
    }
    if (hasMarkers(mine.get(path)?.contents ?? '')) {
      const next = 'edit it until only what is right is left, and run the command again';
      throw new Failure({ what: `${path} still shows both sides between markers`, next, exit: 2 });
    }
  }
  for (const path of restore) {
    if (theirs.has(path) && !mine.has(path)) continue;
    const why = theirs.has(path) ? 'it is there' : 'the generator has no such file for this project';
    throw new Failure({ what: `${path} cannot be restored`, why, exit: 2 });
  }
}
