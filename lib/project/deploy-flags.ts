import { type Catalog, paramOf, variablesOf } from '../catalog/index.js';

/**
 * The flags of do/deploy for the help text in its header: one paragraph for each flag, with every meaning that targets
 * give it. Comment lines of a shell script.
 */
export function deployFlagsHelp(catalog: Catalog): string {
  const flags = new Map<string, Map<string, string[]>>();
  for (const target of catalog.targets) {
    for (const variable of variablesOf(target)) {
      const param = paramOf(catalog, target, variable);
      if (!param?.flag) continue;
      const choices = param.enum ? ` (${param.enum.join(', ')})` : '';
      const meaning = `${param.description}${choices}`;
      const meanings = flags.get(param.flag) ?? new Map<string, string[]>();
      meanings.set(meaning, [...(meanings.get(meaning) ?? []), target.manifest.target]);
      flags.set(param.flag, meanings);
    }
  }
  return [...flags]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([flag, meanings]) => lines(flag, meanings))
    .join('\n');
}

function lines(flag: string, meanings: ReadonlyMap<string, readonly string[]>): string[] {
  return [
    `#   --${flag} VALUE`,
    ...[...meanings].flatMap(([meaning, targets]) => [
      `#       ${meaning}`,
      `#       On ${targets.join(', ')}.`,
    ]),
  ];
}
