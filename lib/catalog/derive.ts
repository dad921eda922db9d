import { camelCase } from './names.js';
import type { Catalog, Lifecycle, Param, Target, VerbName } from './types.js';

/*
 * What derives from the catalogue. Names and results are shared with do/lib/python/target_manifest.py and with the
 * generated do/lib/targets.sh; a test asks all three the same questions.
 */

/** status_var -> answer_key, for every target. */
export function statusVarToAnswerKey({ targets }: Catalog): Record<string, string> {
  return Object.fromEntries(targets.map(({ manifest }) => [manifest.status_var, manifest.answer_key]));
}

/** Every variable that some target's scripts write, sorted. */
export function runtimeOwnedVarsUnion({ targets }: Catalog): string[] {
  return sortedUnique(targets.flatMap(({ manifest }) => manifest.runtime_owned_vars));
}

/** The engine variables that tuning writes: prefix and dimension suffix of every engine, sorted. */
export function serveEngineRuntimeVarsUnion({ engines }: Catalog): string[] {
  return sortedUnique(
    engines.flatMap(({ manifest }) =>
      Object.values(manifest.dimension_map ?? {}).map((suffix) => `${manifest.env_var_prefix}${suffix}`),
    ),
  );
}

/** The shared variables that scripts write and that belong to no target or engine, sorted. */
export function sharedRuntimeVars({ variables }: Catalog): string[] {
  return sortedUnique(
    Object.keys(variables).filter((name) => variables[name]?.lifecycle === 'runtime-owned'),
  );
}

/** Alias -> canonical name. */
export function targetAliases({ targets }: Catalog): Record<string, string> {
  return Object.fromEntries(
    targets.flatMap(({ manifest }) => manifest.aliases.map((alias) => [alias, manifest.target])),
  );
}

export interface TargetSchema {
  required: readonly string[];
  optional: Readonly<Record<string, string>>;
}

/** Target -> the variables that its deploy needs and may be given. */
export function schemas({ targets }: Catalog): Record<string, TargetSchema> {
  return Object.fromEntries(
    targets.map(({ manifest }) => [
      manifest.target,
      { required: manifest.required_vars, optional: manifest.optional_vars },
    ]),
  );
}

/** Target -> its status variable. */
export function statusVars({ targets }: Catalog): Record<string, string> {
  return Object.fromEntries(targets.map(({ manifest }) => [manifest.target, manifest.status_var]));
}

/** The targets that a target-restricted verb applies to. */
export function verbTargets({ targets }: Catalog, verb: VerbName): string[] {
  return targets.filter(({ manifest }) => manifest.verbs[verb]).map(({ manifest }) => manifest.target);
}

/** The target of a canonical name or alias. */
export function findTarget({ targets }: Catalog, name: string): Target | undefined {
  return targets.find(({ manifest }) => manifest.target === name || manifest.aliases.includes(name));
}

/** How a variable of a target is asked for: the target's own words, else the shared ones; undefined: it never is. */
export function paramOf({ variables }: Catalog, target: Target, variable: string): Param | undefined {
  const own = target.manifest.params?.[variable];
  if (own) return own;
  const shared = variables[variable];
  if (!shared) return undefined;
  const { lifecycle: _lifecycle, answer: _answer, default: _default, ...param } = shared;
  return param;
}

/** The variables of a target in the order in which its descriptor names them, required ones first. */
export function variablesOf({ manifest }: Target): string[] {
  return [...manifest.required_vars, ...Object.keys(manifest.optional_vars)];
}

/** do/config variable -> answer key, for every variable that can be read back into the answers. */
export function shellVarToAnswer(catalog: Catalog): Record<string, string> {
  const shared = Object.entries(catalog.variables).flatMap(([name, { answer }]) =>
    answer ? [[name, answer]] : [],
  );
  const params = catalog.targets.flatMap((target) =>
    variablesOf(target)
      .filter((name) => !catalog.variables[name])
      .map((name) => [name, camelCase(name)]),
  );
  return Object.fromEntries([...params, ...shared, ...Object.entries(statusVarToAnswerKey(catalog))]);
}

/** A key's lifecycle: runtime-owned as soon as anybody says so; undefined: the user's own. */
export function lifecycleOf(catalog: Catalog, variable: string): Lifecycle | undefined {
  if (runtimeOwned(catalog).has(variable)) return 'runtime-owned';
  if (
    catalog.variables[variable] ||
    catalog.targets.some((target) => variablesOf(target).includes(variable))
  ) {
    return 'template-owned';
  }
  return undefined;
}

const runtimeOwnedCache = new WeakMap<Catalog, ReadonlySet<string>>();

/** Every variable that scripts write, whoever says so. */
export function runtimeOwned(catalog: Catalog): ReadonlySet<string> {
  let names = runtimeOwnedCache.get(catalog);
  if (!names) {
    names = new Set([
      ...runtimeOwnedVarsUnion(catalog),
      ...serveEngineRuntimeVarsUnion(catalog),
      ...sharedRuntimeVars(catalog),
    ]);
    runtimeOwnedCache.set(catalog, names);
  }
  return names;
}

const sortedUnique = (names: readonly string[]): string[] => [...new Set(names)].sort();
