import { createTwoFilesPatch } from 'diff';
import { quoteShell } from '../shell/index.js';
import { type PlanEntry, sideFile, type UpdateResult } from '../update/index.js';

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
  kept: 'yours, kept',
  deleted: 'still deleted',
};

/**
 * What an update did, or would do, as lines: one per file, then notes, then what waits for a decision. `folder` is the project's
 * as the reader would type it; empty where the reader is.
 */
export function updateReport(
  heading: string,
  { entries, changes, notes, pending }: UpdateResult,
  { dryRun, folder }: { dryRun: boolean; folder: string },
): string[] {
  const lines = entries.map(({ path, kind }) => `  ${WORDS[kind].padEnd(13)} ${path}`);
  if (notes.length > 0) lines.push('', ...notes.map((note) => `  note: ${note}`));
  if (pending.length > 0) {
    lines.push('', 'These wait for your decision:');
    for (const path of pending) {
      const advice = adviceFor(path, entries.find((entry) => entry.path === path)?.kind);
      const command = [
        'mlcc regenerate',
        ...(folder === '' ? [] : [quoted(folder)]),
        '--resolved',
        quoted(path),
      ];
      lines.push(`  ${path}: ${advice}, then: ${command.join(' ')}`);
    }
  }
  const done = dryRun ? 'nothing was written (dry run)' : 'done';
  return [`${heading}: ${changes.length === 0 ? 'nothing to do' : done}`, ...lines];
}

function adviceFor(path: string, kind: PlanEntry['kind'] | undefined): string {
  if (kind === 'dropped') return 'the template dropped it and you edited it; keep or delete it';
  if (kind === 'marked') return 'both sides are between markers in it; leave what is right';
  if (kind === 'in-the-way')
    return `it was there and may be yours; take what you need from ${sideFile(path)}`;
  return `you and the template changed the same lines; take what you need from ${sideFile(path)}`;
}

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : quoteShell(path));

/** The same for programs. `written` and `removed` name every path that changes, side files and records included. */
export function updateJson(
  { entries, changes, notes, pending, version }: UpdateResult,
  withDiff: boolean,
): string {
  const data = {
    version,
    changed: changes.length > 0,
    files: entries.map(({ path, kind }) => ({ path, kind })),
    written: changes.flatMap(({ path, after }) => (after ? [path] : [])),
    removed: changes.flatMap(({ path, after }) => (after ? [] : [path])),
    notes,
    pending,
    ...(withDiff ? { diff: updateDiff(entries, false) } : {}),
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}

/** The changes as a unified diff, coloured for a terminal. What is only proposed is shown as the side file that holds it. */
export function updateDiff(entries: readonly PlanEntry[], colour: boolean): string {
  const text = entries.map(entryDiff).join('');
  return colour ? text.split('\n').map(coloured).join('\n') : text;
}

function entryDiff(entry: PlanEntry): string {
  const isProposal = 'proposal' in entry;
  if (!isProposal && !('after' in entry) && entry.kind !== 'remove') return '';
  const after = isProposal ? entry.proposal : 'after' in entry ? entry.after : undefined;
  const { path, before } = entry;
  if (before?.contents === after?.contents) {
    return before?.executable === after?.executable ? '' : `executable bit restored: ${path}\n`;
  }
  const from = before ? `a/${path}` : '/dev/null';
  const to = after ? `b/${isProposal ? sideFile(path) : path}` : '/dev/null';
  return createTwoFilesPatch(from, to, before?.contents ?? '', after?.contents ?? '', undefined, undefined, {
    context: 3,
  });
}

const RED = '\u001b[31m';
const GREEN = '\u001b[32m';
const RESET = '\u001b[0m';

function coloured(line: string): string {
  if (line.startsWith('+') && !line.startsWith('+++')) return `${GREEN}${line}${RESET}`;
  if (line.startsWith('-') && !line.startsWith('---')) return `${RED}${line}${RESET}`;
  return line;
}
