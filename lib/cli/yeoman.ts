import type { Catalog } from '../catalog/index.js';
import { hint } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { allOptions } from '../project/index.js';
import type { CommandOption } from './command-options.js';
import { camel } from './option-parsing.js';

/** The part of a Yeoman generator that defines options. */
interface OptionHost {
  option(name: string, config: { type: typeof String | typeof Boolean; description: string }): unknown;
}

type Options = Readonly<Record<string, unknown>>;

/** What Yeoman itself, its environment and its command line put among a generator's options. */
const YEOMAN_OPTIONS = [
  'ask-answered',
  'force-install',
  'skip-cache',
  'skip-install',
  'help',
  'version',
  'force',
  'debug',
  'insight',
  'color',
  'colors',
  'env',
  'resolved',
  'namespace',
  'initialGenerator',
  'initial-generator',
];

/** Gives a generator the same flags that the command line has. */
export function addYeomanOptions(host: OptionHost, own: readonly CommandOption[], catalog?: Catalog): void {
  for (const { flag, alias, value, description } of own) {
    const type = value ? String : Boolean;
    host.option(flag, { type, description });
    if (alias) host.option(alias, { type, description: `The same as --${flag}.` });
  }
  for (const { flag, description } of catalog ? allOptions(catalog) : [])
    if (!YEOMAN_OPTIONS.includes(flag)) host.option(flag, { type: String, description });
}

/**
 * The values of project flags that were given, by flag. Yeoman keeps a value of its own under some of the names
 * (namespace); theirs are read from `argv`, what was typed.
 */
export function yeomanProjectFlags(
  options: Options,
  argv: readonly string[],
  catalog: Catalog,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const { flag } of allOptions(catalog)) {
    const value = YEOMAN_OPTIONS.includes(flag) ? typedValue(argv, flag) : options[flag];
    if (value !== undefined && value !== null) given[flag] = String(value);
  }
  return given;
}

/**
 * The flags of a command as they were typed, by camel-case name. Read from `argv` and not from Yeoman's options, because Yeoman
 * keeps the last of several values and has a `resolved` of its own. Throws a usage Failure for a value that is missing or no choice.
 */
export function typedFlags(argv: readonly string[], own: readonly CommandOption[]): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const { flag, value, multiple, choices } of own) {
    const values = typedValues(argv, flag);
    if (values.length === 0) continue;
    if (value === undefined) {
      flags[camel(flag)] = values.at(-1) !== 'false';
      continue;
    }
    for (const given of values) {
      const isChoice = given !== undefined && (!choices || choices.includes(given));
      if (isChoice) continue;
      const why = choices ? `allowed: ${choices.join(', ')}` : `it takes a ${value}`;
      throw new Failure({ what: `--${flag}: found ${JSON.stringify(given ?? '')}`, why, exit: 2 });
    }
    flags[camel(flag)] = multiple ? values : values.at(-1);
  }
  return flags;
}

const typedValue = (argv: readonly string[], flag: string): string | undefined =>
  typedValues(argv, flag).at(-1);

/** What stands behind every occurrence of a flag: `--flag=value`, or `--flag value`. */
function typedValues(argv: readonly string[], flag: string): (string | undefined)[] {
  return argv.flatMap((argument, index) => {
    if (argument === `--${flag}`) return [argv[index + 1]];
    return argument.startsWith(`--${flag}=`) ? [argument.slice(flag.length + 3)] : [];
  });
}

/** Yeoman takes any flag; a misspelt one must not be ignored silently. `argv` holds what was typed. */
export function refuseUnknownFlags(
  argv: readonly string[],
  own: readonly CommandOption[],
  catalog?: Catalog,
): void {
  const known = [...own.flatMap(({ flag, alias }) => [flag, ...(alias ? [alias] : [])])];
  if (catalog) known.push(...allOptions(catalog).map(({ flag }) => flag));
  const typed = argv.flatMap((argument) => /^--(?:no-)?([^=]+)/.exec(argument)?.[1] ?? []);
  const unknown = typed.filter((flag) => !known.includes(flag) && !YEOMAN_OPTIONS.includes(flag));
  if (unknown.length === 0) return;
  throw new Failure({
    what: `unknown option ${unknown.map((flag) => `--${flag}${hint(flag, known)}`).join(', ')}`,
    next: 'yo mlcc --help shows every option',
    exit: 2,
  });
}

/** Turns a Failure into an error whose message and exit code Yeoman passes on as they are. */
export async function forYeoman<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw Object.assign(new Error(error.lines().join('\n')), { code: error.exit });
  }
}
