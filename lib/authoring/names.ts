import { type Catalog, findTarget, type Target } from '../catalog/index.js';
import { verbs } from '../contract/index.js';
import { vocabulary } from './vocabulary.js';

/** The schema's limit; names of resources are made from project and target. */
const MAX_NAME = 40;
const NAME = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;

/** Words with a meaning of their own wherever a target's name may stand: a header's `targets:`, a menu, `--all`. */
const LIST_WORDS = ['all', 'none', 'map'];

/** Why a target cannot have this name; undefined: it can. */
export function nameFault(name: string, catalog: Catalog): string | undefined {
  return shapeFault(name) ?? reservedFault(name, scriptWords()) ?? takenFault(name, catalog);
}

/** Why a target cannot have this alias. An alias stands in no script, so it may be a word that scripts use. */
export function aliasFault(alias: string, name: string, catalog: Catalog): string | undefined {
  if (alias === name) return 'it is the name of the target itself';
  return shapeFault(alias) ?? reservedFault(alias, []) ?? takenFault(alias, catalog);
}

/** The status tag that a name gives when nobody chooses one. */
export const tagOf = (name: string): string => name.toUpperCase().replaceAll('-', '');

/** Why a target cannot have this status tag. */
export function tagFault(tag: string, { targets }: Catalog): string | undefined {
  if (!/^[A-Z0-9]+$/.test(tag)) {
    const better = tag.toUpperCase().replace(/[^A-Z0-9]/g, '');
    return `"${tag}": a tag has capital letters and digits only${better ? `; try ${better}` : ''}`;
  }
  if (tag.length > MAX_NAME) return `"${tag}" has ${tag.length} characters; at most ${MAX_NAME}`;
  const statusVar = `DEPLOYMENT_TARGET_${tag}_STATUS`;
  const owner = targets.find(({ manifest }) => manifest.status_var === statusVar);
  return owner && `${tag} is in use: ${statusVar} belongs to ${describe(owner)}`;
}

function shapeFault(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (/[/\\]|^\.+$/.test(name)) return `"${name}" is a path; a target is called by a name`;
  if (name.length > MAX_NAME) return `"${name}" has ${name.length} characters; at most ${MAX_NAME}`;
  if (/[A-Z]/.test(name)) return `"${name}" has capital letters; try ${name.toLowerCase()}`;
  if (NAME.test(name)) return undefined;
  return `"${name}": a name has lower-case letters, digits and hyphens, begins with a letter and does not end with a hyphen`;
}

/**
 * Words that scripts use for something else: verbs, and the facts that they branch on. Whether a script names a target
 * could not be told any more if a target were called like one of them.
 */
function scriptWords(): string[] {
  const { families, invocations, workloads, servingSources } = vocabulary();
  return [...families, ...invocations, ...workloads, ...servingSources];
}

function reservedFault(name: string, words: readonly string[]): string | undefined {
  if (LIST_WORDS.includes(name)) return `"${name}" is reserved: it has a meaning in lists of targets`;
  if (verbs.some((verb) => verb.name === name)) return `"${name}" is reserved: it is a verb, do/${name}`;
  return words.includes(name) ? `"${name}" is reserved: scripts branch on that word` : undefined;
}

function takenFault(name: string, catalog: Catalog): string | undefined {
  const owner = findTarget(catalog, name);
  if (!owner) return undefined;
  return owner.manifest.target === name
    ? `there is a target "${name}" already: ${describe(owner)}`
    : `"${name}" is an alias of ${describe(owner)}`;
}

const describe = ({ manifest, origin, location }: Target): string =>
  `${manifest.target} (${origin}, ${location}/manifest.json)`;
