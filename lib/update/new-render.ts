import { type Catalog, findTarget } from '../catalog/index.js';
import { parseConfig } from '../config/index.js';
import { Failure } from '../failure/index.js';
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
import { CONFIG_PATH } from './apply.js';
import { damagedBase } from './base.js';
import { isDescriptorFile, type MergedDescriptors, mergeDescriptors } from './descriptors.js';
import type { Decisions } from './plan.js';
import { ownDescriptors, type ProjectState } from './project-state.js';
import { readTree } from './read-tree.js';

export interface RenderAgainOptions {
  /** The descriptors of this version of the package, with packs. */
  catalog: Catalog;
  /** Other templates and another version, for tests. */
  source?: Partial<RenderSource>;
}

/** A project rendered anew, and what it is merged with. */
export interface NewRender extends Pick<MergedDescriptors, 'catalog' | 'isValid'> {
  base: FileTree;
  theirs: FileTree;
  answers: Answers;
  defaults: Readonly<Record<string, string>>;
  notes: string[];
}

/** Renders the project anew from its own descriptors, as they are after their merge, and its current answers. */
export function renderAgain(
  state: ProjectState,
  decisions: Decisions,
  options: RenderAgainOptions,
): NewRender {
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
function renderFrom(answers: Answers, catalog: Catalog, options: RenderAgainOptions): FileTree {
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
