import { resolve } from 'node:path';
import type { Command } from 'commander';
import { regenerateOptions } from '../command-options.js';
import { addOptions, targetDirs } from '../option-parsing.js';
import { type RegenerateFlags, regenerateProject } from '../regenerate-project.js';
import { Exit, type Terminal } from '../terminal.js';

/** `mlcc regenerate [dir]`: refreshes a project. */
export function defineRegenerate(command: Command, terminal: Terminal): Command {
  addOptions(command.argument('[dir]', 'the project; the current folder by default'), regenerateOptions);
  return command.action(async (dir: string | undefined, flags: RegenerateFlags) => {
    const { output, code } = await regenerateProject(resolve(terminal.cwd, dir ?? '.'), flags, {
      targetDirs: targetDirs(terminal.argv, terminal.env),
      colour: terminal.colour,
      cwd: terminal.cwd,
    });
    terminal.out(output);
    if (code !== 0) throw new Exit(code);
  });
}
