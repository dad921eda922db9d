import { loadCatalog } from '../lib/catalog/index.js';
import { BASE_PATH, render } from '../lib/project/index.js';

export const GOLDEN_ROOT = '__tests__/golden';

/** One complete sample project per target: path in the repository -> file. The base is left out: it repeats the others. */
export function goldenProjects(): Map<string, { contents: string; executable: boolean }> {
  const catalog = loadCatalog();
  const files = new Map<string, { contents: string; executable: boolean }>();
  for (const { manifest } of catalog.targets) {
    const tree = render(
      { projectName: 'sample', deploymentTarget: manifest.target, description: SAMPLE },
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
