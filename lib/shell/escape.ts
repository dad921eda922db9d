import { quoteShell } from './quote.js';

/** Kinds of text whose values are escaped differently. */
export type TextKind = 'config' | 'shell' | 'json' | 'yaml' | 'python' | 'dockerfile' | 'markdown';

/** Turns a value into the text that stands for it where a bare value stands in a file of one kind. */
export type Escape = (value: unknown) => string;

const ESCAPES: Readonly<Record<TextKind, Escape>> = {
  config: (value) => quoteShell(singleLine(scalarText(value))),
  shell: (value) => quoteShell(scalarText(value)),
  json: escapeJson,
  yaml: (value) => escapeUnprintable(escapeJson(value)),
  python: escapePython,
  dockerfile: (value) => escapeDockerfile(singleLine(scalarText(value))),
  markdown: (value) => escapeMarkdown(singleLine(scalarText(value))),
};

/** The kind of a file of a project by its relative POSIX path (a template's `.ejs` ending does not count). */
export function textKind(path: string): TextKind | undefined {
  const plainPath = path.replace(/\.ejs$/, '');
  const name = plainPath.slice(plainPath.lastIndexOf('/') + 1);
  if (plainPath === 'do/config' || plainPath.endsWith('/do/config')) return 'config';
  if (/^(Dockerfile|Containerfile)(\..+)?$|\.dockerfile$/i.test(name)) return 'dockerfile';
  switch (/\.[^.]+$/.exec(name)?.[0]) {
    case '.sh':
    case '.bash':
      return 'shell';
    case '.json':
      return 'json';
    case '.yaml':
    case '.yml':
      return 'yaml';
    case '.py':
      return 'python';
    case '.md':
      return 'markdown';
    case undefined:
      return /(^|\/)(do|code)\//.test(plainPath) ? 'shell' : undefined;
    default:
      return undefined;
  }
}

/**
 * The EJS escape function for a file. Where the kind is not known, using it throws: better no file than one in
 * which a value has become syntax.
 */
export function escapeForPath(path: string): Escape {
  const kind = textKind(path);
  if (kind !== undefined) return ESCAPES[kind];
  return () => {
    throw new TypeError(`no escaping is known for ${path}: a value cannot be written into it`);
  };
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return String(value);
  throw new TypeError(
    `a template may print text, numbers and booleans, not ${value === null ? 'null' : typeof value}`,
  );
}

function singleLine(text: string): string {
  if (/[\n\0]/.test(text)) throw new RangeError('a line end or NUL cannot be written here');
  return text;
}

function escapeJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`a template cannot print ${typeof value} as JSON`);
  return json;
}

/** YAML counts some characters as line ends, or as unprintable, that JSON leaves alone. */
function escapeUnprintable(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** A JSON string is a Python string, too; a boolean is not. */
function escapePython(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? escapeJson(value) : scalarText(value);
}

/**
 * A word of FROM, ENV, LABEL, ARG or COPY. Double quotes, because in single quotes a Dockerfile's backslash is
 * read differently by different builders. Not for RUN, whose text is a shell's: hand it over with ENV.
 */
function escapeDockerfile(text: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/.test(text) ? text : `"${text.replace(/["\\$]/g, '\\$&')}"`;
}

/** Backslashes before what CommonMark or GitHub would take for markup, and before nothing else. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*[\]<|~]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?[A-Za-z0-9]+;)/g, '\\&')
    .replace(/^(\s*)([#>+=-])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])/, '$1\\$2');
}
