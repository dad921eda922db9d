import { clone, isObject, type Json, type JsonObject } from '../json.js';
import { resolve, type Schema } from '../schema/schema.js';
import {
  childSchema,
  elementsOf,
  type FieldPath,
  isAtomicMap,
  isBelow,
  itemElement,
  joinPath,
  listKind,
} from './field-path.js';

/** What `live` becomes when a manager applies `applied`: maps and keyed lists by entry, all else replaced. */
export function mergeApplied(live: Json | undefined, applied: Json, schema: Schema): Json {
  const own = resolve(schema);
  if (isObject(live) && isObject(applied) && !isAtomicMap(own)) {
    const merged: JsonObject = { ...live };
    for (const [key, value] of Object.entries(applied))
      merged[key] = mergeApplied(live[key], value, childSchema(own, key));
    return merged;
  }
  if (Array.isArray(live) && Array.isArray(applied) && listKind(own) !== 'atomic')
    return mergeList(live, applied, own);
  return clone(applied);
}

/** Applied items in their own order; each item that only `live` has keeps its place behind the one before it. */
function mergeList(live: Json[], applied: Json[], schema: Schema): Json[] {
  const element = (item: Json) => itemElement(item, schema);
  const before = new Map(live.map((item) => [element(item), item]));
  const wanted = new Set(applied.map(element));
  const merged = applied.map((item) =>
    listKind(schema) === 'map' ? mergeApplied(before.get(element(item)), item, schema.items ?? {}) : item,
  );
  live.forEach((item, index) => {
    if (wanted.has(element(item))) return;
    const previous = live[index - 1];
    const at =
      previous === undefined ? -1 : merged.findIndex((other) => element(other) === element(previous));
    merged.splice(at + 1, 0, item);
  });
  return merged;
}

/** Takes fields away, and with them the maps and lists that this leaves empty. */
export function removeFields(root: JsonObject, fields: readonly FieldPath[], schema: Schema): void {
  for (const path of fields) {
    if (!isKeyOfItem(path)) removeField(root, elementsOf(path), resolve(schema));
  }
}

/** True for the fields that name an item of a keyed list: they stay as long as the item does. */
function isKeyOfItem(path: FieldPath): boolean {
  const [field = '', item = ''] = elementsOf(path).reverse();
  return item.startsWith('k:') && Object.hasOwn(JSON.parse(item.slice(2)) as JsonObject, field.slice(2));
}

function removeField(parent: Json | undefined, [element, ...rest]: string[], schema: Schema): void {
  if (element === undefined) return;
  if (element.startsWith('f:') && isObject(parent)) {
    const key = element.slice(2);
    const child = parent[key];
    if (child === undefined) return;
    if (rest.length > 0) removeField(child, rest, childSchema(schema, key));
    if (rest.length === 0 || isEmpty(child)) delete parent[key];
  } else if (Array.isArray(parent)) {
    const index = parent.findIndex((item) => itemElement(item, schema) === element);
    if (index < 0) return;
    if (rest.length > 0) removeField(parent[index], rest, resolve(schema.items ?? {}));
    else parent.splice(index, 1);
  }
}

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Of the fields that a manager gave up, those that nobody else owns, at them or below them. */
export function unownedFields(
  given: ReadonlySet<FieldPath>,
  kept: ReadonlySet<FieldPath>,
  others: ReadonlySet<FieldPath>,
): FieldPath[] {
  const owned = [...kept, ...others];
  return [...given].filter(
    (path) => !kept.has(path) && !others.has(path) && !owned.some((other) => isBelow(other, path)),
  );
}

/** Items that stand twice in a keyed list or a set: the first such path with its element, or undefined. */
export function duplicateItem(
  value: Json | undefined,
  schema: Schema,
  path: FieldPath = '',
): { path: FieldPath; element: string } | undefined {
  const own = resolve(schema);
  if (isObject(value)) {
    for (const [key, entry] of Object.entries(value)) {
      const found = duplicateItem(entry, childSchema(own, key), joinPath(path, `f:${key}`));
      if (found) return found;
    }
  } else if (Array.isArray(value)) {
    const seen = new Set<string>();
    for (const item of value) {
      const element = itemElement(item, own);
      if (listKind(own) !== 'atomic' && seen.has(element)) return { path, element };
      seen.add(element);
      const found = duplicateItem(item, own.items ?? {}, joinPath(path, element));
      if (found) return found;
    }
  }
  return undefined;
}
