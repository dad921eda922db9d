import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Catalog, runtimeOwned } from '../catalog/index.js';
import { withConfigLock } from '../config/index.js';
import { packageVersion } from '../package/index.js';
import type { FileTree } from '../project/index.js';
import { applyJournalled, CONFIG_PATH, completeJournal, finishUpdate } from './apply.js';
import { planFiles } from './changes.js';
import { configNotes } from './config-notes.js';
import { checkDecisions } from './decisions.js';
import type { Change } from './journal.js';
import { type ConfigMerge, mergeConfig } from './merge-config.js';
import { type RenderAgainOptions, renderAgain } from './new-render.js';
import type { ConflictMode, Decisions, PlanEntry } from './plan.js';
import { type ProjectState, projectRoot, readProjectState } from './project-state.js';
import { readTree } from './read-tree.js';
import { recordChanges } from './records.js';
import { refuseNewer } from './version.js';

export interface RegenerateOptions extends RenderAgainOptions {
  conflict?: ConflictMode;
  /** Paths that a person has decided about: what is on disk is right. */
  resolved?: readonly string[];
  /** Deleted paths to bring back. */
  restore?: readonly string[];
  allowDowngrade?: boolean;
  dryRun?: boolean;
}

/** What an update did or, in a dry run, would do. */
export interface UpdateResult {
  entries: readonly PlanEntry[];
  /** Every path that is written or removed, in the order in which that happens. */
  changes: readonly Change[];
  /** What a person should know beside the files. */
  notes: readonly string[];
  /** Paths that wait for a decision. */
  pending: readonly string[];
  /** Stamped version before, and version of this generator. */
  version: { from: string; to: string };
}

/**
 * Refreshes a project: three-way merge of last render, disk and new render; state and edits stay. What can be done is done;
 * `pending` says what waits for a decision. Throws a Failure, with nothing changed, when it cannot begin.
 */
export async function regenerate(folder: string, options: RegenerateOptions): Promise<UpdateResult> {
  const root = projectRoot(folder);
  const notes = await finishUpdate(root, options.dryRun ?? false);
  const decided = decide(root, options);
  const result =
    options.dryRun || decided.changes.length === 0 ? decided : await apply(root, decided, options);
  return { ...result, notes: [...notes, ...result.notes] };
}

/** Under the lock of do/config, and decided anew there: scripts and other updates may have written while this one waited. */
async function apply(root: string, decided: UpdateResult, options: RegenerateOptions): Promise<UpdateResult> {
  const config = join(root, CONFIG_PATH);
  if (!existsSync(config)) {
    applyJournalled(root, decided.changes);
    return decided;
  }
  return withConfigLock(config, () => {
    const notes = completeJournal(root);
    const current = decide(root, options);
    applyJournalled(root, current.changes);
    return { ...current, notes: [...notes, ...current.notes] };
  });
}

function decide(root: string, options: RegenerateOptions): UpdateResult {
  const state = readProjectState(root);
  const to = options.source?.version ?? packageVersion;
  if (!options.allowDowngrade) refuseNewer(state.version, to);
  const decisions = decisionsOf(options, state);
  const { theirs, base, answers, defaults, catalog, isValid, notes } = renderAgain(state, decisions, options);
  const mine = readTree(root, new Set([...base.keys(), ...theirs.keys()]));
  checkDecisions(decisions, mine, theirs);

  const config = mergedConfig(catalog, base, mine, theirs);
  const inPlan = (tree: FileTree): FileTree =>
    config ? new Map([...tree].filter(([path]) => path !== CONFIG_PATH)) : tree;
  const { plan, ...files } = planFiles(root, {
    ...decisions,
    base: inPlan(base),
    mine: inPlan(mine),
    theirs: inPlan(theirs),
    isValid,
  });

  const theirConfig = theirs.get(CONFIG_PATH);
  const records = recordChanges(state, {
    version: to,
    answers,
    defaults,
    files:
      config && theirConfig ? new Map([...plan.base.files, [CONFIG_PATH, theirConfig]]) : plan.base.files,
    pending: plan.base.pending,
  });
  const configEntries = config ? configEntry(mine, config) : [];
  return {
    entries: [...plan.entries, ...configEntries, ...records.entries].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    ),
    changes: [...files.changes, ...configEntries, ...records.changes],
    notes: [...notes, ...files.notes, ...(config ? configNotes(config) : [])],
    pending: [...plan.base.pending.keys()],
    version: { from: state.version, to },
  };
}

function decisionsOf(options: RegenerateOptions, { pending }: ProjectState): Decisions {
  const paths = (given: readonly string[] = []) => new Set(given.map((path) => posix.normalize(path)));
  return {
    conflict: options.conflict ?? 'side-file',
    pending,
    resolved: paths(options.resolved),
    restore: paths(options.restore),
  };
}

function mergedConfig(
  catalog: Catalog,
  base: FileTree,
  mine: FileTree,
  theirs: FileTree,
): ConfigMerge | undefined {
  const [mineConfig, theirConfig] = [mine.get(CONFIG_PATH), theirs.get(CONFIG_PATH)];
  if (!mineConfig || !theirConfig) return undefined;
  return mergeConfig({
    base: base.get(CONFIG_PATH)?.contents,
    mine: mineConfig.contents,
    theirs: theirConfig.contents,
    runtimeOwned: runtimeOwned(catalog),
  });
}

function configEntry(mine: FileTree, { text }: ConfigMerge): (PlanEntry & { kind: 'merge' })[] {
  const before = mine.get(CONFIG_PATH);
  if (!before || before.contents === text) return [];
  return [{ path: CONFIG_PATH, kind: 'merge', before, after: { ...before, contents: text } }];
}
