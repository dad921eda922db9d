import { parse, TomlDate, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import type { Faults } from '../faults.js';
import { type Position, positionsOf } from './positions.js';

/** A text file that a person wrote; `file` is the name that messages show. */
export interface SourceFile {
  file: string;
  text: string;
}

/** What TOML can hold, with dates as the text that was written. A bigint is an integer beyond 2^53. */
export type TomlData = string | number | bigint | boolean | TomlData[] | { [key: string]: TomlData };

export interface TomlDocument {
  file: string;
  data: { [key: string]: TomlData };
  /** Position of the value at a JSON pointer; undefined when nothing stands there. */
  at(pointer: string): Position | undefined;
  /** `file:line` of the value at a JSON pointer, or of the closest table around it; `file` alone at the top. */
  where(pointer: string): string;
}

/** Parses TOML. A syntax error becomes a fault with file and line, and there is no document. */
export function parseToml({ file, text }: SourceFile, faults: Faults): TomlDocument | undefined {
  let table: TomlTable;
  try {
    table = parse(text, { integersAsBigInt: 'asNeeded', unsafeKeyBehaviour: 'throw' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    faults.add(`${file}:${error.line}`, syntaxMessage(error, text));
    return undefined;
  }
  const positions = positionsOf(text);
  const at = (pointer: string) => positions.get(pointer);
  const where = (pointer: string): string => {
    for (let here = pointer; here !== ''; here = here.slice(0, here.lastIndexOf('/'))) {
      const position = positions.get(here);
      if (position) return `${file}:${position.line}`;
    }
    return file;
  };
  const data = plain(table, '', at) as { [key: string]: TomlData };
  return { file, data, at, where };
}

function plain(value: TomlValue, here: string, at: TomlDocument['at']): TomlData {
  if (Array.isArray(value)) return value.map((item, index) => plain(item, `${here}/${index}`, at));
  // A date becomes the text as written, a table of text values keeps every scalar's own spelling (`1.10`, `0x1F`).
  if (value instanceof TomlDate) return at(here)?.source ?? value.toISOString();
  if (typeof value !== 'object') return value as TomlData;
  const isEnvironment = /(?:^|\/)env$/.test(here);
  return Object.fromEntries(
    Object.entries(value as TomlTable).map(([key, item]) => {
      const inside = `${here}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const data = plain(item, inside, at);
      const keepsSpelling =
        isEnvironment && (typeof data === 'number' || typeof data === 'bigint' || typeof data === 'boolean');
      return [key, keepsSpelling ? (at(inside)?.source ?? String(data)) : data];
    }),
  );
}

function syntaxMessage(error: TomlError, text: string): string {
  const reason = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '') ?? 'invalid TOML';
  const line = text.split('\n')[error.line - 1] ?? '';
  const key = /^\s*([A-Za-z0-9_."'-]+)\s*=/.exec(line)?.[1];
  const hint = key && /=\s*[+-]?0\d/.test(line) ? '; write the value in quotes if it is text' : '';
  return `${key ? `\`${key}\`: ` : ''}not valid TOML: ${reason}${hint}`;
}
