/** One `export NAME=word` (or `NAME=word`) as a person or an older tool wrote it. */
export interface Assignment {
  name: string;
  /** What a shell that does not have NAME yet would set; undefined when the word is computed by the shell. */
  value: string | undefined;
  /** The blanks and the `# comment` behind the word; empty when there is none. */
  comment: string;
  /** Offset just behind the assignment, at a line end or the end of the text. */
  end: number;
}

const HEAD = /(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=/y;
const TAIL = /(?:[ \t]+#[^\n]*|[ \t]*)(?=\n|$)/y;

/** The word is not data: it never ends, or an operator or a second word follows. */
class NotData extends Error {}

/** The word holds a command substitution, whose end only a shell can find. */
class CommandInWord extends Error {}

/**
 * Reads the assignment that starts at `start`, which may span lines inside quotes.
 * Undefined when the text there is anything else: then it is shell code and none of our business.
 * Line ends must be `\n`.
 */
export function parseAssignment(text: string, start: number): Assignment | undefined {
  HEAD.lastIndex = start;
  const head = HEAD.exec(text);
  if (head?.[1] === undefined) return undefined;
  const word = new WordReader(text, HEAD.lastIndex, head[1]);
  try {
    word.readWord();
  } catch (error) {
    if (error instanceof NotData) return undefined;
    if (!(error instanceof CommandInWord)) throw error;
    const lineEnd = text.indexOf('\n', word.at);
    return { name: head[1], value: undefined, comment: '', end: lineEnd < 0 ? text.length : lineEnd };
  }
  TAIL.lastIndex = word.at;
  const tail = TAIL.exec(text);
  if (tail === null) return undefined;
  return {
    name: head[1],
    value: word.computed ? undefined : word.value,
    comment: tail[0].includes('#') ? tail[0] : '',
    end: TAIL.lastIndex,
  };
}

/** Follows bash's quoting rules over one word and collects the text that it stands for. */
class WordReader {
  value = '';
  computed = false;

  constructor(
    private readonly text: string,
    public at: number,
    private readonly name: string,
  ) {}

  readWord(): void {
    let before = '';
    for (;;) {
      const next = this.text[this.at];
      if (next === undefined || ' \t\n'.includes(next)) return;
      if (';&|<>()'.includes(next)) throw new NotData();
      // Braces expand behind `export`, and a tilde where a path may begin.
      if (next === '{' || (next === '~' && (before === '' || before === ':'))) this.computed = true;
      this.readUnquoted(next);
      before = next;
    }
  }

  /** One step outside double quotes, in the word or in its default. */
  private readUnquoted(next: string): void {
    this.at += 1;
    if (next === "'") this.value += this.takeUntil("'");
    else if (next === '"') this.readDoubleQuoted();
    else if (next === '\\') this.readBackslash();
    else if (next === '$' || next === '`') this.readExpansion(next, false);
    else this.value += next;
  }

  /** Outside quotes a continued line can move a tilde or a brace to where it expands. */
  private readBackslash(): void {
    if (this.text[this.at] === '\n') this.computed = true;
    this.readEscaped(() => true);
  }

  private readDoubleQuoted(): void {
    for (;;) {
      const next = this.take();
      if (next === '"') return;
      if (next === '\\') this.readEscaped((escaped) => '$`"\\'.includes(escaped));
      else if (next === '$' || next === '`') this.readExpansion(next, true);
      else this.value += next;
    }
  }

  /** Behind a backslash, which goes when `isSpecial` says so for the next character. */
  private readEscaped(isSpecial: (escaped: string) => boolean): void {
    const escaped = this.take();
    if (escaped === '\n') return;
    this.value += isSpecial(escaped) ? escaped : `\\${escaped}`;
  }

  /** Behind `$` or a backtick. Only `${NAME:-default}` of this very name has a value that needs no shell. */
  private readExpansion(opener: string, quoted: boolean): void {
    const next = this.text[this.at] ?? '';
    if (opener === '`' || next === '(') throw new CommandInWord();
    // A continued line changes what the dollar stands before.
    if (this.text.startsWith('\\\n', this.at)) this.computed = true;
    const ownDefault = `{${this.name}:-`;
    if (this.text.startsWith(ownDefault, this.at)) {
      this.at += ownDefault.length;
      if (quoted) this.readQuotedDefault();
      else this.readUnquotedDefault();
    } else if (next === '{') {
      this.computed = true;
      this.takeUntil('}');
    } else if (/[A-Za-z0-9_?!#@*$[-]/.test(next) || (!quoted && (next === "'" || next === '"'))) {
      this.computed = true;
    } else {
      this.value += '$';
    }
  }

  private readUnquotedDefault(): void {
    if (this.text[this.at] === '~') this.computed = true;
    for (;;) {
      const next = this.text[this.at];
      if (next === undefined) throw new NotData();
      if (next === '}') break;
      this.readUnquoted(next);
    }
    this.at += 1;
  }

  /** In `"${NAME:-…}"` single quotes must pair up but stay, and double quotes go. */
  private readQuotedDefault(): void {
    for (;;) {
      const next = this.take();
      if (next === '}') return;
      if (next === '"') this.readDoubleQuoted();
      else if (next === "'") {
        const inner = this.takeUntil("'");
        if (/["\\$`}]/.test(inner)) this.computed = true;
        this.value += `'${inner}'`;
      } else if (next === '\\') this.readEscaped((escaped) => '$`"\\}'.includes(escaped));
      else if (next === '$' || next === '`') this.readExpansion(next, true);
      else this.value += next;
    }
  }

  private take(): string {
    const next = this.text[this.at];
    if (next === undefined) throw new NotData();
    this.at += 1;
    return next;
  }

  private takeUntil(closing: string): string {
    const end = this.text.indexOf(closing, this.at);
    if (end < 0) throw new NotData();
    const taken = this.text.slice(this.at, end);
    this.at = end + 1;
    return taken;
  }
}
