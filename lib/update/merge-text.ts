import { diff3Merge } from 'node-diff3';

/** A merged text, or one in which both sides changed the same place; then `text` has conflict markers. */
export interface MergedText {
  text: string;
  conflict: boolean;
}

const BEGIN = '<<<<<<< mine';
const END = '>>>>>>> generator';

/** Whether a text still shows both sides of a conflict. */
export const hasMarkers = (text: string): boolean => text.includes(BEGIN) && text.includes(END);

/**
 * Line-based three-way merge. A file whose lines all end in CRLF on disk is no other text than the same with LF, and keeps
 * its line ends.
 */
export function mergeText(base: string, mine: string, theirs: string): MergedText {
  const crlf = usesCrlf(mine);
  const [a, b, c] = [base, mine, theirs].map(withLf) as [string, string, string];
  const merged = mergeLf(a, b, c);
  return crlf ? { ...merged, text: withCrlf(merged.text) } : merged;
}

/** Whether two texts are the same but for CRLF line ends. */
export const sameText = (a: string, b: string): boolean => a === b || withLf(a) === withLf(b);

function mergeLf(base: string, mine: string, theirs: string): MergedText {
  if (mine === theirs || theirs === base) return { text: mine, conflict: false };
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

const usesCrlf = (text: string): boolean => text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
const withLf = (text: string): string => text.replaceAll('\r\n', '\n');
const withCrlf = (text: string): string => withLf(text).replaceAll('\n', '\r\n');
