import type { Catalog, Fault, TextFile } from '../catalog/index.js';
import { headerFaults, parseHeader, verbs } from '../contract/index.js';
import type { FileTree } from '../project/index.js';
import type { Comparison } from './derived-text.js';
import { type Authority, type Finding, finding } from './finding.js';
import { applyHunks, hunksIn, type Range } from './regions.js';

const CONFIG_PATH = 'do/config';
const MARKER = '# @mlcc-script';

/** The headers of all scripts that have one or must have one, against the registry and the descriptors' verbs. */
export function compareHeaders(mine: FileTree, expected: FileTree, catalog: Catalog): Comparison {
  const findings: Finding[] = [];
  const mended = new Map<string, TextFile>();
  for (const [path, file] of mine) {
    const name = /^do\/([a-z][a-z0-9-]*)$/.exec(path)?.[1];
    if (name === undefined) continue;
    const isRegistered = verbs.some((verb) => verb.name === name);
    if (!isRegistered && !file.contents.includes(MARKER)) continue;
    const faults = faultsOf(path, file.contents, expected.get(path)?.contents, catalog);
    if (faults.length === 0) continue;
    const better = mend(path, file.contents, expected.get(path)?.contents, catalog);
    findings.push(...faults.map((fault) => headerFinding(fault, file.contents, name, better !== undefined)));
    if (better !== undefined) mended.set(path, { ...file, contents: better });
  }
  return { findings, mended };
}

function faultsOf(
  path: string,
  text: string,
  expected: string | undefined,
  catalog: Catalog,
): readonly Fault[] {
  const { header, faults } = parseHeader(path, text);
  if (!header) return faults;
  // Data has no command line.
  const usage = path === CONFIG_PATH ? [] : header.usage;
  const found = headerFaults(path, { ...header, usage }, catalog);
  return found.length === 0 && expected !== undefined ? editedWithoutCause(path, text, expected) : found;
}

/** A script that is as it was rendered is described as it was; who edits a script may say so in its header. */
function editedWithoutCause(path: string, text: string, expected: string): Fault[] {
  if (text === expected) return [];
  const [mine, wanted] = [text.split(/\r?\n/), expected.split('\n')];
  if (path !== CONFIG_PATH && !isSame(bodyOf(mine), bodyOf(wanted))) return [];
  const [hunk] = hunksIn(mine, wanted, partsOfHeader(wanted).at(-1) as Range);
  if (!hunk) return [];
  const [found, want] = [mine[hunk.mine.start], wanted[hunk.expected.start]].map(
    (line) => line?.trim() ?? '',
  );
  const message = `usage: found "${found}"; the script is unchanged, and its header had "${want}"`;
  return [{ file: path, pointer: '', message }];
}

/** What stands behind the leading comment. */
const bodyOf = (lines: readonly string[]): readonly string[] =>
  lines.slice(lines.findIndex((line) => line !== '' && !line.startsWith('#')));

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n');

function headerFinding({ file, message }: Fault, text: string, name: string, isFixable: boolean): Finding {
  const field = /^(?:the header has (?:no )?"# )?(type|guard|lifecycle|targets|usage):/.exec(message)?.[1];
  const authority: Authority = field === 'targets' ? 'verb-targets' : 'header';
  const start = field === undefined ? MARKER : `# ${field}:`;
  const index = text.split(/\r?\n/).findIndex((line) => line.startsWith(start));
  const source =
    field === 'targets' ? `do/targets.d/*/manifest.json#/verbs/${name}` : `the contract of do/${name}`;
  const where = { file, line: index < 0 ? 1 : index + 1, field: source };
  return finding(authority, where, message, isFixable ? undefined : `correct the header of ${file}`);
}

/** The text with as little of its header as possible taken from the render; undefined where that does not help. */
function mend(
  path: string,
  text: string,
  expected: string | undefined,
  catalog: Catalog,
): string | undefined {
  if (expected === undefined) return undefined;
  const [mine, wanted] = [text.split('\n'), expected.split('\n')];
  const candidates = partsOfHeader(wanted).map((part) =>
    applyHunks(mine, wanted, hunksIn(mine, wanted, part)).join('\n'),
  );
  return candidates.find((candidate) => faultsOf(path, candidate, expected, catalog).length === 0);
}

/** The fields with one value each; those and the usage; all of it, with the description before it. */
function partsOfHeader(lines: readonly string[]): Range[] {
  const marker = lines.indexOf(MARKER);
  const usage = lines.findIndex((line) => line.startsWith('# usage:'));
  // With the line behind it: a line too many stands in front of that one.
  const end = lines.findIndex((line, index) => index > usage && !line.startsWith('#        ')) + 1;
  const description = lines.slice(0, marker).findLastIndex((line) => /^# \S/.test(line));
  return [
    { start: marker, end: usage },
    { start: marker, end },
    { start: description, end },
  ];
}
