import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtInSources, type Catalog, findTarget, loadCatalog, type Target } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { updateYoRc, YO_RC_PATH } from '../project/index.js';
import { type Change, readTree } from '../update/index.js';
import { catalogAt, folderOf } from './add.js';
import type { Home } from './home.js';
import { projectCatalog, projectTargetFolders, targetPaths } from './project-catalog.js';
import { changeProject, type LockedProject } from './project-change.js';
import { rerender } from './rerender.js';
import { stubs } from './stubs.js';
import { removeFolder } from './target-folder.js';

export interface RemovedTarget {
  home: Home;
  target: string;
  /** Files that are gone, relative to the home's folder. */
  removed: readonly string[];
  rerendered: readonly string[];
  notes: readonly string[];
}

/** Asked before work is thrown away that nothing else holds: the files in question. False: nothing is removed. */
export type ConfirmLoss = (files: readonly string[]) => Promise<boolean>;

/** Removes a target. Throws a Failure, with nothing changed, when it is in use, not there, or when its loss is not wanted. */
export async function removeTarget(
  home: Home,
  name: string,
  targetDirs: readonly string[],
  confirmLoss: ConfirmLoss,
): Promise<RemovedTarget> {
  return home.kind === 'project'
    ? removeFromProject(home, name, targetDirs, confirmLoss)
    : removeFromFolder(home, name, targetDirs, confirmLoss);
}

async function removeFromFolder(
  home: Home,
  name: string,
  targetDirs: readonly string[],
  confirmLoss: ConfirmLoss,
): Promise<RemovedTarget> {
  const catalog = catalogAt(home, targetDirs);
  const target = named(name, catalog);
  const parent = folderOf(home);
  if (!existsSync(join(parent, name))) throw elsewhere(target, `${parent} has no folder ${name}`);
  const { variables } = catalog;
  if (
    home.kind === 'generator' &&
    findTarget(catalog, variables.DEPLOYMENT_TARGET?.default ?? '') === target
  ) {
    throw new Failure({
      what: `${name} is the target of new projects; nothing was removed`,
      next: 'name another default in targets.d/variables.json first',
      exit: 3,
    });
  }
  const prefix = home.kind === 'generator' ? `targets.d/${name}` : name;
  const paths = ['manifest.json', 'deploy', 'clean'].map((file) => `${prefix}/${file}`);
  const assets = [...target.assets.keys()].map((path) => `${prefix}/files/${path}`);
  await confirm(
    name,
    [...workOf(target, catalog, (script) => `${prefix}/${script}`), ...assets],
    confirmLoss,
  );
  removeFolder(parent, name);
  return { home, target: name, removed: [...paths, ...assets], rerendered: [], notes: [] };
}

async function removeFromProject(
  home: Home,
  name: string,
  targetDirs: readonly string[],
  confirmLoss: ConfirmLoss,
): Promise<RemovedTarget> {
  const known = loadCatalog({ targetDirs });
  const catalog = catalogAt(home, targetDirs);
  const target = named(name, catalog);
  const { dir } = home;
  if (builtInSources().targets.some((folder) => folder.name === name)) {
    throw elsewhere(target, 'it comes with the generator, which would bring it back');
  }
  if (!projectTargetFolders(dir, []).some((folder) => folder.name === name)) {
    throw elsewhere(target, 'the project does not have it');
  }
  const paths = targetPaths(name);
  const assets = [...target.assets.keys()].map((path) => `do/targets.d/${name}/files/${path}`);
  const own = [paths.deploy, paths.clean, ...assets, paths['manifest.json']];
  const isGiven = known.targets.some(({ manifest }) => manifest.target === name);
  const work = (project: LockedProject) => {
    const last = project.base?.files;
    const isEdited = (path: string) =>
      readTree(dir, [path]).get(path)?.contents !== last?.get(path)?.contents;
    return [...workOf(target, catalog, (script) => paths[script]), ...assets].filter(isEdited);
  };

  // Asked outside of the lock: a person may take a while.
  const { result: lost } = await changeProject(dir, (project) => {
    refuseInUse(target, project);
    return { changes: [], result: work(project) };
  });
  await confirm(name, lost, confirmLoss);

  const { changes, result: notes } = await changeProject(dir, (project) => {
    refuseInUse(target, project);
    const answers = answersWithout(target, project);
    const { changes: derived, notes } = rerender({
      ...project,
      answers,
      before: projectCatalog(dir, known).catalog,
      after: projectCatalog(dir, known, (folders) => folders.filter((folder) => folder.name !== name))
        .catalog,
      isOwn: (path) => own.includes(path),
      droppedKeys: new Set(recordsOf(target, project).keys()),
    });
    const files = readTree(dir, own);
    const gone: Change[] = [...files].map(([path, before]) => ({ path, before, after: undefined }));
    // Where a pack still offers the target, the last render keeps it: it was removed, and must not come back by itself.
    if (!isGiven) for (const path of own) project.base?.files.delete(path);
    const rc = updateYoRc(project.rcText, { version: project.version, answers });
    const rcChange = { path: YO_RC_PATH, ...readRc(dir), after: { contents: rc, executable: false } };
    return {
      changes: [...derived, ...gone, ...(rc === project.rcText ? [] : [rcChange])],
      result: [...notes, ...leftovers(dir, name)],
    };
  });
  return {
    home,
    target: name,
    removed: own,
    rerendered: changes.map(({ path }) => path).filter((path) => !own.includes(path)),
    notes,
  };
}

