import type { TextFile } from '../catalog/index.js';
import type { FileTree, PendingFile } from '../project/index.js';
import { hasMarkers, mergeText, sameText } from './merge-text.js';

/** What a person wants done where both sides changed the same place. */
export type ConflictMode = 'side-file' | 'markers' | 'ours' | 'theirs';

/** What happens to one path. Paths to which nothing happens are not in a plan. */
export type PlanEntry =
  | {
      path: string;
      kind: 'create' | 'update' | 'merge' | 'restore';
      before: TextFile | undefined;
      after: TextFile;
    }
  | { path: string; kind: 'remove'; before: TextFile }
  /** Both changed the same place, or a file is in the way: mine stays, and `proposal` is laid beside it. */
  | { path: string; kind: 'conflict' | 'in-the-way'; before: TextFile; proposal: TextFile }
  /** Both changed the same place: `after` shows both sides between markers. */
  | { path: string; kind: 'marked'; before: TextFile; after: TextFile }
  /** The generator dropped a file that a person edited; it stays until a decision. */
  | { path: string; kind: 'dropped'; before: TextFile }
  /** A person deleted it; it stays deleted. */
  | { path: string; kind: 'deleted' };

export interface Plan {
  entries: readonly PlanEntry[];
  /** What the next base holds about files and decisions. */
  base: { files: FileTree; pending: ReadonlyMap<string, PendingFile | null> };
}

export interface PlanInput {
  /** Last pristine render; empty when it is not known. */
  base: FileTree;
  mine: FileTree;
  theirs: FileTree;
  pending: ReadonlyMap<string, PendingFile | null>;
  conflict: ConflictMode;
  /** Paths whose pending decision is that mine is right. */
  resolved: ReadonlySet<string>;
  /** Deleted paths to bring back. */
  restore: ReadonlySet<string>;
  /** Whether a merged text may be written; a merge that is no valid script any more is a conflict. */
  isValid(path: string, text: string): boolean;
}

/** Decides about every path of three trees. Pure: what is written is exactly what the plan says. */
export function makePlan(input: PlanInput): Plan {
  const entries: PlanEntry[] = [];
  const files = new Map<string, TextFile>();
  const pending = new Map<string, PendingFile | null>();
  const paths = [...new Set([...input.base.keys(), ...input.theirs.keys()])].sort();
  for (const path of paths) {
    const outcome = decide(path, input);
    if (outcome.entry) entries.push(outcome.entry);
    if (outcome.base) files.set(path, outcome.base);
    if (outcome.pending !== undefined) pending.set(path, outcome.pending);
  }
  return { entries, base: { files, pending } };
}

interface Outcome {
  entry?: PlanEntry;
  /** The path's next base; absent: the path leaves the base. */
  base?: TextFile | undefined;
  pending?: PendingFile | null;
}

function decide(path: string, input: PlanInput): Outcome {
  const base = input.base.get(path);
  const mine = input.mine.get(path);
  const theirs = input.theirs.get(path);
  if (!theirs) return dropped(path, base, mine, input);
  if (!mine) return absent(path, base, theirs, input);
  if (input.resolved.has(path)) return { ...bitOnly(path, mine, theirs, base), base: theirs };
  if (!base) return unknown(path, mine, theirs, input);
  return bothThere(path, base, mine, theirs, input);
}

function dropped(
  path: string,
  base: TextFile | undefined,
  mine: TextFile | undefined,
  input: PlanInput,
): Outcome {
  if (!base || !mine || input.resolved.has(path)) return {};
  if (sameText(mine.contents, base.contents) || input.conflict === 'theirs') {
    return { entry: { path, kind: 'remove', before: mine } };
  }
  if (input.conflict === 'ours') return {};
  return { entry: { path, kind: 'dropped', before: mine }, base, pending: null };
}

function absent(path: string, base: TextFile | undefined, theirs: TextFile, { restore }: PlanInput): Outcome {
  if (!base) return { entry: { path, kind: 'create', before: undefined, after: theirs }, base: theirs };
  if (restore.has(path))
    return { entry: { path, kind: 'restore', before: undefined, after: theirs }, base: theirs };
  return { entry: { path, kind: 'deleted' }, base: theirs };
}

/** A file that the base does not know: adopted when it is what we would write, else in the way. */
function unknown(path: string, mine: TextFile, theirs: TextFile, { conflict }: PlanInput): Outcome {
  if (sameText(mine.contents, theirs.contents))
    return { ...bitOnly(path, mine, theirs, undefined), base: theirs };
  if (conflict === 'ours') return { base: theirs };
  if (conflict === 'theirs')
    return { entry: { path, kind: 'update', before: mine, after: theirs }, base: theirs };
  return { entry: { path, kind: 'in-the-way', before: mine, proposal: theirs }, pending: theirs };
}

function bothThere(
  path: string,
  base: TextFile,
  mine: TextFile,
  theirs: TextFile,
  input: PlanInput,
): Outcome {
  const merged = mergeText(base.contents, mine.contents, theirs.contents);
  const untouched = sameText(mine.contents, base.contents);
  if (!merged.conflict && (untouched || merged.text === mine.contents || input.isValid(path, merged.text))) {
    const kind = untouched ? 'update' : 'merge';
    const after = { contents: merged.text, executable: nextBit(mine, theirs, base) };
    return { ...change(path, kind, mine, after), base: theirs };
  }
  return conflicted(path, base, mine, theirs, merged.text, input);
}

function conflicted(
  path: string,
  base: TextFile,
  mine: TextFile,
  theirs: TextFile,
  marked: string,
  { conflict, isValid }: PlanInput,
): Outcome {
  if (conflict === 'ours') return { ...bitOnly(path, mine, theirs, base), base: theirs };
  if (conflict === 'theirs')
    return { entry: { path, kind: 'update', before: mine, after: theirs }, base: theirs };
  // Markers would break a script, and whatever else is parsed. Where they stand already they are not put in again.
  if (conflict === 'markers' && !hasMarkers(mine.contents) && isValid(path, marked)) {
    const after = { contents: marked, executable: mine.executable };
    return { entry: { path, kind: 'marked', before: mine, after }, base, pending: theirs };
  }
  return { entry: { path, kind: 'conflict', before: mine, proposal: theirs }, base, pending: theirs };
}

/** Only the executable bit of an otherwise untouched file may change. */
function bitOnly(path: string, mine: TextFile, theirs: TextFile, base: TextFile | undefined): Outcome {
  return change(path, 'update', mine, { contents: mine.contents, executable: nextBit(mine, theirs, base) });
}

function change(path: string, kind: 'update' | 'merge', before: TextFile, after: TextFile): Outcome {
  const same = before.contents === after.contents && before.executable === after.executable;
  return same ? {} : { entry: { path, kind, before, after } };
}

/** What must run runs, whatever a copy lost on its way; a bit that a person added stays. */
function nextBit(mine: TextFile, theirs: TextFile, base: TextFile | undefined): boolean {
  return theirs.executable || (mine.executable && !base?.executable);
}
