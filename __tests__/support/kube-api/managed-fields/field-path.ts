import { isObject, type Json, type JsonObject, sameJson } from '../json.js';
import { isOpen, resolve, type Schema } from '../schema/schema.js';

/**
 * A field's address in the notation of `fieldsV1`: elements `f:name`, `k:{"name":"x"}` (an item of a keyed list) and
 * `v:"x"` (an item of a set), joined by a character that no element contains.
 */
export type FieldPath = string;
const SEPARATOR = '\u0001';

export const elementsOf = (path: FieldPath): string[] => path.split(SEPARATOR);
export const joinPath = (parent: FieldPath, element: string): FieldPath =>
  parent === '' ? element : parent + SEPARATOR + element;
export const isBelow = (path: FieldPath, ancestor: FieldPath): boolean =>
  path.startsWith(ancestor + SEPARATOR);

/** How a list merges; one without a word is replaced whole. */
export const listKind = (schema: Schema): 'map' | 'set' | 'atomic' =>
  schema['x-kubernetes-list-type'] ?? 'atomic';

export const isAtomicMap = (schema: Schema): boolean => schema['x-kubernetes-map-type'] === 'atomic';

/** The element that names an item of a keyed list; a key left out counts with its default. */
export function itemElement(item: Json, schema: Schema): string {
  if (listKind(schema) === 'set') return `v:${JSON.stringify(item)}`;
  const itemSchema = resolve(schema.items ?? {});
  const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort();
  const named = keys.flatMap((key) => {
    const value = (isObject(item) ? item[key] : undefined) ?? itemSchema.properties?.[key]?.default;
    return value === undefined ? [] : [[key, value] as const];
  });
  return `k:${JSON.stringify(Object.fromEntries(named))}`;
}

/** Every field that a value sets, down to scalars and to what can only be replaced whole. */
export function fieldsOf(value: Json | undefined, schema: Schema, path: FieldPath = ''): Set<FieldPath> {
  const fields = new Set<FieldPath>();
  collect(value, resolve(schema), path, fields);
  return fields;
}

function collect(value: Json | undefined, schema: Schema, path: FieldPath, into: Set<FieldPath>): void {
  if (isObject(value) && !isAtomicMap(schema) && Object.keys(value).length > 0) {
    for (const [key, entry] of Object.entries(value)) {
      collect(entry, childSchema(schema, key), joinPath(path, `f:${key}`), into);
    }
  } else if (Array.isArray(value) && listKind(schema) !== 'atomic' && value.length > 0) {
    for (const item of value) {
      const itemPath = joinPath(path, itemElement(item, schema));
      into.add(itemPath);
      if (listKind(schema) === 'map') collect(item, resolve(schema.items ?? {}), itemPath, into);
    }
  } else if (path !== '') into.add(path);
}

/** The schema of an entry; inside an open document nothing is declared, and lists are replaced whole. */
export function childSchema(schema: Schema, key: string): Schema {
  const entry = schema.properties?.[key] ?? schema.additionalProperties;
  if (!entry && !isOpen(schema)) return {};
  return entry ? resolve(entry) : {};
}

/** The value at a path, or undefined. */
function valueAtPath(root: JsonObject, path: FieldPath, schema: Schema): Json | undefined {
  let value: Json | undefined = root;
  let at = resolve(schema);
  for (const element of elementsOf(path)) {
    if (element.startsWith('f:')) {
      if (!isObject(value)) return undefined;
      value = value[element.slice(2)];
      at = childSchema(at, element.slice(2));
    } else {
      if (!Array.isArray(value)) return undefined;
      const list: Schema = at;
      value = value.find((item) => itemElement(item, list) === element);
      at = resolve(at.items ?? {});
    }
  }
  return value;
}

/** Fields of `after` that `before` lacks or has with another value. */
export function changedFields(before: JsonObject, after: JsonObject, schema: Schema): Set<FieldPath> {
  const changed = new Set<FieldPath>();
  for (const path of fieldsOf(after, schema)) {
    const old = valueAtPath(before, path, schema);
    // an item of a keyed list is itself a field, which changes only by coming or going: its own fields tell the rest
    const isKeyedItem = elementsOf(path).at(-1)?.startsWith('k:') === true;
    if (old === undefined || (!isKeyedItem && !sameJson(old, valueAtPath(after, path, schema))))
      changed.add(path);
  }
  return changed;
}

/** `.spec.containers[name="x"].image`, as messages show a field. */
export function displayPath(path: FieldPath): string {
  return elementsOf(path)
    .map((element) => {
      const text = element.slice(2);
      if (element.startsWith('f:')) return `.${text}`;
      if (element.startsWith('v:')) return `[=${text}]`;
      const keys = Object.entries(JSON.parse(text) as JsonObject);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
}
