import { diff3Merge } from 'node-diff3';

/** A merged text, or one in which both sides changed the same place; then `text` has conflict markers. */
export interface MergedText {
  text: string;
  conflict: boolean;
}

const BEGIN = '<<<<<<< mine';
const END = '>>>>>>> generator';

/** Whether a text still shows both sides of a conflict. */
export function hasMarkers(text: string): boolean {
  const lines = withLf(text).split('\n');
  return lines.includes(BEGIN) && lines.includes(END);
}

/**
 * Line-based three-way merge. CRLF line ends on disk are no difference: where nothing else changes they stay, and a file that
 * has only CRLF keeps it.
 */
export function mergeText(base: string, mine: string, theirs: string): MergedText {
  if (sameText(theirs, base) || sameText(theirs, mine)) return { text: mine, conflict: false };
  const merged = mergeLines(withLf(base), withLf(mine), withLf(theirs));
  return hasOnlyCrlf(mine) ? { ...merged, text: merged.text.replaceAll('\n', '\r\n') } : merged;
}

/** Whether two texts are the same but for CRLF line ends. */
export const sameText = (a: string, b: string): boolean => a === b || withLf(a) === withLf(b);

export const withLf = (text: string): string => text.replaceAll('\r\n', '\n');

function mergeLines(base: string, mine: string, theirs: string): MergedText {
  if (mine === base) return { text: theirs, conflict: false };
  const regions = diff3Merge(mine.split('\n'), base.split('\n'), theirs.split('\n'), {
    excludeFalseConflicts: true,
  });
  const conflict = regions.some((region) => region.conflict !== undefined);
  const lines = regions.flatMap(({ ok, conflict: both }) => {
    if (ok) return ok;
    return both ? [BEGIN, ...both.a, '=======', ...both.b, END] : [];
  });
  return { text: lines.join('\n'), conflict };
}

const hasOnlyCrlf = (text: string): boolean => text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
