import { existsSync, realpathSync } from 'node:fs';
import {
  buildCatalog,
  type Catalog,
  type DescriptorFolder,
  orThrow,
  type TextFile,
} from '../catalog/index.js';
import { BASE_PATH } from '../project/index.js';
import { readTree } from '../update/index.js';
import { BaseRecord } from './project-records.js';

const PATH = /^do\/(?:targets\.d\/([^/]+)\/(manifest\.json|files\/.+)|(deploy|clean)\.d\/([^/]+))$/;

/**
 * A catalogue with the targets that a project was made with and that are not in it: those of packs that are not named this
 * time. They are as the last render had them. A target goes from a project by mlcc remove-target, never by an update.
 */
export function withProjectPacks(folder: string, catalog: Catalog): Catalog {
  if (!existsSync(folder)) return catalog;
  const base = BaseRecord.parse(readTree(realpathSync(folder), [BASE_PATH]).get(BASE_PATH)?.contents);
  const folders = new Map<string, Map<string, TextFile>>();
  for (const [path, file] of base?.files ?? []) {
    const [, withDescriptor, inFolder, script, withScript] = PATH.exec(path) ?? [];
    const name = withDescriptor ?? withScript;
    if (name === undefined || catalog.targets.some(({ manifest }) => manifest.target === name)) continue;
    const files = folders.get(name) ?? new Map<string, TextFile>();
    folders.set(name, files.set(inFolder ?? script ?? '', file));
  }
  const packs = [...folders].map(
    ([name, files]): DescriptorFolder => ({ name, location: `do/targets.d/${name}`, origin: 'pack', files }),
  );
  if (packs.length === 0) return catalog;
  const variables = { contents: JSON.stringify({ variables: catalog.variables }), file: 'variables.json' };
  const { targets } = orThrow(buildCatalog({ targets: packs, engines: [], variables }));
  const all = [...catalog.targets, ...targets];
  return { ...catalog, targets: all.sort((a, b) => (a.manifest.target < b.manifest.target ? -1 : 1)) };
}
