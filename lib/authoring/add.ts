import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  buildCatalog,
  builtInSources,
  type Catalog,
  type CatalogResult,
  type CatalogSources,
  type DescriptorFolder,
  faultLine,
  loadCatalog,
  readFolders,
} from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { DECISION_MARK, makeTarget, type NewTarget, refusal } from './descriptor.js';
import type { Home } from './home.js';
import { projectCatalog, targetPaths } from './project-catalog.js';
import { changeProject } from './project-change.js';
import type { TargetRequest } from './request.js';
import { rerender } from './rerender.js';
import { refuseExisting, writeFolder } from './target-folder.js';

/** What was written, and what is left to the author. */
export interface AddedTarget {
  home: Home;
  target: string;
  /** The target's own files, relative to the home's folder. */
  files: readonly string[];
  /** Files whose generated text was rendered anew. */
  rerendered: readonly string[];
  /** `file:line: what` or `file#/field: what`. */
  decisions: readonly string[];
  warnings: readonly string[];
}

/** The catalogue in which a new target's name has to be free. Throws a usage Failure for one that has faults already. */
export function catalogAt(home: Home, targetDirs: readonly string[]): Catalog {
  if (home.kind !== 'project') return checked(buildCatalog(sourcesOf(home, targetDirs)));
  const known = loadCatalog({ targetDirs });
  return withProject(home, known);
}

/** Adds a target. Throws a Failure, with nothing written, when it cannot be. */
export async function addTarget(
  home: Home,
  request: TargetRequest,
  targetDirs: readonly string[],
): Promise<AddedTarget> {
  return home.kind === 'project'
    ? addToProject(home, request, targetDirs)
    : addFolder(home, request, targetDirs);
}

function addFolder(home: Home, request: TargetRequest, targetDirs: readonly string[]): AddedTarget {
  const parent = folderOf(home);
  const target = makeTarget(
    request,
    catalogAt(home, targetDirs),
    home.kind === 'generator' ? '../manifest.schema.json' : undefined,
  );
  const { target: name } = target.manifest;
  const sources = sourcesOf(home, targetDirs);
  const folder = folderFor(
    target,
    home.kind === 'generator' ? `targets.d/${name}` : join(parent, name),
    home,
  );
  const warnings = check(target, buildCatalog({ ...sources, targets: [...sources.targets, folder] }));
  refuseExisting(join(parent, name));
  writeFolder(parent, name, folder.files);
  const prefix = home.kind === 'generator' ? 'targets.d/' : '';
  const paths = {
    'manifest.json': `${prefix}${name}/manifest.json`,
    deploy: `${prefix}${name}/deploy`,
    clean: `${prefix}${name}/clean`,
  };
  return report(home, target, paths, [], warnings);
}

async function addToProject(
  home: Home,
  request: TargetRequest,
  targetDirs: readonly string[],
): Promise<AddedTarget> {
  const known = loadCatalog({ targetDirs });
  const target = makeTarget(request, withProject(home, known));
  const { target: name } = target.manifest;
  const paths = targetPaths(name);
  const folder = folderFor(target, `do/targets.d/${name}`, home);
  const refuseOthers = () => {
    for (const path of [`do/targets.d/${name}`, paths.deploy, paths.clean])
      refuseExisting(join(home.dir, path));
  };
  refuseOthers();

  const { changes, result } = await changeProject(home.dir, (project) => {
    // Seen once more under the lock: another target may have come in the meantime.
    refuseOthers();
    const added = projectCatalog(home.dir, known, (folders) => [...folders, folder]);
    const warnings = check(target, added);
    const { changes: derived, notes } = rerender({
      ...project,
      before: checked(projectCatalog(home.dir, known)),
      after: added.catalog,
      isOwn: (path) => Object.values(paths).includes(path),
      droppedKeys: new Set(),
    });
    const own = (['deploy', 'clean', 'manifest.json'] as const).map((file) => ({
      path: paths[file],
      before: undefined,
      after: target.files[file],
    }));
    return { changes: [...own, ...derived], result: [...warnings, ...notes] };
  });
  const rerendered = changes.map(({ path }) => path).filter((path) => !Object.values(paths).includes(path));
  return report(home, target, paths, rerendered, result);
}

/** The project's own catalogue and what only the package or a pack has: names of either are taken. */
function withProject(home: Home, known: Catalog): Catalog {
  const own = checked(projectCatalog(home.dir, known));
  const names = new Set(own.targets.map(({ manifest }) => manifest.target));
  return {
    ...own,
    targets: [...own.targets, ...known.targets.filter(({ manifest }) => !names.has(manifest.target))],
  };
}

/** Where the target folders of a generator's tree or a pack stand. */
export const folderOf = ({ kind, dir }: Home): string =>
  kind === 'generator' ? join(dir, 'targets.d') : dir;

function sourcesOf(home: Home, targetDirs: readonly string[]): CatalogSources {
  if (home.kind === 'generator') return builtInSources(home.dir);
  const sources = builtInSources();
  const packs = new Map([...targetDirs, home.dir].map((dir) => [resolve(dir), dir]));
  const folders = [...packs.values()]
    .filter((dir) => existsSync(dir))
    .flatMap((dir) => readFolders(dir, 'pack'));
  return { ...sources, targets: [...sources.targets, ...folders] };
}

/** A target that others cannot stand beside would break every command that reads them. */
function checked({ catalog, faults }: CatalogResult): Catalog {
  if (faults.length === 0) return catalog;
  throw new Failure({
    what: 'the targets that are there have faults; nothing was written',
    why: faults.map(faultLine),
    next: 'mend the lines named above, or choose another folder with --into',
    exit: 2,
  });
}

function check({ manifest }: NewTarget, { faults, warnings }: CatalogResult): string[] {
  if (faults.length > 0) throw refusal(manifest.target, faults.map(faultLine));
  return warnings.filter(({ file }) => file.includes(`/${manifest.target}/`)).map(faultLine);
}

const folderFor = ({ manifest, files }: NewTarget, location: string, { kind }: Home): DescriptorFolder => ({
  name: manifest.target,
  location,
  origin: kind === 'generator' ? 'built-in' : kind,
  files: new Map(Object.entries(files)),
});

function report(
  home: Home,
  { manifest, files, openFields }: NewTarget,
  paths: Readonly<Record<keyof NewTarget['files'], string>>,
  rerendered: readonly string[],
  warnings: readonly string[],
): AddedTarget {
  const marks = (['deploy', 'clean'] as const).flatMap((script) =>
    files[script].contents.split('\n').flatMap((line, index) => {
      const at = line.indexOf(DECISION_MARK);
      return at < 0 ? [] : [`${paths[script]}:${index + 1}: ${line.slice(at + DECISION_MARK.length).trim()}`];
    }),
  );
  return {
    home,
    target: manifest.target,
    files: Object.values(paths),
    rerendered,
    decisions: [...marks, ...openFields.map((field) => `${paths['manifest.json']}#${field}`)],
    warnings,
  };
}
