import { escapePointer, type Fault } from './faults.js';
import { flagFaults } from './flag-checks.js';
import { fileOf, folderName, prefixWarnings, targetFaults } from './target-checks.js';
import type { Catalog, Engine } from './types.js';

/** Faults and warnings that no single descriptor shows: what two descriptors, or two of its fields, say about each other. */
export function crossChecks(catalog: Catalog): { faults: Fault[]; warnings: Fault[] } {
  const { targets, engines, variables } = catalog;
  return {
    faults: [
      ...targets.flatMap((target) => targetFaults(target, variables)),
      ...unique(targets, 'status_var', (t) => [t.manifest.status_var]),
      ...unique(targets, 'answer_key', (t) => [t.manifest.answer_key]),
      ...unique(targets, 'target', (t) => [t.manifest.target, ...t.manifest.aliases]),
      ...flagFaults(catalog),
      ...engines.flatMap(engineFaults),
      ...unique(engines, 'env_var_prefix', (e) => [e.manifest.env_var_prefix]),
    ],
    warnings: targets.flatMap((target) => prefixWarnings(target, variables)),
  };
}

function engineFaults({ manifest, location }: Engine): Fault[] {
  const faults = folderName(location, 'engine', manifest.engine);
  const supported: readonly string[] = manifest.supported_algorithms;
  const fault = (pointer: string, message: string) =>
    faults.push({ file: fileOf(location), pointer, message });
  for (const name of supported) {
    if (!(name in manifest.algorithm_map))
      fault('/algorithm_map', `${name} (supported_algorithms) has no name there`);
  }
  for (const name of Object.keys(manifest.algorithm_map)) {
    if (!supported.includes(name))
      fault(`/algorithm_map/${escapePointer(name)}`, `${name} is not in supported_algorithms`);
  }
  return faults;
}

/** Every value that `values` gives must occur once in the whole catalogue; the fault names both sides. */
function unique<T extends { location: string }>(
  items: readonly T[],
  field: string,
  values: (item: T) => readonly string[],
): Fault[] {
  const owners = new Map<string, T>();
  const faults: Fault[] = [];
  for (const item of items) {
    for (const value of values(item)) {
      const owner = owners.get(value);
      if (owner) {
        const message = `"${value}" is taken by ${fileOf(owner.location)}`;
        faults.push({ file: fileOf(item.location), pointer: `/${field}`, message });
      } else owners.set(value, item);
    }
  }
  return faults;
}
