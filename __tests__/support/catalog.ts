import {
  buildCatalog,
  builtInSources,
  type CatalogResult,
  type DescriptorFolder,
} from '../../lib/catalog/index.js';

/** The built-in sources with one target folder's descriptor changed, or a copy of it added under another name. */
export function catalogWith(change: {
  target: string;
  as?: string;
  edit: (manifest: Record<string, unknown>) => void;
}): CatalogResult {
  const sources = builtInSources();
  const folder = sources.targets.find(({ name }) => name === change.target);
  if (!folder) throw new Error(`no target ${change.target}`);
  const edited = editManifest(folder, change.as ?? folder.name, change.edit);
  const others = sources.targets.filter(({ name }) => name !== edited.name);
  return buildCatalog({ ...sources, targets: [...others, edited] });
}

/** A copy of a descriptor folder with an edited manifest. */
export function editManifest(
  folder: DescriptorFolder,
  name: string,
  edit: (manifest: Record<string, unknown>) => void,
): DescriptorFolder {
  const manifest = JSON.parse(folder.files.get('manifest.json')?.contents ?? '{}') as Record<string, unknown>;
  edit(manifest);
  const files = new Map(folder.files);
  files.set('manifest.json', { contents: `${JSON.stringify(manifest, null, 2)}\n`, executable: false });
  return { ...folder, name, location: folder.location.replace(/[^/]+$/, name), files };
}
