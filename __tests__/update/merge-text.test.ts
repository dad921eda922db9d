import { describe, expect, test } from '@jest/globals';
import { hasMarkers, mergeText } from '../../lib/update/merge-text.js';

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const BASE = text('a', 'b', 'c', 'd', 'e');

describe('a three-way merge of text', () => {
  test.each<[string, string, string, string]>([
    [
      'the same change on both sides',
      text('a', 'B', 'c', 'd', 'e'),
      text('a', 'B', 'c', 'd', 'E'),
      text('a', 'B', 'c', 'd', 'E'),
    ],
    [
      'the same line removed on both sides',
      text('a', 'c', 'd', 'e'),
      text('a', 'c', 'd', 'E'),
      text('a', 'c', 'd', 'E'),
    ],
    [
      'the same line added on both sides',
      text('a', 'x', 'b', 'c', 'd', 'e'),
      text('a', 'x', 'b', 'c', 'd'),
      text('a', 'x', 'b', 'c', 'd'),
    ],
    [
      'a last newline that is missing',
      BASE.trimEnd(),
      text('A', 'b', 'c', 'd', 'e'),
      text('A', 'b', 'c', 'd', 'e').trimEnd(),
    ],
    [
      'CRLF on disk',
      BASE.replaceAll('\n', '\r\n'),
      text('A', 'b', 'c', 'd', 'e'),
      'A\r\nb\r\nc\r\nd\r\ne\r\n',
    ],
    ['mixed line ends that nothing touches', 'a\r\nb\nc\nd\ne\n', BASE, 'a\r\nb\nc\nd\ne\n'],
    ['an empty file', '', BASE, ''],
  ])('%s: no conflict', (_, mine, theirs, result) => {
    expect(mergeText(BASE, mine, theirs)).toEqual({ text: result, conflict: false });
  });

  test.each([
    ['the same line', text('a', 'B', 'c', 'd', 'e'), text('a', 'X', 'c', 'd', 'e')],
    ['a line that one removes and one changes', text('a', 'c', 'd', 'e'), text('a', 'X', 'c', 'd', 'e')],
    ['lines next to each other', text('a', 'B', 'c', 'd', 'e'), text('a', 'b', 'X', 'd', 'e')],
    ['lines added at the same place', `${BASE}mine\n`, `${BASE}theirs\n`],
  ])('%s: a conflict that shows both', (_, mine, theirs) => {
    const merged = mergeText(BASE, mine, theirs);
    expect(merged.conflict).toBe(true);
    expect(hasMarkers(merged.text)).toBe(true);
    expect(hasMarkers(mergeText(BASE, mine.replaceAll('\n', '\r\n'), theirs).text)).toBe(true);
  });

  test('a text about markers has none', () => {
    expect(hasMarkers('Git writes <<<<<<< mine and >>>>>>> generator.\n')).toBe(false);
  });
});
