import type { Catalog, TextFile } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';
import { missingFiles } from './wiring.js';

/** Where a missing file can be had from: the last render, what would be rendered today, the package's own targets. */
export interface Origins {
  rendered: FileTree;
  expected: FileTree;
  packageCatalog: Catalog;
}

/** Missing files that the targets cannot do without, with the contents to bring them back with. */
export function filesToRestore(
  mine: FileTree,
  { targets }: Catalog,
  { rendered, expected, packageCatalog }: Origins,
): Map<string, TextFile> {
  const found = new Map<string, TextFile>();
  for (const path of missingFiles(mine).keys()) {
    const file = rendered.get(path) ?? expected.get(path);
    if (file) found.set(path, file);
  }
  for (const { manifest } of targets) {
    const known = packageCatalog.targets.find((target) => target.manifest.target === manifest.target);
    for (const kind of ['deploy', 'clean'] as const) {
      const path = `do/${kind}.d/${manifest.target}`;
      const contents = rendered.get(path)?.contents ?? known?.[kind];
      if (!mine.has(path) && contents !== undefined) found.set(path, { contents, executable: true });
    }
  }
  return found;
}
