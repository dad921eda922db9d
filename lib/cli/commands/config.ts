import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfigFile, setConfigValue, unsetConfigValue } from '../../config/index.js';
import { Failure } from '../../failure/index.js';
import { configOptions } from '../command-options.js';
import { addOptions } from '../option-parsing.js';
import type { Terminal } from '../terminal.js';

/** `mlcc config get|set|unset KEY [VALUE]`: reads and edits do/config under its lock. */
export function defineConfig(command: Command, terminal: Terminal): Command {
  const file = (dir: string | undefined) => resolve(terminal.cwd, dir ?? '.', 'do/config');
  const action = (name: string, description: string) =>
    addOptions(command.command(name).description(description), configOptions);

  action('get', 'print the value of a key')
    .argument('<key>')
    .action((key: string, { dir }: { dir?: string }) => {
      const value = readConfigFile(file(dir)).get(key);
      if (value === undefined) throw new Failure({ what: `${key} is not set in do/config`, exit: 1 });
      terminal.out(`${value}\n`);
    });
  action('set', 'set a key')
    .argument('<key>')
    .argument('<value>')
    .action((key: string, value: string, { dir }: { dir?: string }) => setConfigValue(file(dir), key, value));
  action('unset', 'remove a key')
    .argument('<key>')
    .action((key: string, { dir }: { dir?: string }) => unsetConfigValue(file(dir), key));
  return command;
}