const readRc = (root: string): { before: Change['before'] } => ({
  before: readTree(root, [YO_RC_PATH]).get(YO_RC_PATH),
});

function named(name: string, catalog: Catalog): Target {
  const target = findTarget(catalog, name);
  if (target?.manifest.target === name) return target;
  throw new Failure({
    what: target ? `"${name}" is an alias of ${target.manifest.target}` : `there is no target "${name}"`,
    why: `targets: ${catalog.targets.map(({ manifest }) => manifest.target).join(', ')}`,
    next: 'name a target as mlcc targets shows it',
    exit: 2,
  });
}

const elsewhere = ({ manifest, origin, location }: Target, why: string): Failure =>
  new Failure({
    what: `${manifest.target} cannot be removed here: ${why}`,
    next: `it is ${origin}: ${location}`,
    exit: 2,
  });

/** The scripts of a target whose text is neither what add-target writes nor another target's. */
function workOf(
  target: Target,
  { targets }: Catalog,
  pathOf: (script: 'deploy' | 'clean') => string,
): string[] {
  const others = [...stubs(), ...targets.filter((other) => other !== target)];
  return (['deploy', 'clean'] as const)
    .filter((script) => !others.some((other) => other[script] === target[script]))
    .map(pathOf);
}

async function confirm(name: string, lost: readonly string[], confirmLoss: ConfirmLoss): Promise<void> {
  if (lost.length === 0 || (await confirmLoss(lost))) return;
  throw new Failure({
    what: `${name} holds work that nothing else has; nothing was removed`,
    why: lost,
    next: 'keep a copy where you want one, and run the command again with --yes',
    exit: 3,
  });
}

/** What is recorded of a target's deployment: the keys under its tag. */
function recordsOf({ manifest }: Target, { config }: LockedProject): Map<string, string | undefined> {
  const prefix = manifest.status_var.replace(/STATUS$/, '');
  return new Map(config.keys().flatMap((key) => (key.startsWith(prefix) ? [[key, config.get(key)]] : [])));
}

function refuseInUse(target: Target, project: LockedProject): void {
  const { target: name, aliases, status_var: statusVar } = target.manifest;
  const status = project.config.get(statusVar);
  const recorded = [...recordsOf(target, project)].filter(([, value]) => value !== '');
  if (recorded.length > 0) {
    throw new Failure({
      what: `${name} is deployed; nothing was removed`,
      why: status ? `${statusVar} is ${status}` : `recorded: ${recorded.map(([key]) => key).join(', ')}`,
      next: `do/clean --target ${name}, then run the command again`,
      exit: 3,
    });
  }
  const focus = project.config.get('DEPLOYMENT_TARGET') ?? '';
  if ([name, ...aliases].includes(focus)) {
    throw new Failure({
      what: `${name} is the target that the project's verbs work on; nothing was removed`,
      next: 'choose another one first: mlcc config set DEPLOYMENT_TARGET NAME',
      exit: 3,
    });
  }
}

/** The project's answers; a target that is gone is none of them. */
function answersWithout({ manifest }: Target, { answers, config }: LockedProject): LockedProject['answers'] {
  const { deploymentTarget = '' } = answers;
  if (![manifest.target, ...manifest.aliases].includes(deploymentTarget)) return answers;
  return { ...answers, deploymentTarget: config.get('DEPLOYMENT_TARGET') ?? '' };
}

function leftovers(root: string, name: string): string[] {
  const overlays = `do/overlays/${name}`;
  return existsSync(join(root, overlays)) ? [`${overlays} is yours and stays`] : [];
}
