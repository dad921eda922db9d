import { type Catalog, hint } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { allOptions } from '../project/index.js';
import { type CommandOption, scaffoldOptions } from './command-options.js';
import { camel, refuseMissingValues } from './option-parsing.js';
import { isPromptStopped, STOPPED, STOPPED_EXIT } from './questions.js';
import { refuseWindows } from './terminal.js';

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
 * The values of project flags that were given, by flag: as they were typed, because Yeoman makes numbers of some and keeps a
 * value of its own under some names (namespace); else as a program that runs the generator gave them.
 */
export function yeomanProjectFlags(
  options: Options,
  argv: readonly string[],
  catalog: Catalog,
): Record<string, string> {
  const typed = new Map(typedOptions(argv, scaffoldOptions, catalog).map(({ flag, value }) => [flag, value]));
  const given: Record<string, string> = {};
  for (const { flag } of allOptions(catalog)) {
    const value = typed.get(flag) ?? (YEOMAN_OPTIONS.includes(flag) ? undefined : options[flag]);
    if (value !== undefined && value !== null) given[flag] = String(value);
  }
  return given;
}

/**
 * The flags of a command as they were typed, by camel-case name. Read from `argv` and not from Yeoman's options, because Yeoman
 * keeps the last of several values and has a `resolved` of its own. Throws a usage Failure for a value that is missing or no choice.
 */
export function typedFlags(argv: readonly string[], own: readonly CommandOption[]): Record<string, unknown> {
  const typed = typedOptions(argv, own);
  const flags: Record<string, unknown> = {};
  for (const { flag, value, multiple, choices } of own) {
    const values = typed.filter((option) => option.flag === flag).map((option) => option.value);
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

/** Yeoman takes any flag; a misspelt one, or one without its value, must not be ignored silently. `argv` holds what was typed. */
export function refuseUnknownFlags(
  argv: readonly string[],
  own: readonly CommandOption[],
  catalog?: Catalog,
): void {
  const takesValue = valueFlags(own, catalog);
  refuseMissingValues(argv, takesValue);
  const known = [...takesValue.keys()];
  const unknown = typedOptions(argv, own, catalog)
    .map(({ flag }) => flag.replace(/^no-/, ''))
    .filter((flag) => !known.includes(flag) && !YEOMAN_OPTIONS.includes(flag));
  if (unknown.length === 0) return;
  throw new Failure({
    what: `unknown option ${unknown.map((flag) => `--${flag}${hint(flag, known)}`).join(', ')}`,
    next: 'yo mlcc --help shows every option',
    exit: 2,
  });
}

/** What was typed behind the generator's name (`yo mlcc ...`); nothing when another program runs the generator. */
export function typedArgv([generator = '', ...typed]: readonly string[]): string[] {
  return /^(generator-)?mlcc(:[a-z-]+)?$/.test(generator) ? typed : [];
}

/**
 * The one argument that may stand beside the flags. Yeoman takes it for the value of a switch before it, and ignores a second
 * one, for which a usage Failure is thrown here.
 */
export function typedArgument(
  argv: readonly string[],
  own: readonly CommandOption[],
  catalog?: Catalog,
): string | undefined {
  const [argument, ...surplus] = readTyped(argv, valueFlags(own, catalog)).words;
  if (surplus.length === 0) return argument;
  throw new Failure({
    what: `too many arguments: ${surplus.map((word) => JSON.stringify(word)).join(', ')}`,
    next: 'put a text of several words in quotes',
    exit: 2,
  });
}

interface TypedOption {
  flag: string;
  /** Absent: it stood alone. */
  value?: string;
}

const typedOptions = (argv: readonly string[], own: readonly CommandOption[], catalog?: Catalog) =>
  readTyped(argv, valueFlags(own, catalog)).options;

/** The options on a command line in order, `--flag=value` and `--flag value` alike, and the words that are neither. */
function readTyped(argv: readonly string[], takesValue: ReadonlyMap<string, boolean>) {
  const options: TypedOption[] = [];
  const words: string[] = [];
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') return { options, words: [...words, ...rest] };
    const [, flag, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (flag === undefined) {
      if (!argument.startsWith('-')) words.push(argument);
      continue;
    }
    const value = inline ?? (takesValue.get(flag) ? rest.shift() : undefined);
    options.push(value === undefined ? { flag } : { flag, value });
  }
  return { options, words };
}

/** The flags of a command, and whether each takes a value. */
function valueFlags(own: readonly CommandOption[], catalog?: Catalog): Map<string, boolean> {
  return new Map([
    ...own.map(({ flag, value }) => [flag, value !== undefined] as const),
    ...own.flatMap(({ alias, value }) => (alias ? [[alias, value !== undefined] as const] : [])),
    ...(catalog ? allOptions(catalog) : []).map(({ flag }) => [flag, true] as const),
  ]);
}

/** Turns a Failure, and Control-C at a question, into an error whose message and exit code Yeoman passes on as they are. */
export async function forYeoman<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    refuseWindows(process.platform);
    return await work();
  } catch (error) {
    // Yeoman's environment has this very error already, so it is changed and not replaced.
    if (isPromptStopped(error)) throw Object.assign(error, { message: STOPPED, code: STOPPED_EXIT });
    if (!(error instanceof Failure)) throw error;
    throw Object.assign(new Error(error.lines().join('\n')), { code: error.exit });
  }
}
