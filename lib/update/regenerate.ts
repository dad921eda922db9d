import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Catalog, findTarget, runtimeOwned, type TextFile } from '../catalog/index.js';
import { withConfigLock } from '../config/index.js';
import { packageVersion } from '../package/index.js';
import {
  type Answers,
  BASE_PATH,
  catalogFiles,
  defaultAnswers,
  type FileTree,
  type PendingFile,
  parseYoRc,
  type RenderSource,
  render,
  resolveAnswers,
  serialiseBase,
  updateYoRc,
  withoutRecords,
  YO_RC_PATH,
} from '../project/index.js';
import { changedDefaults, currentAnswers } from './answers.js';
import { damagedBase, notPending, parseBase } from './base.js';
import { mergeDescriptors } from './descriptors.js';
import { applyJournalled, type Change } from './journal.js';
import { type ConfigMerge, mergeConfig } from './merge-config.js';
import { type ConflictMode, makePlan, type Plan, type PlanEntry } from './plan.js';
import { readTree } from './read-tree.js';
import { finishUpdate } from './recovery.js';
import { isValidText } from './validity.js';
import { refuseNewer } from './version.js';

export const CONFIG_PATH = 'do/config';
/** Folders whose files are input although neither the base nor the render need know them: a project's own targets. */
const OPEN_FOLDERS = ['do/targets.d', 'do/deploy.d', 'do/clean.d', 'do/serve.d'];

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

export interface RegenerateResult {
  entries: readonly PlanEntry[];
  /** What a person should know beside the files. */
  notes: readonly string[];
  /** Paths that wait for a decision. */
  pending: readonly string[];
  /** Stamped version before, and version of this generator. */
  version: { from: string; to: string };
  /** Whether anything was or, in a dry run, would be written. */
  changed: boolean;
}

/**
 * Refreshes a project: three-way merge of last render, disk and new render; state and edits stay. What can be done is done;
 * `pending` says what waits for a decision. Throws a Failure, with nothing changed, when it cannot begin.
 */
export async function regenerate(folder: string, options: RegenerateOptions): Promise<RegenerateResult> {
  const root = existsSync(folder) ? realpathSync(folder) : folder;
  const interrupted = await finishUpdate(root, options.dryRun ?? false);
  const state = readState(root, folder);
  const to = options.source?.version ?? packageVersion;
  if (!options.allowDowngrade) refuseNewer(state.rc.version, to);
  const next = planNext(root, state, options);

  const pending = [...next.plan.base.pending.keys()];
  const version = pending.length > 0 ? state.rc.version : to;
  const changes = [
    ...fileChanges(root, next.plan, state),
    ...(next.config && next.config.text !== next.mine.get(CONFIG_PATH)?.contents ? [configChange(next)] : []),
    ...recordChanges(state, next, version),
  ];
  if (!options.dryRun && changes.length > 0) await apply(root, next, changes);
  return {
    entries: withConfig(next),
    notes: [...interrupted, ...next.notes],
    pending,
    version: { from: state.rc.version, to },
    changed: changes.length > 0,
  };
}

interface State {
  rcText: string;
  rc: { version: string; answers: Answers };
  baseText: string | undefined;
  base: ReturnType<typeof parseBase>;
}

function readState(root: string, folder: string): State {
  const records = readTree(root, existsSync(root) ? [YO_RC_PATH, BASE_PATH] : []);
  const rcText = records.get(YO_RC_PATH)?.contents;
  const rc = parseYoRc(rcText, folder);
  const baseText = records.get(BASE_PATH)?.contents;
  return { rcText: rcText ?? '', rc, baseText, base: parseBase(baseText) };
}

interface Next {
  plan: Plan;
  mine: FileTree;
  answers: Answers;
  defaults: Readonly<Record<string, string>>;
  notes: string[];
  /** The merge of do/config; undefined where the project has none. */
  config: ConfigMerge | undefined;
  mergeWith: (mine: string) => ConfigMerge;
  theirConfig: string;
}

