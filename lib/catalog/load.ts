import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../failure/index.js';
import { packageRoot } from '../package/index.js';
import { crossChecks } from './cross-checks.js';
import { type Fault, faultLine } from './faults.js';
import { type Parsed, parseEngine, parseTarget, parseVariables } from './parse.js';
import { readFolders, readTextFile } from './read.js';
import type { Catalog, DescriptorFolder, SharedVariable } from './types.js';

export interface CatalogSources {
  targets: readonly DescriptorFolder[];
  engines: readonly DescriptorFolder[];
  /** Text of variables.json, and how messages call it. */
  variables: { contents: string; file: string };
}

export interface CatalogResult {
  catalog: Catalog;
  faults: readonly Fault[];
  warnings: readonly Fault[];
}

/** Validates descriptors and puts them together. Faulty ones are left out of the catalogue and listed in `faults`. */
export function buildCatalog(sources: CatalogSources): CatalogResult {
  const faults: Fault[] = [];
  const keep = <T>(parsed: Parsed<T>): T[] => {
    faults.push(...parsed.faults);
    return parsed.value === undefined ? [] : [parsed.value];
  };
  const targets = sources.targets.flatMap((folder) => keep(parseTarget(folder)));
  const engines = sources.engines.flatMap((folder) => keep(parseEngine(folder)));
  const variables: Record<string, SharedVariable> =
    keep(parseVariables(sources.variables.contents, sources.variables.file))[0] ?? {};
  const checks = crossChecks({ targets, engines, variables });
  const catalog: Catalog = {
    targets: targets.sort((a, b) => order(a.manifest.target, b.manifest.target)),
    engines: engines.sort((a, b) => order(a.manifest.engine, b.manifest.engine)),
    variables,
  };
  return { catalog, faults: [...faults, ...checks.faults], warnings: checks.warnings };
}

/** Where the descriptors that come with the package stand. */
export function builtInSources(root: string = packageRoot): CatalogSources {
  const variables = join(root, 'targets.d', 'variables.json');
  return {
    targets: readFolders(join(root, 'targets.d'), 'built-in', 'targets.d'),
    engines: readFolders(join(root, 'serve.d'), 'built-in', 'serve.d'),
    variables: { contents: readTextFile(variables).contents, file: 'targets.d/variables.json' },
  };
}

/** The built-in catalogue with the target folders of each of `targetDirs` added. Throws a Failure that lists every fault. */
export function loadCatalog(options: { root?: string; targetDirs?: readonly string[] } = {}): Catalog {
  const sources = builtInSources(options.root);
  // The same folder may be named twice, by a flag and by the environment, say.
  const packs = new Map((options.targetDirs ?? []).map((folder) => [resolve(folder), folder]));
  const added = [...packs.values()].flatMap(readPack);
  return orThrow(buildCatalog({ ...sources, targets: [...sources.targets, ...added] }));
}

function readPack(folder: string): DescriptorFolder[] {
  const next = 'name a folder that holds target folders, each with manifest.json, deploy and clean';
  if (folder === '' || !existsSync(folder)) {
    throw new Failure({ what: `no folder ${folder || '""'}`, next, exit: 2 });
  }
  const isTarget = existsSync(join(folder, 'manifest.json'));
  const folders = isTarget ? [] : readFolders(folder, 'pack');
  if (folders.length > 0) return folders;
  throw new Failure({
    what: `${folder} holds no target folders`,
    ...(isTarget ? { why: 'it is a target itself' } : {}),
    next: isTarget ? `name the folder above it: ${dirname(folder)}` : next,
    exit: 2,
  });
}

/** The catalogue, or a Failure with one line per fault. */
export function orThrow({ catalog, faults }: CatalogResult): Catalog {
  if (faults.length === 0) return catalog;
  throw new Failure({
    what: `${faults.length === 1 ? 'a descriptor has a fault' : `descriptors have ${faults.length} faults`}`,
    why: faults.map(faultLine),
    next: 'mend the lines named above and run the command again',
    exit: 1,
  });
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
