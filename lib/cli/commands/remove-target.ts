import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { findHome, removeTarget } from '../../authoring/index.js';
import { askOnTerminal } from '../ask.js';
import { addOptions, targetDirs } from '../option-parsing.js';
import { removeTargetOptions } from '../target-options.js';
import type { Terminal } from '../terminal.js';

/** `mlcc remove-target <name>`: takes a target out of the generator, a project or a pack. */
export function defineRemoveTarget(command: Command, terminal: Terminal): Command {
  addOptions(command.argument('<name>', 'name of the target'), removeTargetOptions);
  return command.action(async (name: string, flags: { into?: string; yes?: boolean }) => {
    const home = findHome(
      terminal.cwd,
      flags.into === undefined ? undefined : resolve(terminal.cwd, flags.into),
    );
    const dirs = targetDirs(terminal.argv, terminal.env);
    const { removed, rerendered, notes } = await removeTarget(home, name, dirs, async (files) => {
      if (flags.yes) return true;
      if (!terminal.interactive) return false;
      const message = `These hold work that nothing else has:\n${files.map((file) => `  ${file}`).join('\n')}\nRemove them?`;
      const { lose } = await askOnTerminal<{ lose: boolean }>([
        { type: 'confirm', name: 'lose', message, default: false },
      ]);
      return lose;
    });
    const lines = [
      `${name}: removed from ${relative(terminal.cwd, home.dir) || '.'}`,
      '',
      ...removed.map((path) => `  removed   ${path}`),
      ...rerendered.map((path) => `  rendered  ${path}`),
      ...notes.map((note) => `  note: ${note}`),
      ...(home.kind === 'generator' ? ['', 'Next:', '  npm run codegen'] : []),
    ];
    terminal.out(`${lines.join('\n')}\n`);
  });
}
