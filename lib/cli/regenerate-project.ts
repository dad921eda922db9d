import { loadCatalog } from '../catalog/index.js';
import { type ConflictMode, type RegenerateResult, regenerate, releaseNotes } from '../update/index.js';
import { updateDiff, updateReport } from './update-report.js';

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
  context: { targetDirs: readonly string[]; colour: boolean },
): Promise<{ output: string; code: 0 | 3 }> {
  const dryRun = Boolean(flags.dryRun || flags.check);
  const result = await regenerate(folder, {
    catalog: loadCatalog({ targetDirs: context.targetDirs }),
    dryRun,
    resolved: flags.resolved ?? [],
    restore: flags.restore ?? [],
    allowDowngrade: flags.allowDowngrade ?? false,
    ...(flags.conflict ? { conflict: flags.conflict } : {}),
  });
  const undecided = result.pending.length > 0 || (flags.check && result.changed);
  return {
    output: flags.json ? json(result) : text(result, flags, dryRun, context.colour),
    code: undecided ? 3 : 0,
  };
}

function text(result: RegenerateResult, flags: RegenerateFlags, dryRun: boolean, colour: boolean): string {
  const notes = releaseNotes(result.version.from, result.version.to);
  const parts = [updateReport(result, dryRun).join('\n')];
  if (notes !== '') parts.unshift(notes, '');
  if (flags.diff) parts.push('', updateDiff(result.entries, colour));
  return `${parts.join('\n')}\n`;
}

function json({ entries, notes, pending, version, changed }: RegenerateResult): string {
  const files = entries.map(({ path, kind }) => ({ path, kind }));
  return `${JSON.stringify({ version, changed, files, notes, pending }, null, 2)}\n`;
}
