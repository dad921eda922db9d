import { badRequest } from '../api-error.js';
import { isObject, type Json, type JsonObject } from '../json.js';
import { fieldSchema, resolve, type Schema } from '../schema/schema.js';

/** What kubectl sends for built-in kinds: like a merge patch, but lists with a merge key merge by item. */
export function strategicMerge(target: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  const merged: JsonObject = { ...target };
  const retained = Array.isArray(patch.$retainKeys) ? patch.$retainKeys : undefined;
  for (const [key, value] of Object.entries(patch)) {
    const own = fieldSchema(schema, key) ?? {};
    const deleted = /^\$deleteFromPrimitiveList\/(.*)$/.exec(key);
    if (deleted) {
      const from = merged[deleted[1] ?? ''];
      merged[deleted[1] ?? ''] = (Array.isArray(from) ? from : []).filter(
        (item) => !(value as Json[]).includes(item),
      );
    } else if (key.startsWith('$')) continue;
    else if (value === null) delete merged[key];
    else if (isObject(value)) {
      const old = merged[key];
      if (value.$patch === 'delete') delete merged[key];
      else merged[key] = strategicMerge(isObject(old) ? old : {}, value, own);
    } else if (Array.isArray(value) && mergesItems(own)) {
      const old = merged[key];
      const order = patch[`$setElementOrder/${key}`];
      merged[key] = mergeItems(Array.isArray(old) ? old : [], value, own, Array.isArray(order) ? order : []);
    } else merged[key] = value;
  }
  if (retained) for (const key of Object.keys(merged)) if (!retained.includes(key)) delete merged[key];
  return merged;
}

const mergesItems = (schema: Schema): boolean =>
  /\bmerge\b/.test(schema['x-kubernetes-patch-strategy'] ?? '');

const withoutDirectives = (patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));

function mergeItems(old: Json[], patch: Json[], schema: Schema, order: Json[]): Json[] {
  const key = schema['x-kubernetes-patch-merge-key'];
  if (key === undefined) return [...old, ...patch.filter((item) => !old.includes(item))];
  const items = resolve(schema.items ?? {});
  const idOf = (item: Json) => (isObject(item) ? item[key] : undefined);
  let merged = [...old];
  for (const item of patch) {
    if (isObject(item) && item.$patch === 'replace') return patch.filter((other) => other !== item);
    const id = idOf(item);
    if (id === undefined || !isObject(item))
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const at = merged.findIndex((other) => idOf(other) === id);
    if (item.$patch === 'delete') merged = merged.filter((other) => idOf(other) !== id);
    else if (at < 0) merged.push(withoutDirectives(item));
    else merged[at] = strategicMerge(merged[at] as JsonObject, item, items);
  }
  const rank = (item: Json) => order.findIndex((other) => idOf(other) === idOf(item));
  const ordered = merged.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  let next = 0;
  return merged.map((item) => (rank(item) >= 0 ? (ordered[next++] ?? item) : item));
}
