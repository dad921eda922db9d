import type { TextFile } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';

/** Caches what is worked out from one file: every target is judged by the same libraries. */
export function perFile<Result>(work: (file: TextFile) => Result): (file: TextFile) => Result {
  const known = new WeakMap<TextFile, Result>();
  return (file) => {
    let result = known.get(file);
    if (result === undefined) {
      result = work(file);
      known.set(file, result);
    }
    return result;
  };
}

export interface CodeLine {
  /** Counted from 1. */
  number: number;
  text: string;
}

/** The functions of a shell file by name, what stands outside of them, and the libraries that it sources. */
export interface ShellCode {
  functions: ReadonlyMap<string, readonly CodeLine[]>;
  top: readonly CodeLine[];
  sources: readonly string[];
}

export const isShell = (path: string, { contents }: TextFile): boolean =>
  path.endsWith('.sh') || /^#!.*\b(?:ba)?sh\b/.test(contents);

/** The lines that are code: no comments, nothing between the markers of derived text. */
export const codeLines = perFile(({ contents }): readonly CodeLine[] => {
  const lines: CodeLine[] = [];
  let isDerived = false;
  for (const [index, text] of contents.split('\n').entries()) {
    if (text.includes('>>> GENERATED')) isDerived = true;
    else if (text.includes('<<< END GENERATED')) isDerived = false;
    else if (!isDerived && !/^\s*(#|$)/.test(text)) {
      lines.push({ number: index + 1, text: withoutComment(text) });
    }
  }
  return lines;
});

/** A `#` behind a blank starts a comment where it is outside of quotes. */
function withoutComment(line: string): string {
  for (const { index } of line.matchAll(/\s#\s/g)) {
    const before = line.slice(0, index).replace(/\\./g, '');
    if (isEven(before, '"') && isEven(before, "'")) return line.slice(0, index);
  }
  return line;
}

const isEven = (text: string, quote: string) => text.split(quote).length % 2 === 1;

const FUNCTION = /^(\s*)(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\)\s*\{(.*)$/;
const SOURCE = /(?:^|[\s;&|{])(?:\.|source)\s+"?\$\{?DO_DIR\}?\/(lib\/[\w.-]+\.sh)/g;

/** Splits a shell file into its functions, by the way that they are written: the closing brace stands as deep as the name. */
export const shellCode = perFile((file): ShellCode => {
  const functions = new Map<string, CodeLine[]>();
  const top: CodeLine[] = [];
  let open: { lines: CodeLine[]; end: string } | undefined;
  for (const line of codeLines(file)) {
    if (open) {
      if (line.text.trimEnd() === open.end) open = undefined;
      else open.lines.push(line);
      continue;
    }
    const [, indent = '', name, rest = ''] = FUNCTION.exec(line.text) ?? [];
    if (name === undefined) {
      top.push(line);
      continue;
    }
    const lines = [...(functions.get(name) ?? [])];
    functions.set(name, lines);
    if (/\}\s*$/.test(rest)) lines.push({ number: line.number, text: rest.replace(/\}\s*$/, '') });
    else open = { lines, end: `${indent}}` };
  }
  const sources = codeLines(file).flatMap(({ text }) =>
    [...text.matchAll(SOURCE)].map(([, name = '']) => name),
  );
  return { functions, top, sources };
});

/** The shell files among `paths`, with every library that they source, and so on. */
export function withSources(files: FileTree, paths: readonly string[]): Map<string, TextFile> {
  const open = [...paths];
  const found = new Map<string, TextFile>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = files.get(path);
    if (!file || found.has(path) || !isShell(path, file)) continue;
    found.set(path, file);
    open.push(...shellCode(file).sources.map((source) => `do/${source}`));
  }
  return found;
}

/** The words behind a command's name, up to the end of the command; quotes stay. */
export function commandWords(text: string): string[] {
  const words: string[] = [];
  const pattern = /[ \t]+((?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s;&|<>()"'])+)/y;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) words.push(match[1] ?? '');
  return words;
}
