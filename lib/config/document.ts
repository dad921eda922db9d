import { type Assignment, exportLine, parseAssignment } from '../shell/index.js';
import { checkConfigKey, checkConfigValue } from './values.js';

/** One `export KEY=…` of a config. */
export interface ConfigEntry {
  readonly kind: 'entry';
  readonly key: string;
  /** Undefined when only a shell could compute it (`$OTHER`, `$(command)`). */
  readonly value: string | undefined;
  /** The comment behind the value on the same line with the blanks before it, or empty. */
  readonly comment: string;
  /** The text as written, without its line end; a quoted value may span lines. */
  readonly text: string;
}

/** A line that assigns nothing: kept as it is, in its place. Code is what is neither blank, nor comment, nor an entry. */
export interface ConfigLine {
  readonly kind: 'blank' | 'comment' | 'code';
  readonly text: string;
}

export type ConfigItem = ConfigEntry | ConfigLine;

/** Something that the store keeps but that a person should look at. */
export interface ConfigProblem {
  readonly kind: 'duplicate' | 'multi-line' | 'computed' | 'code';
  /** Counted from 1. */
  readonly line: number;
  readonly key?: string;
}

/** Where a key that is new goes, and the comment lines (each beginning with `#`) that it gets above it. */
export interface Placement {
  /** Behind this key's entry; at the end of the file when it is absent. */
  after?: string;
  comment?: readonly string[];
}

/** A `do/config` that can be edited by key. What is not edited keeps every byte. */
export class ConfigDocument {
  readonly #original: string;
  #items: ConfigItem[];
  #edited = false;

  constructor(text: string) {
    this.#original = text;
    this.#items = parseItems(withUnixLineEnds(text));
  }

  /** Everything in the file, in order. */
  items(): readonly ConfigItem[] {
    return this.#items;
  }

  /** The entries in order; a key that occurs twice is there twice. */
  entries(): ConfigEntry[] {
    return this.#items.filter((item) => item.kind === 'entry');
  }

  /** The keys in order of their first occurrence. */
  keys(): string[] {
    return [...new Set(this.entries().map((entry) => entry.key))];
  }

  has(key: string): boolean {
    return this.#entry(key) !== undefined;
  }

  /** The value as a shell would have it, so that of the last occurrence; undefined when absent or computed. */
  get(key: string): string | undefined {
    return this.#entry(key)?.value;
  }

