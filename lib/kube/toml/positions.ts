/** Where a value stands in a TOML text. */
export interface Position {
  /** 1-based line of the key (of the header, for a table). */
  line: number;
  /** The value as it was written; for a table, its header. */
  source: string;
}

/** A JSON pointer from the names and indexes of a path, as ajv writes it. */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Finds where every key of a TOML document stands, as a map from JSON pointer to position. The parser that we use
 * gives values without positions, so this reads the text a second time. It relies on the text being valid TOML.
 */
export function positionsOf(toml: string): ReadonlyMap<string, Position> {
  return new Scanner(toml).scan();
}

const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BLANKS = /(?:[ \t]|\r?\n|#[^\n]*)*/y;
const SPACES = /[ \t]*/y;
const HEADER_END = /[ \t]*\]\]?/y;
/** Numbers, booleans and dates: nothing in them is a delimiter, and a date may hold one space. */
const LITERAL = /[^\s,\]}#]+(?: [0-9][^\s,\]}#]*)?/y;
const MULTI_LINE_BASIC = /"""(?:[^\\]|\\[\s\S])*?"{3,5}/y;
const MULTI_LINE_LITERAL = /'''[\s\S]*?'{3,5}/y;
const BASIC = /"(?:[^"\\]|\\.)*"/y;
const LITERAL_STRING = /'[^']*'/y;

class Scanner {
  private at = 0;
  private line = 1;
  private lineCountedTo = 0;
  private readonly found = new Map<string, Position>();
  /** Length so far of every array of tables, by pointer. */
  private readonly tableArrays = new Map<string, number>();

  constructor(private readonly text: string) {
    if (text.startsWith('\uFEFF')) this.at = 1;
  }

  scan(): Map<string, Position> {
    let table = '';
    for (this.skip(BLANKS); this.at < this.text.length; this.skip(BLANKS)) {
      if (this.text[this.at] === '[') table = this.header();
      else this.keyValue(table);
    }
    return this.found;
  }

  /** Reads `[a.b]` or `[[a.b]]` and returns the pointer of the table that it opens. */
  private header(): string {
    const start = this.at;
    const isArray = this.text.startsWith('[[', start);
    this.at += isArray ? 2 : 1;
    const keys = this.dottedKey();
    this.skip(HEADER_END);
    const position = { line: this.lineAt(start), source: this.text.slice(start, this.at) };
    let here = '';
    keys.forEach((key, index) => {
      here += pointer([key]);
      this.record(here, position);
      const isLast = index === keys.length - 1;
      if (isLast && isArray) this.tableArrays.set(here, (this.tableArrays.get(here) ?? 0) + 1);
      const length = this.tableArrays.get(here);
      if (length !== undefined) here += pointer([length - 1]);
      if (isLast) this.record(here, position);
    });
    return here;
  }

  private keyValue(table: string): void {
    const start = this.at;
    const line = this.lineAt(start);
    const keys = this.dottedKey();
    this.skip(SPACES);
    this.at += 1; // the equals sign
    this.skip(SPACES);
    let here = table;
    for (const key of keys.slice(0, -1)) {
      here += pointer([key]);
      this.record(here, { line, source: this.text.slice(start, this.at) });
    }
    this.value(here + pointer(keys.slice(-1)), line);
  }

  private value(here: string, line: number): void {
    const start = this.at;
    const open = this.text[start];
    if (open === '[') this.array(here);
    else if (open === '{') this.inlineTable(here);
    else if (open === '"') this.skip(this.text.startsWith('"""', start) ? MULTI_LINE_BASIC : BASIC);
    else if (open === "'")
      this.skip(this.text.startsWith("'''", start) ? MULTI_LINE_LITERAL : LITERAL_STRING);
    else this.skip(LITERAL);
    this.record(here, { line, source: this.text.slice(start, this.at) });
  }

  private array(here: string): void {
    this.items(']', (index) => this.value(here + pointer([index]), this.lineAt(this.at)));
  }

  private inlineTable(here: string): void {
    this.items('}', () => this.keyValue(here));
  }

  private items(close: string, readItem: (index: number) => void): void {
    this.at += 1;
    for (let index = 0; ; index += 1) {
      this.skip(BLANKS);
      if (this.text[this.at] === close) break;
      readItem(index);
      this.skip(BLANKS);
      if (this.text[this.at] === ',') this.at += 1;
    }
    this.at += 1;
  }

  private dottedKey(): string[] {
    const keys: string[] = [];
    do {
      if (keys.length > 0) this.at += 1; // the dot
      this.skip(SPACES);
      keys.push(this.simpleKey());
      this.skip(SPACES);
    } while (this.text[this.at] === '.');
    return keys;
  }

  private simpleKey(): string {
    const quote = this.text[this.at];
    if (quote === "'") return this.skip(LITERAL_STRING).slice(1, -1);
    if (quote === '"') return unescapeBasic(this.skip(BASIC).slice(1, -1));
    return this.skip(BARE_KEY);
  }

  private record(here: string, position: Position): void {
    if (!this.found.has(here)) this.found.set(here, position);
  }

  /** Moves behind what the sticky pattern matches and returns it. */
  private skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0];
    if (match === undefined) throw new Error(`TOML position scanner lost its way at offset ${this.at}`);
    this.at += match.length;
    return match;
  }

  private lineAt(offset: number): number {
    for (; this.lineCountedTo < offset; this.lineCountedTo += 1) {
      if (this.text[this.lineCountedTo] === '\n') this.line += 1;
    }
    return this.line;
  }
}

const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' };

function unescapeBasic(body: string): string {
  return body.replace(
    /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.))/g,
    (_, u, U, x, one) =>
      one === undefined ? String.fromCodePoint(Number.parseInt(u ?? U ?? x, 16)) : (ESCAPES[one] ?? one),
  );
}
