import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildCatalog,
  type Catalog,
  type CatalogResult,
  type DescriptorFolder,
  readFolders,
  readTextFile,
  type Target,
  type TextFile,
} from '../catalog/index.js';

/** The paths of a target in a project, its assets left out. */
export const targetPaths = (target: string) => ({
  'manifest.json': `do/targets.d/${target}/manifest.json`,
  deploy: `do/deploy.d/${target}`,
  clean: `do/clean.d/${target}`,
});

/**
 * The target folders of a project as they stand on disk. `known`: the targets of the package and of packs, which say where a
 * folder comes from.
 */
export function projectTargetFolders(root: string, known: readonly Target[]): DescriptorFolder[] {
  const folder = join(root, 'do', 'targets.d');
  if (!existsSync(folder)) return [];
  return readFolders(folder, 'project', 'do/targets.d').map((found) => {
    const files = new Map(found.files);
    for (const script of ['deploy', 'clean'] as const) {
      const path = join(root, targetPaths(found.name)[script]);
      // The bit is the project's business, not the descriptor's.
      if (existsSync(path)) files.set(script, { ...readTextFile(path), executable: true });
    }
    const origin = known.find(({ manifest }) => manifest.target === found.name)?.origin ?? found.origin;
    return { ...found, origin, files };
  });
}

/** The catalogue of a project as it stands on disk, with `change` made to its target folders. */
export function projectCatalog(
  root: string,
  known: Catalog,
  change: (folders: DescriptorFolder[]) => DescriptorFolder[] = (folders) => folders,
): CatalogResult {
  // Of the engines that were not chosen a project has no start script; what derives from descriptors needs none.
  const serve: TextFile = { contents: '', executable: true };
  const engines = existsSync(join(root, 'do', 'serve.d'))
    ? readFolders(join(root, 'do', 'serve.d'), 'project', 'do/serve.d')
    : [];
  const variables = 'do/targets.d/variables.json';
  return buildCatalog({
    targets: change(projectTargetFolders(root, known.targets)),
    engines: engines.map((engine) => ({ ...engine, files: new Map([...engine.files, ['serve', serve]]) })),
    variables: { contents: readTextFile(join(root, variables)).contents, file: variables },
  });
}
