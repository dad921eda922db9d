import { existsSync, realpathSync } from 'node:fs';
import {
  buildCatalog,
  type Catalog,
  type CatalogResult,
  type DescriptorFolder,
  orThrow,
  type TextFile,
} from '../catalog/index.js';
import { BASE_PATH, type FileTree, parseBase } from '../project/index.js';
import { readTree } from '../update/index.js';

const PATH = /^do\/(?:targets\.d\/([^/]+)\/(manifest\.json|files\/.+)|(deploy|clean)\.d\/([^/]+))$/;

/**
 * A catalogue with the targets that a project was made with and that are not in it: those of packs that are not named this
 * time. They are as the last render had them. A target goes from a project by mlcc remove-target, never by an update.
 */
export function withProjectPacks(folder: string, catalog: Catalog): Catalog {
  if (!existsSync(folder)) return catalog;
  const root = realpathSync(folder);
  const base = parseBase(readTree(root, [BASE_PATH]).get(BASE_PATH)?.contents);
  const variables = { contents: JSON.stringify({ variables: catalog.variables }), file: 'variables.json' };
  const build = (targets: readonly DescriptorFolder[]): CatalogResult =>
    buildCatalog({ targets, engines: [], variables });
  const rendered = filesOfTargets(base?.files ?? new Map(), catalog);
  if (rendered.size === 0) return catalog;
  const packs = [...rendered].map(([name, files]) => toFolder(name, files));
  const result = build(packs);
  const mended = () =>
    packs.flatMap((pack) => (build([pack]).faults.length === 0 ? [pack] : onDisk(root, pack.name, rendered)));
  const { targets } = orThrow(result.faults.length === 0 ? result : build(mended()));
  const all = [...catalog.targets, ...targets];
  return { ...catalog, targets: all.sort((a, b) => (a.manifest.target < b.manifest.target ? -1 : 1)) };
}

/** A target that an older version took and this one does not, as a person has mended it; none where a person deleted it. */
function onDisk(
  root: string,
  name: string,
  rendered: ReadonlyMap<string, FileTree>,
): readonly DescriptorFolder[] {
  const files = rendered.get(name) ?? new Map();
  const mine = readTree(root, files.keys());
  return mine.has(`do/targets.d/${name}/manifest.json`) ? [toFolder(name, new Map([...files, ...mine]))] : [];
}

/** The files of each target that the catalogue does not have, by path in the project. */
function filesOfTargets(tree: FileTree, catalog: Catalog): Map<string, FileTree> {
  const targets = new Map<string, FileTree>();
  for (const [path, file] of tree) {
    const [, withDescriptor, , , withScript] = PATH.exec(path) ?? [];
    const name = withDescriptor ?? withScript;
    if (name === undefined || catalog.targets.some(({ manifest }) => manifest.target === name)) continue;
    targets.set(name, new Map([...(targets.get(name) ?? []), [path, file]]));
  }
  return targets;
}

function toFolder(name: string, tree: FileTree): DescriptorFolder {
  const files = new Map<string, TextFile>();
  for (const [path, file] of tree) {
    const [, , inFolder, script] = PATH.exec(path) ?? [];
    files.set(inFolder ?? script ?? '', file);
  }
  return { name, location: `do/targets.d/${name}`, origin: 'pack', files };
}
