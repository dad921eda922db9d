import type { Catalog, TextFile } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';
import { sourceOf } from './derived-source.js';
import { FIX, type Finding, finding } from './finding.js';
import { applyHunks, type Hunk, hunksIn, type Region, regionsOf } from './regions.js';

/** What a comparison found, and the files as they should be: only those that differ. */
export interface Comparison {
  findings: Finding[];
  mended: Map<string, TextFile>;
}

/** The config has its own comparison: its derived lines hold state. */
const CONFIG_PATH = 'do/config';

/** Compares the generated files and blocks of a project with those of the render of its own descriptors. */
export function compareDerivedText(mine: FileTree, expected: FileTree, catalog: Catalog): Comparison {
  const findings: Finding[] = [];
  const mended = new Map<string, TextFile>();
  for (const [path, file] of expected) {
    if (path === CONFIG_PATH || !file.contents.includes('>>> GENERATED')) continue;
    const there = mine.get(path);
    if (there?.contents === file.contents) continue;
    const lines = file.contents.split('\n');
    const regions = regionsOf(lines, path);
    if (!there) {
      // Of a file with blocks in it, the blocks are not what is missed.
      if (regions.some(({ name }) => name !== path)) continue;
      findings.push(...missingFile(path, lines, regions, catalog));
      mended.set(path, file);
      continue;
    }
    const text = toLines(path, there.contents);
    const hunks = regions.flatMap((region) => {
      const some = hunksIn(text.lines, lines, region);
      findings.push(...findingsOf(path, text.lines, lines, region, some, catalog));
      return some;
    });
    if (hunks.length === 0) continue;
    const contents = applyHunks(text.lines, lines, hunks).join(text.lineEnd);
    mended.set(path, { ...there, contents });
  }
  return { findings, mended };
}

/** One finding for each field that the differing lines derive from. */
export function findingsOf(
  path: string,
  mine: readonly string[],
  expected: readonly string[],
  region: Region,
  hunks: readonly Hunk[],
  catalog: Catalog,
): Finding[] {
  const found = new Map<string, Finding>();
  for (const hunk of hunks) {
    const count = Math.max(hunk.mine.end - hunk.mine.start, hunk.expected.end - hunk.expected.start);
    for (let step = 0; step < count; step += 1) {
      const [have, want] = [at(mine, hunk.mine, step), at(expected, hunk.expected, step)];
      const source =
        want === undefined
          ? sourceOf(region.name, mine, hunk.mine.start + step, undefined, catalog)
          : sourceOf(region.name, expected, hunk.expected.start + step, have, catalog);
      const key = `${source.authority} ${source.field}`;
      if (found.has(key)) continue;
      const line = Math.min(hunk.mine.start + step, Math.max(hunk.mine.end - 1, hunk.mine.start)) + 1;
      found.set(
        key,
        finding(source.authority, { file: path, line, field: source.field }, difference(have, want)),
      );
    }
  }
  return [...found.values()];
}

function missingFile(path: string, lines: readonly string[], regions: readonly Region[], catalog: Catalog) {
  const sources = regions.map((region) => sourceOf(region.name, lines, region.start + 3, undefined, catalog));
  return sources.map(({ authority, field }) =>
    finding(authority, { file: path, field }, 'the file is missing', FIX),
  );
}

function difference(have: string | undefined, want: string | undefined): string {
  if (have === undefined) return `the line ${quoted(want)} is missing`;
  if (want === undefined) return `the line ${quoted(have)} derives from nothing`;
  return `found ${quoted(have)}; the descriptors give ${quoted(want)}`;
}

const LONGEST = 100;
const quoted = (line = ''): string => {
  const text = line.trim();
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
};

const at = (lines: readonly string[], { start, end }: { start: number; end: number }, step: number) =>
  start + step < end ? lines[start + step] : undefined;

/** In a document, Windows line ends are no difference; a script does not run with them. */
function toLines(path: string, contents: string): { lines: string[]; lineEnd: string } {
  const isCrlf = path.endsWith('.md') && contents.includes('\r\n');
  return { lines: contents.split(isCrlf ? /\r?\n/ : '\n'), lineEnd: isCrlf ? '\r\n' : '\n' };
}
