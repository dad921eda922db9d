import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '../lib/catalog/index.js';
import { commandReference, optionsTable } from '../lib/cli/index.js';
import { verbs } from '../lib/contract/index.js';
import { keysTable } from '../lib/kube/index.js';
import { packageRoot } from '../lib/package/index.js';
import {
  exitCodesTable,
  fillBlocks,
  matrixTable,
  settingsTables,
  targetsTable,
  verbsTable,
} from '../lib/project/index.js';

const DOCUMENTS = ['README.md', 'docs/targets.md', 'docs/commands.md', 'docs/kubernetes.md'];

/** The documents of this repository with their generated tables written anew: path -> contents. */
export async function documents(): Promise<Map<string, string>> {
  const catalog = loadCatalog();
  const commands = await commandReference();
  const blocks = {
    targets: () => targetsTable(catalog),
    matrix: () => matrixTable(catalog),
    settings: () => settingsTables(catalog),
    verbs: () => verbsTable(catalog, new Set(verbs.map(({ name }) => name))),
    'new-options': () => optionsTable(catalog),
    commands: () => commands,
    'exit-codes': exitCodesTable,
    'profile-keys': () => keysTable('profile'),
    'manifest-keys': () => keysTable('manifest'),
  };
  return new Map(
    DOCUMENTS.map((path) => [path, fillBlocks(path, readFileSync(join(packageRoot, path), 'utf8'), blocks)]),
  );
}
