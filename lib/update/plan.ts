import type { TextFile } from '../catalog/index.js';
import type { FileTree, PendingFile } from '../project/index.js';
import { hasMarkers, mergeText, sameText } from './merge-text.js';
import { mayHoldMarkers } from './validity.js';

/** What a person wants done where both sides changed the same place. */
export type ConflictMode = 'side-file' | 'markers' | 'ours' | 'theirs';

/** What happens to one path, or what a person should know about it. */
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
  /** A person edited it, and stays right. */
  | { path: string; kind: 'kept'; before: TextFile }
  /** A person deleted it; it stays deleted. */
  | { path: string; kind: 'deleted' };

export interface Plan {
  entries: readonly PlanEntry[];
  /** What the next base holds about files and decisions. */
  base: { files: FileTree; pending: ReadonlyMap<string, PendingFile | null> };
}

/** What a person has decided, now and in earlier runs. */
export interface Decisions {
  conflict: ConflictMode;
  /** The paths that wait for a decision, with what was proposed for them. */
  pending: ReadonlyMap<string, PendingFile | null>;
  /** Paths whose pending decision is that mine is right. */
  resolved: ReadonlySet<string>;
  /** Deleted paths to bring back. */
  restore: ReadonlySet<string>;
}

export interface PlanInput extends Decisions {
  /** Last pristine render; empty when it is not known. */
  base: FileTree;
  mine: FileTree;
  theirs: FileTree;
  /** Whether a merged text may be written; a merge that is no valid script any more is a conflict. */
  isValid(path: string, text: string): boolean;
}

/** Decides about every path of three trees. What is written is exactly what the plan says. */
export function makePlan(input: PlanInput): Plan {
  const entries: PlanEntry[] = [];
  const files = new Map<string, TextFile>();
  const pending = new Map<string, PendingFile | null>();
  for (const path of [...new Set([...input.base.keys(), ...input.theirs.keys()])].sort()) {
    const outcome = decide(path, input);
    if (outcome.entry) entries.push(outcome.entry);
    if (outcome.base) files.set(path, outcome.base);
    if (outcome.pending !== undefined) pending.set(path, outcome.pending);
  }
  return { entries, base: { files, pending } };
}

/** The tree that a plan makes of `mine`; proposals stand beside it and are no part of it. */
export function resultOf(mine: FileTree, plan: Plan): FileTree {
  const tree = new Map(mine);
  for (const entry of plan.entries) {
    if ('after' in entry) tree.set(entry.path, entry.after);
    else if (entry.kind === 'remove') tree.delete(entry.path);
  }
  return tree;
}

interface Outcome {
  entry?: PlanEntry;
  /** The path's next base; absent: the path leaves the base. */
  base?: TextFile | undefined;
  pending?: PendingFile | null;
}

function decide(path: string, input: PlanInput): Outcome {
  const base = basisOf(path, input);
  const mine = input.mine.get(path);
  const theirs = input.theirs.get(path);
  if (!theirs) return dropped(path, base, mine, input);
  if (!mine) return absent(path, base, theirs, input);
  if (!base) return unknown(path, mine, theirs, input);
  return bothThere(path, base, mine, theirs, input);
}

/** Whoever decides about a proposal has seen it: from then on it counts as the last render, and only what is newer is merged. */
function basisOf(path: string, { base, pending, resolved }: PlanInput): TextFile | undefined {
  return (resolved.has(path) ? pending.get(path) : undefined) ?? base.get(path);
}

function dropped(
  path: string,
  base: TextFile | undefined,
  mine: TextFile | undefined,
  { conflict, pending, resolved }: PlanInput,
): Outcome {
  if (!base || !mine || (resolved.has(path) && pending.get(path) === null)) return {};
  if (sameText(mine.contents, base.contents) || conflict === 'theirs') {
    return { entry: { path, kind: 'remove', before: mine } };
  }
  if (conflict === 'ours') return { entry: { path, kind: 'kept', before: mine } };
  return { entry: { path, kind: 'dropped', before: mine }, base, pending: null };
}

function absent(path: string, base: TextFile | undefined, theirs: TextFile, { restore }: PlanInput): Outcome {
  if (base && !restore.has(path)) return { entry: { path, kind: 'deleted' }, base: theirs };
  const kind = base ? 'restore' : 'create';
  return { entry: { path, kind, before: undefined, after: theirs }, base: theirs };
}

/** A file that the base does not know: adopted when it is what we would write, else in the way. */
function unknown(path: string, mine: TextFile, theirs: TextFile, { conflict }: PlanInput): Outcome {
  if (sameText(mine.contents, theirs.contents) || conflict === 'ours') {
    return settled(path, mine, theirs, undefined, mine.contents);
  }
  if (conflict === 'theirs') return settled(path, mine, theirs, undefined, theirs.contents);
  return { entry: { path, kind: 'in-the-way', before: mine, proposal: theirs }, pending: theirs };
}

function bothThere(
  path: string,
  base: TextFile,
  mine: TextFile,
  theirs: TextFile,
  input: PlanInput,
): Outcome {
  // Markers that we put in stay until a person has edited them away.
  if (input.pending.has(path) && hasMarkers(mine.contents) && input.conflict !== 'theirs') {
    return { entry: { path, kind: 'marked', before: mine, after: mine }, base, pending: theirs };
  }
  const merged = mergeText(base.contents, mine.contents, theirs.contents);
  const isOneSide = [mine, theirs].some(({ contents }) => sameText(merged.text, contents));
  if (!merged.conflict && (isOneSide || input.isValid(path, merged.text))) {
    return settled(path, mine, theirs, base, merged.text);
  }
  return conflicted(path, base, mine, theirs, merged, input);
}

function conflicted(
  path: string,
  base: TextFile,
  mine: TextFile,
  theirs: TextFile,
  { text, conflict: hasConflict }: { text: string; conflict: boolean },
  { conflict }: PlanInput,
): Outcome {
  if (conflict === 'ours') return settled(path, mine, theirs, base, mine.contents);
  if (conflict === 'theirs') return settled(path, mine, theirs, base, theirs.contents);
  if (conflict === 'markers' && hasConflict && mayHoldMarkers(path, text)) {
    const after = { contents: text, executable: mine.executable };
    return { entry: { path, kind: 'marked', before: mine, after }, base, pending: theirs };
  }
  return { entry: { path, kind: 'conflict', before: mine, proposal: theirs }, base, pending: theirs };
}

/** Nothing is left to decide: the file gets `contents`, and the executable bit that it should have. */
function settled(
  path: string,
  mine: TextFile,
  theirs: TextFile,
  base: TextFile | undefined,
  contents: string,
): Outcome {
  const after = { contents, executable: nextBit(mine, theirs, base) };
  const isEdited = !sameText(contents, theirs.contents);
  if (contents !== mine.contents) {
    return { entry: { path, kind: isEdited ? 'merge' : 'update', before: mine, after }, base: theirs };
  }
  if (after.executable !== mine.executable) {
    return { entry: { path, kind: 'update', before: mine, after }, base: theirs };
  }
  return { ...(isEdited ? { entry: { path, kind: 'kept', before: mine } } : {}), base: theirs };
}

/** What must run runs, whatever a copy lost on its way; a bit that a person added stays. */
function nextBit(mine: TextFile, theirs: TextFile, base: TextFile | undefined): boolean {
  return theirs.executable || (mine.executable && !base?.executable);
}
