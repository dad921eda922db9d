import type { Fault } from './faults.js';
import { RESERVED_FLAGS } from './names.js';
import { fileOf } from './target-checks.js';
import type { Catalog, Param } from './types.js';

/** What a flag was first declared as, and where. */
interface Declared {
  file: string;
  meaning: string;
}

/**
 * A flag may set another variable per target, but must ask the same question: kind of value, and values allowed. One that
 * every project has, or that a command has itself, belongs to nobody else.
 */
export function flagFaults({ targets, variables }: Catalog): Fault[] {
  const owners = new Map(
    Object.entries(variables).flatMap(([name, { flag }]) => (flag ? [[flag, name] as const] : [])),
  );
  const seen = new Map<string, Declared>();
  const faults: Fault[] = [];
  for (const { manifest, location } of targets) {
    const file = fileOf(location);
    const within = new Map<string, string>();
    for (const [variable, param] of Object.entries(manifest.params ?? {})) {
      const { flag } = param;
      if (!flag) continue;
      const fault = (message: string) =>
        faults.push({ file, pointer: `/params/${variable}/flag`, message: `--${flag} ${message}` });
      const other = within.get(flag);
      if (other) fault(`also sets ${other}`);
      within.set(flag, variable);

      const owner = owners.get(flag);
      if (RESERVED_FLAGS.includes(flag)) fault('is a flag of the commands themselves');
      else if (owner && owner !== variable)
        fault(`sets ${owner} in every project (targets.d/variables.json)`);

      const meaning = meaningOf(param);
      const first = seen.get(flag);
      if (!first) seen.set(flag, { file, meaning });
      else if (first.meaning !== meaning)
        fault(`means ${meaning} here and ${first.meaning} in ${first.file}`);
    }
  }
  return faults;
}

const meaningOf = (param: Param): string => (param.enum ? `one of ${param.enum.join(', ')}` : 'free text');
