import { Failure } from '../../failure/index.js';
import type { KubeObject } from '../objects.js';
import { parseYaml } from './yaml.js';

/** The objects of a YAML stream or JSON text, lists taken apart. Throws a Failure that names all that are none. */
export function readObjects(file: string, text: string): KubeObject[] {
  let documents: unknown[];
  try {
    documents = parseYaml(text);
  } catch (cause) {
    const why = (cause as Error).message.split('\n')[0] ?? '';
    throw new Failure({ what: `${file} is not YAML`, why, exit: 2, cause });
  }
  const all = documents
    .filter((document) => document !== null && document !== undefined)
    .flatMap((document) => itemsOf(document) ?? [document]);
  const faults = all.flatMap((object, index) => {
    const missing = missingOf(object);
    return missing === undefined ? [] : [`object ${index + 1} ${missing}`];
  });
  if (all.length === 0) faults.push('it is empty');
  if (faults.length > 0) throw new Failure({ what: `${file} cannot be applied`, why: faults, exit: 2 });
  return all as KubeObject[];
}

function itemsOf(document: unknown): unknown[] | undefined {
  const { kind, items } = document as { kind?: unknown; items?: unknown };
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : undefined;
}

function missingOf(object: unknown): string | undefined {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return 'is no map';
  const { apiVersion, kind, metadata } = object as Record<string, unknown>;
  const { name } = (metadata ?? {}) as Record<string, unknown>;
  const missing = Object.entries({ apiVersion, kind, 'metadata.name': name })
    .filter(([, value]) => typeof value !== 'string' || value === '')
    .map(([key]) => key);
  return missing.length === 0 ? undefined : `has no ${missing.join(', no ')}`;
}
