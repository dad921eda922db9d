import { createTwoFilesPatch } from 'diff';
import type { PlanEntry, RegenerateResult } from '../update/index.js';

const WORDS: Readonly<Record<PlanEntry['kind'], string>> = {
  create: 'new',
  update: 'updated',
  merge: 'merged',
  restore: 'restored',
  remove: 'removed',
  conflict: 'CONFLICT',
  'in-the-way': 'IN THE WAY',
  marked: 'CONFLICT',
  dropped: 'DROPPED',
  deleted: 'still deleted',
};

/** What a regenerate did, or would do, as lines: one per file, then notes, then what waits for a decision. */
export function updateReport(
  { entries, notes, pending, version, changed }: RegenerateResult,
  dryRun: boolean,
): string[] {
  const lines = entries.map((entry) => `  ${WORDS[entry.kind].padEnd(13)} ${entry.path}`);
  if (notes.length > 0) lines.push('', ...notes.map((note) => `  note: ${note}`));
  if (pending.length > 0) {
    lines.push('', 'These wait for your decision:');
    lines.push(
      ...pending.map((path) => `  ${advice(path, entries.find((entry) => entry.path === path)?.kind)}`),
    );
  }
  const from = version.from === version.to ? version.to : `${version.from} to ${version.to}`;
  const outcome = !changed ? 'nothing to do' : dryRun ? 'nothing was written (dry run)' : 'done';
  return [`regenerate ${from}: ${outcome}`, ...lines];
}

function advice(path: string, kind: PlanEntry['kind'] | undefined): string {
  const after = `then: mlcc regenerate --resolved ${path}`;
  if (kind === 'dropped')
    return `${path}: the template dropped it and you edited it; keep or delete it, ${after}`;
  if (kind === 'marked') return `${path}: both sides are between markers in it; edit it, ${after}`;
  return `${path}: compare it with ${path}.mlcc-new, ${after}`;
}

/** The changes as a unified diff, coloured for a terminal. */
export function updateDiff(entries: readonly PlanEntry[], colour: boolean): string {
  const text = entries.map(entryDiff).join('');
  return colour ? text.split('\n').map(coloured).join('\n') : text;
}

function entryDiff(entry: PlanEntry): string {
  if (entry.kind === 'deleted' || entry.kind === 'dropped') return '';
  const before = entry.before?.contents;
  const after =
    'proposal' in entry ? entry.proposal.contents : 'after' in entry ? entry.after.contents : undefined;
  if (before === after) return `${entry.path}: the executable bit\n`;
  const name = 'proposal' in entry ? `${entry.path}.mlcc-new` : entry.path;
  const from = before === undefined ? '/dev/null' : `a/${entry.path}`;
  const to = after === undefined ? '/dev/null' : `b/${name}`;
  return createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context: 3 });
}

const RED = '\u001b[31m';
const GREEN = '\u001b[32m';
const RESET = '\u001b[0m';

function coloured(line: string): string {
  if (line.startsWith('+') && !line.startsWith('+++')) return `${GREEN}${line}${RESET}`;
  if (line.startsWith('-') && !line.startsWith('---')) return `${RED}${line}${RESET}`;
  return line;
}
