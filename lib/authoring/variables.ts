import { type Catalog, type Param, RESERVED_FLAGS, type Target, variablesOf } from '../catalog/index.js';
import { secretKind } from '../config/index.js';
import { allOptions } from '../project/index.js';
import type { Kind, Stub } from './stubs.js';

export interface Variables {
  required: string[];
  optional: Record<string, string>;
}

/** The variables of a new target: those of its kind, and what was asked for beside or instead. Adds to `faults`. */
export function variablesFrom(
  stub: Stub,
  given: { required: readonly string[]; optional: readonly string[] },
  faults: string[],
): Variables {
  const defaults = given.optional.flatMap((text): [string, string][] => {
    const [, name, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [[name, value]];
    faults.push(
      `--optional ${text}: write it as VARIABLE=DEFAULT, with nothing behind = for an empty default`,
    );
    return [];
  });
  for (const [name, value] of defaults) {
    const kind = secretKind(value);
    if (kind)
      faults.push(`--optional ${name}: the default looks like ${kind}; give the ARN of a secret instead`);
    if (given.required.includes(name)) faults.push(`${name} is both --required and --optional`);
  }
  // What the author says about a variable wins over what the kind says.
  const isGiven = (name: string) =>
    given.required.includes(name) || defaults.some(([other]) => other === name);
  return {
    required: [...new Set([...stub.required_vars.filter((name) => !isGiven(name)), ...given.required])],
    optional: Object.fromEntries([
      ...Object.entries(stub.optional_vars).filter(([name]) => !isGiven(name)),
      ...defaults,
    ]),
  };
}

/** How the variables are asked for, and which of them got words that only the author can replace. */
export interface Params {
  params: Record<string, Param>;
  invented: string[];
}

/** A variable is asked for as the most similar target asks for it; one that nobody knows gets a plain question. */
export function paramsFor(stub: Stub, { required, optional }: Variables, catalog: Catalog): Params {
  const alike = [...catalog.targets].sort((a, b) => likeness(b, stub) - likeness(a, stub));
  const flags = new Set([...RESERVED_FLAGS, ...allOptions(catalog).map(({ flag }) => flag)]);
  const params: Record<string, Param> = {};
  const invented: string[] = [];
  for (const name of [...required, ...Object.keys(optional)]) {
    const known = alike.find((target) => variablesOf(target).includes(name));
    const param = stub.params[name] ?? known?.manifest.params?.[name];
    if (param) params[name] = param;
    else if (!known && !catalog.variables[name]) {
      params[name] = plainParam(name, required.includes(name), flags);
      invented.push(name);
    }
  }
  return { params, invented };
}

function likeness({ manifest }: Target, kind: Kind): number {
  if (manifest.family !== kind.family) return 0;
  return 1 + Number(manifest.invocation === kind.invocation) + Number(manifest.workload === kind.workload);
}

/** Without a flag where that one means something else already. */
function plainParam(name: string, isRequired: boolean, flags: ReadonlySet<string>): Param {
  const flag = name.toLowerCase().replace(/_+/g, '-');
  return {
    ...(flags.has(flag) ? {} : { flag }),
    ...(isRequired ? { prompt: name } : {}),
    description: `${name} of the target.`,
  };
}
