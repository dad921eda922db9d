import { diffIndices } from 'node-diff3';

/** Lines `start` to `end` (exclusive), counted from 0. */
export interface Range {
  start: number;
  end: number;
}

/** A derived part of a text: its name, and its lines with the markers around it. */
export interface Region extends Range {
  name: string;
}

/** A place where two texts differ. */
export interface Hunk {
  mine: Range;
  expected: Range;
}

const BEGIN = /^(?:#|<!--) >>> GENERATED(?: ([a-z-]+))?/;
const END = /^\s*(?:#|<!--) <<< END GENERATED/;

/** The generated blocks of a rendered text. One that is "GENERATED from" something is the whole file. */
export function regionsOf(lines: readonly string[], path: string): Region[] {
  const regions: Region[] = [];
  let open: { name: string; start: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const begin = BEGIN.exec(line);
    if (begin && !open) open = { name: begin[1] ?? path, start: index };
    else if (open && END.test(line)) {
      regions.push({ ...open, end: index + 1 });
      open = undefined;
    }
  }
  return regions.map((region) =>
    region.name === 'from' ? { name: path, start: 0, end: lines.length } : region,
  );
}

/**
 * Where `mine` differs from a region of `expected`. A block whose markers are intact is compared wherever it stands; else
 * what differs there is what a line-based comparison of the whole texts finds in the region.
 */
export function hunksIn(mine: readonly string[], expected: readonly string[], region: Range): Hunk[] {
  const block = intactBlock(mine, expected, region);
  if (block) {
    const parts = [mine.slice(block.start, block.end), expected.slice(region.start, region.end)] as const;
    return differences(...parts).map((hunk) => ({
      mine: moved(hunk.mine, block.start),
      expected: moved(hunk.expected, region.start),
    }));
  }
  const hunks = differences(mine, expected);
  if (isWhole(region, expected)) return hunks;
  return hunks
    .filter(({ expected: { start, end } }) =>
      start === end ? start > region.start && start < region.end : start < region.end && end > region.start,
    )
    .map((hunk) => atEdge(hunk, mine, region));
}

/**
 * Where a marker is damaged, the lines beside it may be a person's: at the edge of a region, only lines that look like a
 * marker are replaced, and everything else stays outside.
 */
function atEdge(hunk: Hunk, mine: readonly string[], region: Range): Hunk {
  const expected = {
    start: Math.max(hunk.expected.start, region.start),
    end: Math.min(hunk.expected.end, region.end),
  };
  const [hasStart, hasEnd] = [expected.start === region.start, expected.end === region.end];
  if (expected.start >= expected.end || !(hasStart || hasEnd)) return hunk;
  const { start, end } = hunk.mine;
  const isMarker = (line: string) => line.includes('GENERATED');
  const markers = mine.slice(start, end);
  const [first, last] = [markers.findIndex(isMarker), markers.findLastIndex(isMarker)];
  if (first >= 0) return { expected, mine: { start: start + first, end: start + last + 1 } };
  return { expected, mine: hasStart ? { start: end, end } : { start, end: start } };
}

/** `mine` with the hunks taken from `expected`. */
export function applyHunks(
  mine: readonly string[],
  expected: readonly string[],
  hunks: readonly Hunk[],
): string[] {
  const lines = [...mine];
  for (const hunk of [...hunks].sort((a, b) => b.mine.start - a.mine.start)) {
    const { start, end } = hunk.mine;
    lines.splice(start, end - start, ...expected.slice(hunk.expected.start, hunk.expected.end));
  }
  return lines;
}

/** The block of `mine` that has the region's opening line once, and its closing line before any other opening one. */
function intactBlock(mine: readonly string[], expected: readonly string[], region: Range): Range | undefined {
  const opening = expected[region.start] ?? '';
  const start = mine.indexOf(opening);
  if (!BEGIN.test(opening) || start < 0 || mine.lastIndexOf(opening) !== start) return undefined;
  for (let index = start + 1; index < mine.length; index += 1) {
    const line = mine[index] ?? '';
    if (BEGIN.test(line)) return undefined;
    if (line !== expected[region.end - 1]) continue;
    // A closing line too many belongs to the block that it closes once more.
    let end = index + 1;
    while (mine[end] === line) end += 1;
    return { start, end };
  }
  return undefined;
}

/** Line-based; what both begin and end with is left out of the search. */
function differences(mine: readonly string[], expected: readonly string[]): Hunk[] {
  const shorter = Math.min(mine.length, expected.length);
  let same = 0;
  while (same < shorter && mine[same] === expected[same]) same += 1;
  let tail = 0;
  while (tail < shorter - same && mine.at(-1 - tail) === expected.at(-1 - tail)) tail += 1;
  const middle = (lines: readonly string[]) => lines.slice(same, lines.length - tail);
  return diffIndices(middle(mine), middle(expected)).map(({ buffer1, buffer2 }) => ({
    mine: moved({ start: buffer1[0], end: buffer1[0] + buffer1[1] }, same),
    expected: moved({ start: buffer2[0], end: buffer2[0] + buffer2[1] }, same),
  }));
}

const isWhole = (region: Range, lines: readonly string[]) =>
  region.start === 0 && region.end === lines.length;
const moved = ({ start, end }: Range, by: number): Range => ({ start: start + by, end: end + by });