  /** All values that need no shell, by key. */
  values(): Map<string, string> {
    const last = new Map(this.entries().map((entry) => [entry.key, entry.value]));
    return new Map([...last].filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  /** The unbroken block of comment lines directly above the first entry of a key. */
  commentAbove(key: string): string[] {
    const end = this.#items.findIndex((item) => isEntryOf(item, key));
    if (end < 0) return [];
    let start = end;
    while (this.#items[start - 1]?.kind === 'comment') start -= 1;
    return this.#items.slice(start, end).map((item) => item.text);
  }

  /** Sets a key where it stands first and drops its other occurrences; `placement` matters for a new key only. */
  set(key: string, value: string, placement: Placement = {}): void {
    checkConfigKey(key);
    checkConfigValue(key, value);
    const first = this.#items.findIndex((item) => isEntryOf(item, key));
    if (first < 0) {
      this.#insert(newEntry(key, value, ''), placement);
      return;
    }
    const before = this.#items;
    const entry = newEntry(key, value, (before[first] as ConfigEntry).comment);
    const overruled = before.some(
      (item, index) => index > first && item.kind === 'code' && mentions(item, key),
    );
    const rest = before.slice(first + 1).flatMap((item) => (isEntryOf(item, key) ? remains(item) : [item]));
    const items = [...before.slice(0, first), ...(overruled ? [...rest, entry] : [entry, ...rest])];
    if (items.length === before.length && items.every((item, index) => item.text === before[index]?.text))
      return;
    this.#change(items);
  }

  /** Drops every occurrence of a key; comments stay. */
  unset(key: string): void {
    checkConfigKey(key);
    if (!this.has(key)) return;
    this.#change(this.#items.flatMap((item) => (isEntryOf(item, key) ? remains(item) : [item])));
  }

  /** What the store keeps but does not understand, or what a person may not have meant. */
  problems(): ConfigProblem[] {
    const problems: ConfigProblem[] = [];
    const seen = new Set<string>();
    let line = 1;
    for (const item of this.#items) {
      if (item.kind === 'code') problems.push({ kind: 'code', line });
      if (item.kind === 'entry') {
        if (item.value === undefined) problems.push({ kind: 'computed', line, key: item.key });
        if (item.value?.includes('\n')) problems.push({ kind: 'multi-line', line, key: item.key });
        if (seen.has(item.key)) problems.push({ kind: 'duplicate', line, key: item.key });
        seen.add(item.key);
      }
      line += item.text.split('\n').length;
    }
    return problems;
  }

  /** The file's text: byte for byte what was parsed as long as nothing changed, else with Unix line ends. */
  toString(): string {
    return this.#edited ? this.#items.map((item) => `${item.text}\n`).join('') : this.#original;
  }

  #entry(key: string): ConfigEntry | undefined {
    return this.entries().findLast((entry) => entry.key === key);
  }

  #insert(entry: ConfigEntry, { after, comment = [] }: Placement): void {
    const neighbour = this.#items.findLastIndex((item) => after !== undefined && isEntryOf(item, after));
    const at = neighbour < 0 ? this.#items.length : neighbour + 1;
    const lines = comment.map((text): ConfigLine => ({ kind: 'comment', text }));
    this.#change([...this.#items.slice(0, at), ...lines, entry, ...this.#items.slice(at)]);
  }

  #change(items: ConfigItem[]): void {
    this.#items = items;
    this.#edited = true;
  }
}

/** Parses the text of a `do/config`. Never fails: what is not understood is kept as code. */
export function parseConfig(text: string): ConfigDocument {
  return new ConfigDocument(text);
}

/** A carriage return before a line end, and a byte order mark, are marks of an editor and no part of a value. */
function withUnixLineEnds(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r(?=\n|$)/g, '');
}

function parseItems(text: string): ConfigItem[] {
  const items: ConfigItem[] = [];
  let insideCode = false;
  for (let start = 0; start < text.length; ) {
    const item = parseItem(text, start, insideCode);
    if (item.kind === 'code') insideCode = true;
    if (item.kind === 'entry') insideCode = false;
    items.push(item);
    start += item.text.length + 1;
  }
  return items;
}

/** An indented assignment below code may be part of it (an `if`, say) and is left alone. */
function parseItem(text: string, start: number, insideCode: boolean): ConfigItem {
  const lineEnd = text.indexOf('\n', start);
  const line = text.slice(start, lineEnd < 0 ? text.length : lineEnd);
  const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  if (indent === line.length) return { kind: 'blank', text: line };
  if (line[indent] === '#') return { kind: 'comment', text: line };
  const assignment = indent > 0 && insideCode ? undefined : parseAssignment(text, start + indent);
  if (assignment === undefined) return { kind: 'code', text: line };
  return existingEntry(assignment, text.slice(start, assignment.end));
}

function existingEntry({ name, value, comment }: Assignment, text: string): ConfigEntry {
  return { kind: 'entry', key: name, value, comment, text };
}

function newEntry(key: string, value: string, comment: string): ConfigEntry {
  return { kind: 'entry', key, value, comment, text: exportLine(key, value) + comment };
}

function isEntryOf(item: ConfigItem, key: string): item is ConfigEntry {
  return item.kind === 'entry' && item.key === key;
}

/** What stays when an entry goes: the comment behind it, on a line of its own. */
function remains(entry: ConfigEntry): ConfigItem[] {
  return entry.comment === '' ? [] : [{ kind: 'comment', text: entry.comment.trimStart() }];
}

/** Whether a line of shell code seems to assign the key, so that it would win over an entry above it. */
function mentions(line: ConfigLine, key: string): boolean {
  return new RegExp(`(?:^|[^A-Za-z0-9_])${key}=`).test(line.text);
}
