import type { Catalog, TextFile } from '../catalog/index.js';
import { deployFlagsHelp } from './deploy-flags.js';
import { deploySchemaFallback } from './deploy-schema.js';
import { enginesSh } from './engines-sh.js';
import { exitCodesTable, settingsTables, targetsTable, verbsTable } from './tables.js';
import { targetsGuidanceSh, targetsSh } from './targets-sh.js';
import type { Templates } from './templates.js';

/** Whole files that derive from the descriptors. */
export function derivedFiles(catalog: Catalog): [string, TextFile][] {
  return [
    ['do/lib/targets.sh', { contents: targetsSh(catalog), executable: false }],
    ['do/lib/targets-guidance.sh', { contents: targetsGuidanceSh(catalog), executable: false }],
    ['do/lib/engines.sh', { contents: enginesSh(catalog), executable: false }],
  ];
}

/** The generated blocks of templates, by name or by the path of the file that has only one. */
export function derivedBlocks(catalog: Catalog, templates: Templates): Record<string, () => string> {
  const present = new Set(['config']);
  for (const path of templates.keys()) if (/^do\/[a-z-]+$/.test(path)) present.add(path.slice('do/'.length));
  return {
    verbs: () => verbsTable(catalog, present),
    targets: () => targetsTable(catalog),
    settings: () => settingsTables(catalog),
    'exit-codes': exitCodesTable,
    'deploy-schema': () => deploySchemaFallback(catalog),
    'deploy-flags': () => deployFlagsHelp(catalog),
  };
}
