import { dirname } from 'node:path';
import type { Command } from 'commander';
import { catalogAt, findHome } from '../../authoring/index.js';
import { loadCatalog, type Target } from '../../catalog/index.js';
import { verbs } from '../../contract/index.js';
import { targetsOptions } from '../command-options.js';
import { addOptions, targetDirs } from '../option-parsing.js';
import type { Terminal } from '../terminal.js';
import { textTable } from '../text-table.js';

/** `mlcc targets`: the matrix of targets and target-restricted verbs; in a project with the targets that only it has. */
export function defineTargets(command: Command, terminal: Terminal): Command {
  return addOptions(command, targetsOptions).action((flags: { json?: boolean }) => {
    const dirs = targetDirs(terminal.argv, terminal.env);
    const home = findHome(terminal.cwd, undefined);
    const { targets } = home.kind === 'project' ? catalogAt(home, dirs) : loadCatalog({ targetDirs: dirs });
    const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb.name] : []));
    if (flags.json) {
      const rows = targets.map(({ manifest, origin, location }) => ({ ...manifest, origin, location }));
      terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
      return;
    }
    const header = ['TARGET', 'ALIASES', 'ORIGIN', ...restricted.map((verb) => verb.toUpperCase())];
    const rows = targets.map((target) => [
      target.manifest.target,
      target.manifest.aliases.join(', ') || '-',
      originOf(target),
      ...restricted.map((verb) => (target.manifest.verbs[verb] ? 'yes' : 'no')),
    ]);
    terminal.out(textTable([header, ...rows]));
    const everywhere = verbs.flatMap((verb) =>
      verb.targets === 'all' && verb.name !== 'config' ? [verb.name] : [],
    );
    terminal.out(`\nOn every target: ${everywhere.join(', ')}\n`);
  });
}

/** A pack is a folder that the user chose, so it is named. */
const originOf = ({ origin, location }: Target): string =>
  origin === 'pack' ? `pack ${dirname(location)}` : origin;
