import type { Command } from 'commander';
import { loadCatalog } from '../../catalog/index.js';
import { verbs } from '../../contract/index.js';
import { targetsOptions } from '../command-options.js';
import { addOptions, targetDirs } from '../option-parsing.js';
import type { Terminal } from '../terminal.js';
import { textTable } from '../text-table.js';

/** `mlcc targets`: the matrix of targets and target-restricted verbs. */
export function defineTargets(command: Command, terminal: Terminal): Command {
  return addOptions(command, targetsOptions).action((flags: { json?: boolean }) => {
    const { targets } = loadCatalog({ targetDirs: targetDirs(terminal.argv, terminal.env) });
    const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb.name] : []));
    if (flags.json) {
      const rows = targets.map(({ manifest, origin, location }) => ({ ...manifest, origin, location }));
      terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
      return;
    }
    const header = ['TARGET', 'ALIASES', 'ORIGIN', ...restricted.map((verb) => verb.toUpperCase())];
    const rows = targets.map(({ manifest, origin }) => [
      manifest.target,
      manifest.aliases.join(', ') || '-',
      origin,
      ...restricted.map((verb) => (manifest.verbs[verb] ? 'yes' : 'no')),
    ]);
    terminal.out(textTable([header, ...rows]));
    const everywhere = verbs.flatMap((verb) =>
      verb.targets === 'all' && verb.name !== 'config' ? [verb.name] : [],
    );
    terminal.out(`\nOn every target: ${everywhere.join(', ')}\n`);
  });
}
