import type { TextFile } from '../catalog/index.js';
import type { FileTree, PendingFile } from '../project/index.js';
import type { Change } from './journal.js';
import { makePlan, type Plan, type PlanInput } from './plan.js';
import { readTree } from './read-tree.js';

/** The path of the proposal that is laid beside a file. */
export const sideFile = (path: string): string => `${path}.mlcc-new`;

/** A plan, what it changes on disk, proposals included, and what is to be said about proposals that could not be laid down. */
export interface PlannedFiles {
  plan: Plan;
  changes: Change[];
  notes: string[];
}

/** Decides about the files of a project, and about the proposals beside them. Changes nothing. */
export function planFiles(root: string, input: PlanInput): PlannedFiles {
  const plan = makePlan(input);
  const proposed = [...plan.base.pending.keys(), ...input.pending.keys()];
  return { plan, ...changesOf(plan, readTree(root, proposed.map(sideFile)), input.pending) };
}

/** `besides` holds the side files that are there, `pending` what was proposed before. */
function changesOf(
  plan: Plan,
  besides: FileTree,
  pending: ReadonlyMap<string, PendingFile | null>,
): Omit<PlannedFiles, 'plan'> {
  const changes: Change[] = [];
  const notes: string[] = [];
  const proposals = new Map<string, TextFile>();
  for (const entry of plan.entries) {
    const { path } = entry;
    if ('proposal' in entry) proposals.set(path, { ...entry.proposal, executable: false });
    else if (entry.kind === 'remove') changes.push({ path, before: entry.before, after: undefined });
    else if ('after' in entry && !isSame(entry.before, entry.after)) {
      changes.push({ path, before: entry.before, after: entry.after });
    }
  }
  for (const path of new Set([...proposals.keys(), ...pending.keys()])) {
    const [before, after] = [besides.get(sideFile(path)), proposals.get(path)];
    if (before?.contents === after?.contents) continue;
    if (!before || before.contents === pending.get(path)?.contents) {
      changes.push({ path: sideFile(path), before, after });
    } else if (after) {
      notes.push(`${sideFile(path)} is not what was laid there: it stays; delete it to see the new proposal`);
    }
  }
  return { changes, notes };
}

const isSame = (a: TextFile | undefined, b: TextFile): boolean =>
  a !== undefined && a.contents === b.contents && a.executable === b.executable;
