import type { Catalog, TextFile } from '../catalog/index.js';
import { parseConfig } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { type Answers, type EditableBase, type FileTree, render, withoutRecords } from '../project/index.js';
import { type Change, makePlan, mergeConfig, mergeText, readTree, sideFile } from '../update/index.js';

const CONFIG = 'do/config';

export interface Rerender {
  root: string;
  answers: Answers;
  /** The project's catalogue as it is, and as it will be. */
  before: Catalog;
  after: Catalog;
  /** Paths that are the target's own and not derived. */
  isOwn(path: string): boolean;
  /** Keys of do/config that go with the target. */
  droppedKeys: ReadonlySet<string>;
  base: EditableBase | undefined;
}

/**
 * What a change of the catalogue changes in everything that derives from it: the differences between two renders, merged into
 * the files on disk, and into `base`. Edits outside of generated text stay. Throws a Failure (exit 3) where one is inside.
 */
export function rerender(input: Rerender): { changes: Change[]; notes: string[] } {
  const { root, answers, base } = input;
  const old = withoutRecords(render(answers, input.before));
  const wanted = withoutRecords(render(answers, input.after));
  const paths = [...new Set([...old.keys(), ...wanted.keys()])].filter(
    (path) => !input.isOwn(path) && old.get(path)?.contents !== wanted.get(path)?.contents,
  );
  const pick = (tree: FileTree): FileTree =>
    new Map(paths.flatMap((path) => [[path, tree.get(path)] as const].filter(isPresent)));
  const mine = readTree(root, paths);

  refusePending(paths, base);
  const plan = makePlan({
    base: withoutConfig(pick(old)),
    mine: withoutConfig(mine),
    theirs: withoutConfig(pick(wanted)),
    conflict: 'side-file',
    pending: new Map(),
    resolved: new Set(),
    restore: new Set(),
    isValid: () => true,
  });
  const changes: Change[] = [];
  const conflicts: string[] = [];
  const notes: string[] = [];
  for (const entry of plan.entries) {
    const { path } = entry;
    if ('proposal' in entry || entry.kind === 'dropped') conflicts.push(path);
    else if (entry.kind === 'deleted') notes.push(`${path} was deleted by hand; it stays deleted`);
    else if (entry.kind === 'remove') changes.push({ path, before: entry.before, after: undefined });
    else if ('after' in entry) changes.push({ path, before: entry.before, after: entry.after });
  }
  const config = mergedConfig(input, old, wanted, mine.get(CONFIG));
  changes.push(...config);
  conflicts.push(...updateBase(input, pick(old), pick(wanted)));
  if (conflicts.length > 0) throw editedByHand(conflicts);
  return { changes, notes };
}

const isPresent = (entry: readonly [string, TextFile | undefined]): entry is readonly [string, TextFile] =>
  entry[1] !== undefined;

const withoutConfig = (tree: FileTree): FileTree => new Map([...tree].filter(([path]) => path !== CONFIG));

/** All values on disk stay: of do/config, only lines come and go. */
function mergedConfig(
  { droppedKeys }: Rerender,
  old: FileTree,
  wanted: FileTree,
  mine: TextFile | undefined,
): Change[] {
  if (!mine) return [];
  const text = mergeConfigText(old, wanted, mine.contents, droppedKeys);
  return text === mine.contents ? [] : [{ path: CONFIG, before: mine, after: { ...mine, contents: text } }];
}

function mergeConfigText(
  old: FileTree,
  wanted: FileTree,
  mine: string,
  droppedKeys: ReadonlySet<string>,
): string {
  const keys = parseConfig(mine).keys();
  const { text } = mergeConfig({
    base: old.get(CONFIG)?.contents,
    mine,
    theirs: wanted.get(CONFIG)?.contents ?? '',
    runtimeOwned: new Set(keys.filter((key) => !droppedKeys.has(key))),
  });
  const merged = parseConfig(text);
  // What scripts added later stands in no render.
  for (const key of droppedKeys) merged.unset(key);
  return merged.toString();
}

/** The same change made to the last render, so that the next regenerate has nothing to do. Returns the paths that resist. */
function updateBase({ base, droppedKeys }: Rerender, old: FileTree, wanted: FileTree): string[] {
  if (!base) return [];
  const conflicts: string[] = [];
  for (const path of new Set([...old.keys(), ...wanted.keys()])) {
    const [known, from, to] = [base.files.get(path), old.get(path), wanted.get(path)];
    if (!to) base.files.delete(path);
    else if (!known || !from) base.files.set(path, to);
    else if (path === CONFIG) {
      base.files.set(path, { ...known, contents: mergeConfigText(old, wanted, known.contents, droppedKeys) });
    } else {
      const { text, conflict } = mergeText(from.contents, known.contents, to.contents);
      if (conflict) conflicts.push(path);
      base.files.set(path, { ...to, contents: text });
    }
  }
  return conflicts;
}

function refusePending(paths: readonly string[], base: EditableBase | undefined): void {
  const waiting = paths.filter((path) => base?.pending.has(path));
  if (waiting.length === 0) return;
  throw new Failure({
    what: `these wait for your decision first: ${waiting.join(', ')}; nothing was written`,
    next: `take what you need from ${sideFile(waiting[0] ?? '')}, then: mlcc regenerate --resolved ${waiting[0]}`,
    exit: 3,
  });
}

const editedByHand = (paths: readonly string[]): Failure =>
  new Failure({
    what: 'generated text was changed by hand where the target belongs; nothing was written',
    why: [...new Set(paths)].sort(),
    next: 'take your change out of the generated part (mlcc regenerate --diff shows it), and run the command again',
    exit: 3,
  });
