import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../package/index.js';

/** The package's templates: path in the project -> text; a path that ends in `.ejs` is still to be rendered. */
export type Templates = ReadonlyMap<string, string>;

let cached: Templates | undefined;

/**
 * Reads `templates/do/**` (to `do/**`), `templates/project/**` (to the project's top) and `templates/serve/**` (to
 * `code/**`, of which a project gets what its engine's manifest names as `helpers`).
 * A leading `_` of a file name stands for a dot, because npm drops or renames some dotfiles when it packs.
 */
export function packageTemplates(): Templates {
  cached ??= readTemplates(join(packageRoot, 'templates'));
  return cached;
}

/** The templates below a folder that is laid out like `templates/` of the package. */
export function readTemplates(root: string): Templates {
  const templates = new Map<string, string>();
  for (const [folder, prefix] of [
    ['do', 'do/'],
    ['project', ''],
    ['serve', 'code/'],
  ] as const) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.pyc')) continue;
      const file = join(entry.parentPath, entry.name);
      const path = file.slice(join(root, folder).length + 1).replaceAll('\\', '/');
      templates.set(prefix + path.replace(/(^|\/)_(?=[^/_][^/]*$)/, '$1.'), readFileSync(file, 'utf8'));
    }
  }
  return templates;
}
