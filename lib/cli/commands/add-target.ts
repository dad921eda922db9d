import type { Command } from 'commander';
import { type AddTargetFlags, runAddTarget } from '../add-target.js';
import { askOnTerminal } from '../ask.js';
import { addOptions, targetDirs } from '../option-parsing.js';
import { addTargetOptions } from '../target-options.js';
import type { Terminal } from '../terminal.js';

/** `mlcc add-target <name>`: a new deployment target, in the generator, a project or a pack. */
export function defineAddTarget(command: Command, terminal: Terminal): Command {
  addOptions(command.argument('[name]', 'name of the target'), addTargetOptions);
  return command.action(
    async (name: string | undefined, flags: AddTargetFlags & { targetsDir?: string[] }) => {
      const { targetsDir: _read, ...own } = flags;
      const output = await runAddTarget(name, own, {
        cwd: terminal.cwd,
        targetDirs: targetDirs(terminal.argv, terminal.env),
        ask: terminal.interactive ? askOnTerminal : undefined,
      });
      terminal.out(output);
    },
  );
}
