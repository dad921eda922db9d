import { buildCatalog, type Catalog, type CatalogResult, type DescriptorFolder } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';

export const MANIFEST = /^do\/(targets|serve)\.d\/([^/]+)\/manifest\.json$/;
export const VARIABLES = 'do/targets.d/variables.json';

/**
 * The catalogue that a project's own descriptors make, as they stand. Scripts are judged on their own: one that is missing or
 * not executable does not take its target out of the catalogue.
 */
export function projectCatalog(files: FileTree, packageCatalog: Catalog): CatalogResult {
  const targets: DescriptorFolder[] = [];
  const engines: DescriptorFolder[] = [];
  for (const [path, manifest] of files) {
    const [, kind, name = ''] = MANIFEST.exec(path) ?? [];
    const location = `do/${kind}.d/${name}`;
    const folder = new Map([['manifest.json', manifest]]);
    const script = (as: string, contents = '') => folder.set(as, { contents, executable: true });
    if (kind === 'targets') {
      for (const as of ['deploy', 'clean']) script(as, files.get(`do/${as}.d/${name}`)?.contents);
      for (const [other, file] of files) {
        if (other.startsWith(`${location}/files/`)) folder.set(other.slice(location.length + 1), file);
      }
      const known = packageCatalog.targets.find((target) => target.manifest.target === name);
      targets.push({ name, location, origin: known?.origin ?? 'project', files: folder });
    } else if (kind === 'serve') {
      const known = packageCatalog.engines.find((engine) => engine.manifest.engine === name);
      script('serve', known?.serve ?? files.get('code/serve')?.contents);
      engines.push({ name, location, origin: known?.origin ?? 'project', files: folder });
    }
  }
  return buildCatalog({
    targets,
    engines,
    variables: { contents: files.get(VARIABLES)?.contents ?? '', file: VARIABLES },
  });
}
