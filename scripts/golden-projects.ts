import { loadCatalog } from '../lib/catalog/index.js';
import { BASE_PATH, render } from '../lib/project/index.js';

export const GOLDEN_ROOT = '__tests__/golden';

/** One complete sample project per target, the engines taking turns: path in the repository -> file. The base is left out: it repeats the others. */
export function goldenProjects(): Map<string, { contents: string; executable: boolean }> {
  const catalog = loadCatalog();
  const files = new Map<string, { contents: string; executable: boolean }>();
  for (const [index, { manifest }] of catalog.targets.entries()) {
    const engine = catalog.engines[index % catalog.engines.length]?.manifest.engine ?? '';
    const tree = render(
      { projectName: 'sample', deploymentTarget: manifest.target, engine, description: SAMPLE },
      catalog,
    );
    for (const [path, file] of tree) {
      if (path !== BASE_PATH) files.set(`${GOLDEN_ROOT}/${manifest.target}/${path}`, file);
    }
  }
  return files;
}

/** Shows in every golden project how an awkward answer is escaped. */
const SAMPLE = `R&D "7B" it's <fast>, $(id) \`id\``;
