import { relative } from 'node:path';
import { withProjectPacks } from '../authoring/index.js';
import { loadCatalog } from '../catalog/index.js';
import { type ConflictMode, regenerate, releaseNotes, type UpdateResult } from '../update/index.js';
import { updateDiff, updateJson, updateReport } from './update-report.js';

/** The options of a regenerate, as both shells give them. */
export interface RegenerateFlags {
  conflict?: ConflictMode;
  resolved?: string[];
  restore?: string[];
  allowDowngrade?: boolean;
  dryRun?: boolean;
  diff?: boolean;
  check?: boolean;
  json?: boolean;
}

/** Runs a regenerate and returns what to print and the exit code: 0, or 3 when a person has to decide. */
export async function regenerateProject(
  folder: string,
  flags: RegenerateFlags,
  context: { targetDirs: readonly string[]; colour: boolean; cwd: string },
): Promise<{ output: string; code: 0 | 3 }> {
  const dryRun = Boolean(flags.dryRun || flags.check);
  const result = await regenerate(folder, {
    catalog: withProjectPacks(folder, loadCatalog({ targetDirs: context.targetDirs })),
    dryRun,
    resolved: flags.resolved ?? [],
    restore: flags.restore ?? [],
    allowDowngrade: flags.allowDowngrade ?? false,
    ...(flags.conflict ? { conflict: flags.conflict } : {}),
  });
  const isUndecided = result.pending.length > 0 || (flags.check && result.changes.length > 0);
  return {
    output: flags.json
      ? updateJson(result, Boolean(flags.diff))
      : text(result, flags, { dryRun, colour: context.colour, folder: relative(context.cwd, folder) }),
    code: isUndecided ? 3 : 0,
  };
}

function text(
  result: UpdateResult,
  flags: RegenerateFlags,
  { colour, ...view }: { dryRun: boolean; colour: boolean; folder: string },
): string {
  const { from, to } = result.version;
  const heading = `regenerate ${from === to ? to : `${from} to ${to}`}`;
  const notes = releaseNotes(from, to);
  const diff = flags.diff ? updateDiff(result.entries, colour) : '';
  return [
    ...(notes === '' ? [] : [notes, '']),
    ...updateReport(heading, result, view),
    ...(diff === '' ? [] : ['', diff]),
    '',
  ].join('\n');
}
