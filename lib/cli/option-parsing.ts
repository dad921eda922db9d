import { delimiter } from 'node:path';
import { type Command, Option } from 'commander';
import type { Catalog } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { allOptions } from '../project/index.js';
import type { CommandOption } from './command-options.js';

export function addOptions(command: Command, options: readonly CommandOption[]): Command {
  for (const { flag, alias, short, value, optional, multiple, choices, description } of options) {
    const shown = value === undefined ? '' : optional ? ` [${value}]` : ` <${value}>`;
    const option = new Option(`${short ? `-${short}, ` : ''}--${flag}${shown}`, description);
    if (choices) option.choices([...choices]);
    if (multiple) option.argParser((text: string, all: string[] | undefined) => [...(all ?? []), text]);
    command.addOption(option);
    if (alias) {
      command.addOption(new Option(`--${alias}`, `The same as --${flag}.`).implies({ [camel(flag)]: true }));
    }
  }
  return command;
}

/** Adds one flag per setting of a project; the target's own are listed under the targets that have them. */
export function addProjectOptions(command: Command, catalog: Catalog): Command {
  const options = allOptions(catalog);
  for (const { flag, description, enum: allowed, targets } of options) {
    const everywhere = targets.length === catalog.targets.length;
    const choices = allowed ? ` One of: ${allowed.join(', ')}.` : '';
    const option = new Option(`--${flag} <value>`, `${description}${choices}`);
    option.helpGroup(everywhere ? 'Project:' : `Target ${targets.join(', ')}:`);
    command.addOption(option);
  }
  return command;
}

/**
 * Throws a usage Failure where a flag that takes a value is followed by another flag: its value was forgotten. (A value may
 * begin with dashes; one that reads like a flag is given as `--flag=--value`.) `flags` says which take a value.
 */
export function refuseMissingValues(argv: readonly string[], flags: ReadonlyMap<string, boolean>): void {
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') return;
    const next = argv[index + 1] ?? '';
    const isFlag = next.startsWith('--') && flags.has(next.slice(2).replace(/=.*$/s, ''));
    if (argument.startsWith('--') && flags.get(argument.slice(2)) && isFlag) {
      throw new Failure({
        what: `${argument} needs a value; found ${next}`,
        next: `put the value behind it; one that reads like a flag is given as ${argument}=VALUE`,
        exit: 2,
      });
    }
  }
}

/** The values of project flags that were given, by flag. */
export function projectFlags(command: Command, catalog: Catalog): Record<string, string> {
  const values = command.opts<Record<string, string | undefined>>();
  const given: Record<string, string> = {};
  for (const { flag } of allOptions(catalog)) {
    const value = values[camel(flag)];
    if (value !== undefined) given[flag] = value;
  }
  return given;
}

/**
 * The folders of target packs, from MLCC_TARGETS_PATH and --targets-dir. Read before the other arguments are parsed,
 * because the targets decide which flags there are.
 */
export function targetDirs(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const dirs = (env.MLCC_TARGETS_PATH ?? '').split(delimiter).filter((dir) => dir !== '');
  for (const [index, argument] of argv.entries()) {
    const value =
      argument === '--targets-dir' ? argv[index + 1] : /^--targets-dir=(.*)$/s.exec(argument)?.[1];
    if (value !== undefined) dirs.push(value);
  }
  return dirs;
}

/** A flag as commander names its value: `dry-run` is `dryRun`. */
export const camel = (flag: string): string =>
  flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