function planNext(root: string, state: State, options: RegenerateOptions): Next {
  const { catalog: packageCatalog, source = {}, resolved = [], restore = [] } = options;
  const pristine: FileTree = new Map(catalogFiles(packageCatalog));
  const knownBase = state.base?.files ?? new Map();
  const inputs = readTree(root, new Set([...knownBase.keys(), ...pristine.keys(), ...openFiles(root)]));
  const { catalog, own } = mergeDescriptors(packageCatalog, pristine, knownBase, inputs);

  const baseConfig = knownBase.get(CONFIG_PATH)?.contents;
  const current = currentAnswers(catalog, state.rc.answers, {
    base: baseConfig,
    mine: inputs.get(CONFIG_PATH)?.contents,
  });
  const rendered = withoutRecords(render(current.answers, catalog, source));
  const theirs: FileTree = new Map(
    [...rendered].filter(([path]) => !own(path)).map(([path, file]) => [path, pristine.get(path) ?? file]),
  );
  const base: FileTree = new Map([...knownBase].filter(([path]) => !own(path)));
  const mine = readTree(root, new Set([...base.keys(), ...theirs.keys()]));
  for (const path of resolved)
    if (!state.base?.pending.has(path)) throw notPending(path, state.base?.pending.keys() ?? []);

  const without = (tree: FileTree): FileTree =>
    new Map([...tree].filter(([path]) => path !== CONFIG_PATH || !mine.has(path)));
  const plan = makePlan({
    base: without(base),
    mine: without(mine),
    theirs: without(theirs),
    pending: state.base?.pending ?? new Map(),
    conflict: options.conflict ?? 'side-file',
    resolved: new Set(resolved),
    restore: new Set(restore),
    isValid: isValidText,
  });
  const theirConfig = theirs.get(CONFIG_PATH);
  const files = new Map(plan.base.files);
  if (theirConfig && mine.has(CONFIG_PATH)) files.set(CONFIG_PATH, theirConfig);

  const mergeWith = (text: string) =>
    mergeConfig({
      base: baseConfig,
      mine: text,
      theirs: theirConfig?.contents ?? '',
      runtimeOwned: runtimeOwned(catalog),
    });
  const mineConfig = mine.get(CONFIG_PATH)?.contents;
  const config = mineConfig === undefined ? undefined : mergeWith(mineConfig);
  const target = findTarget(catalog, current.answers.deploymentTarget ?? '');
  const defaults = target ? defaultAnswers(catalog, target) : {};
  const answers = resolveAnswers(catalog, current.answers);
  return {
    plan: { ...plan, base: { ...plan.base, files } },
    mine,
    answers,
    defaults,
    config,
    mergeWith,
    theirConfig: theirConfig?.contents ?? '',
    notes: [
      ...(state.base ? [] : [damagedBase(state.baseText !== undefined)]),
      ...current.notes,
      ...changedDefaults(state.base?.defaults ?? {}, defaults, answers),
      ...(config?.keptAlthoughDropped ?? []).map(
        (key) => `${key} is no longer in the template; its line in do/config stays`,
      ),
      ...(config?.computed ?? []).map((key) => `${key} is computed in do/config; it was left as it is`),
    ],
  };
}

function openFiles(root: string): string[] {
  return OPEN_FOLDERS.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      : [],
  );
}

/** The path of the proposal that is laid beside a file. */
export const sideFile = (path: string): string => `${path}.mlcc-new`;

function fileChanges(root: string, plan: Plan, { base }: State): Change[] {
  const changes: Change[] = [];
  const proposals = new Map<string, TextFile>();
  for (const entry of plan.entries) {
    if ('proposal' in entry) proposals.set(entry.path, { ...entry.proposal, executable: false });
    else if ('after' in entry) changes.push({ path: entry.path, after: entry.after });
    else if (entry.kind === 'remove') changes.push({ path: entry.path, after: undefined });
  }
  return [...changes, ...sideFileChanges(root, proposals, base?.pending ?? new Map())];
}

/** Proposals that are not there yet, and those that are settled; one that a person edited is theirs and stays. */
function sideFileChanges(
  root: string,
  proposals: ReadonlyMap<string, TextFile>,
  before: ReadonlyMap<string, PendingFile | null>,
): Change[] {
  const present = readTree(root, [...proposals.keys(), ...before.keys()].map(sideFile));
  const changes: Change[] = [];
  for (const [path, proposal] of proposals) {
    if (present.get(sideFile(path))?.contents !== proposal.contents)
      changes.push({ path: sideFile(path), after: proposal });
  }
  for (const [path, proposal] of before) {
    const there = present.get(sideFile(path));
    if (!proposals.has(path) && there && there.contents === proposal?.contents) {
      changes.push({ path: sideFile(path), after: undefined });
    }
  }
  return changes;
}

const configChange = ({ config }: Next): Change => ({
  path: CONFIG_PATH,
  after: { contents: config?.text ?? '', executable: false },
  keepBefore: true,
});

/** Version and base: what says that the update is done, written after everything else. */
function recordChanges(state: State, next: Next, version: string): Change[] {
  const moved = version !== state.rc.version || next.plan.base.pending.size === 0;
  const base = serialiseBase({
    version,
    defaults: moved ? next.defaults : (state.base?.defaults ?? {}),
    files: next.plan.base.files,
    pending: next.plan.base.pending,
  });
  const rc = updateYoRc(state.rcText, { version, answers: next.answers });
  const file = (contents: string) => ({ contents, executable: false });
  return [
    ...(base === state.baseText ? [] : [{ path: BASE_PATH, after: file(base) }]),
    ...(rc === state.rcText ? [] : [{ path: YO_RC_PATH, after: file(rc) }]),
  ];
}

/** Applies under the lock of do/config, merging once more with what a script may have written in the meantime. */
async function apply(root: string, next: Next, changes: readonly Change[]): Promise<void> {
  if (!next.config) return applyJournalled(root, 'mlcc regenerate', changes);
  await withConfigLock(join(root, CONFIG_PATH), ({ text }) => {
    const merged = next.mergeWith(text).text;
    const others = changes.filter(({ path }) => path !== CONFIG_PATH);
    const config: Change = {
      path: CONFIG_PATH,
      after: { contents: merged, executable: false },
      keepBefore: true,
    };
    applyJournalled(root, 'mlcc regenerate', merged === text ? others : [config, ...others]);
  });
}

function withConfig({ plan, config, mine }: Next): PlanEntry[] {
  const before = mine.get(CONFIG_PATH);
  if (!config || !before || config.text === before.contents) return [...plan.entries];
  const after = { contents: config.text, executable: before.executable };
  return [...plan.entries, { path: CONFIG_PATH, kind: 'merge', before, after } satisfies PlanEntry].sort(
    (a, b) => (a.path < b.path ? -1 : 1),
  );
}
