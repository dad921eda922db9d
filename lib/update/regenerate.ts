import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Catalog, findTarget, runtimeOwned } from '../catalog/index.js';
import { parseConfig, withConfigLock } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { packageVersion } from '../package/index.js';
import {
  type Answers,
  catalogFiles,
  defaultAnswers,
  type FileTree,
  type RenderSource,
  render,
  resolveAnswers,
  withoutRecords,
} from '../project/index.js';
import { changedDefaults, currentAnswers } from './answers.js';
import { applyJournalled, CONFIG_PATH, completeJournal, finishUpdate } from './apply.js';
import { damagedBase } from './base.js';
import { planFiles } from './changes.js';
import { configNotes } from './config-notes.js';
import { checkDecisions } from './decisions.js';
import { isDescriptorFile, type MergedDescriptors, mergeDescriptors } from './descriptors.js';
import type { Change } from './journal.js';
import { type ConfigMerge, mergeConfig } from './merge-config.js';
import type { ConflictMode, Decisions, PlanEntry } from './plan.js';
import { ownDescriptors, type ProjectState, projectRoot, readProjectState } from './project-state.js';
import { readTree } from './read-tree.js';
import { recordChanges } from './records.js';
import { refuseNewer } from './version.js';

export interface RegenerateOptions {
  /** The descriptors of this version of the package, with packs. */
  catalog: Catalog;
  conflict?: ConflictMode;
  /** Paths that a person has decided about: what is on disk is right. */
  resolved?: readonly string[];
  /** Deleted paths to bring back. */
  restore?: readonly string[];
  allowDowngrade?: boolean;
  dryRun?: boolean;
  /** Other templates and another version, for tests. */
  source?: Partial<RenderSource>;
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

interface NewRender extends Pick<MergedDescriptors, 'catalog' | 'isValid'> {
  base: FileTree;
  theirs: FileTree;
  answers: Answers;
  defaults: Readonly<Record<string, string>>;
  notes: string[];
}

/** Renders the project anew from its own descriptors, as they are after their merge, and its current answers. */
function renderAgain(state: ProjectState, decisions: Decisions, options: RegenerateOptions): NewRender {
  const { root } = state;
  const knownBase: FileTree = state.base?.files ?? new Map();
  const pristine: FileTree = new Map(catalogFiles(options.catalog));
  const known = new Set([...knownBase.keys(), ...pristine.keys(), CONFIG_PATH]);
  const mine: FileTree = new Map([...ownDescriptors(root, pristine), ...readTree(root, known)]);
  const configs = {
    base: knownBase.get(CONFIG_PATH)?.contents,
    mine: mine.get(CONFIG_PATH)?.contents,
  };
  const { catalog, isOwn, isValid, notes } = mergeDescriptors({
    packageCatalog: options.catalog,
    pristine,
    base: knownBase,
    mine,
    decisions,
    isInUse: usageOf(state.answers, configs.mine),
  });
  const current = currentAnswers(catalog, state.answers, configs);
  const rendered = withoutRecords(renderFrom(current.answers, catalog, options));
  const notOwn = (tree: Iterable<[string, { contents: string; executable: boolean }]>): FileTree =>
    new Map([...tree].filter(([path]) => !isOwn(path)));

  const answers = resolveAnswers(catalog, current.answers);
  const target = findTarget(catalog, answers.deploymentTarget ?? '');
  const defaults = target ? defaultAnswers(catalog, target) : {};
  const isSameTarget = target === findTarget(catalog, state.answers.deploymentTarget ?? '');
  return {
    catalog,
    isValid,
    base: notOwn(knownBase),
    // What derives from a descriptor follows the person's text, but what is merged with that text is the package's.
    theirs: notOwn([...[...rendered].filter(([path]) => !isDescriptorFile(path)), ...pristine]),
    answers,
    defaults,
    notes: [
      ...(state.base ? [] : [damagedBase(state.baseText !== undefined)]),
      ...notes,
      ...current.notes,
      ...(isSameTarget ? changedDefaults(state.base?.defaults ?? {}, defaults, answers) : []),
    ],
  };
}

/** Answers of a project come from do/config, so that is where a faulty one is mended. */
function renderFrom(answers: Answers, catalog: Catalog, options: RegenerateOptions): FileTree {
  try {
    return render(answers, catalog, options.source);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const { message: what, why, exit } = failure;
    const deleted = deletedInUse(answers, catalog, options.catalog);
    const next =
      deleted.length > 0
        ? `bring back what was deleted: mlcc regenerate ${deleted.map((path) => `--restore ${path}`).join(' ')}; or choose another in do/config`
        : 'mend it in do/config (or in .yo-rc.json), and run the command again';
    throw new Failure({ what, why, next, exit, cause: failure });
  }
}

/** The descriptors of the chosen target and engine that the package has and a person deleted. */
function deletedInUse(answers: Answers, catalog: Catalog, packageCatalog: Catalog): string[] {
  const { deploymentTarget = '', engine } = answers;
  const target = findTarget(catalog, deploymentTarget)
    ? undefined
    : findTarget(packageCatalog, deploymentTarget);
  const hasEngine = ({ engines }: Catalog) => engines.some(({ manifest }) => manifest.engine === engine);
  return [
    ...(target ? [`do/targets.d/${target.manifest.target}/manifest.json`] : []),
    ...(!hasEngine(catalog) && hasEngine(packageCatalog) ? [`do/serve.d/${engine}/manifest.json`] : []),
  ];
}

/** Whether a target or engine is named by a setting or an answer, or has a status. */
function usageOf(answers: Answers, config: string | undefined): (manifestText: string) => boolean {
  const settings = parseConfig(config ?? '');
  const values = new Set([...settings.values().values(), ...Object.values(answers)]);
  return (manifestText) => {
    try {
      const { target, engine, aliases = [], status_var = '' } = JSON.parse(manifestText);
      return [target, engine, ...aliases].some((name) => values.has(name)) || !!settings.get(status_var);
    } catch {
      return true; // what is wrong with it is said when it is validated
    }
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
