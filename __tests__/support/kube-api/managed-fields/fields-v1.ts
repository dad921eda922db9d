import type { JsonObject } from '../json.js';
import { elementsOf, type FieldPath, joinPath } from './field-path.js';

/** The nested form in which `metadata.managedFields` carries a set of fields. */
export function toFieldsV1(fields: ReadonlySet<FieldPath>): JsonObject {
  const root: JsonObject = {};
  const members = new Set<JsonObject>();
  for (const path of [...fields].sort()) {
    let node = root;
    for (const element of elementsOf(path)) {
      node[element] ??= {};
      node = node[element] as JsonObject;
    }
    members.add(node);
  }
  mark(root, members);
  return root;
}

/** A field that is owned itself and has owned fields below it says so with `.`. */
function mark(node: JsonObject, members: ReadonlySet<JsonObject>): void {
  for (const child of Object.values(node)) mark(child as JsonObject, members);
  if (members.has(node) && Object.keys(node).length > 0) node['.'] = {};
}

export function fromFieldsV1(node: JsonObject, path: FieldPath = ''): Set<FieldPath> {
  const fields = new Set<FieldPath>();
  for (const [element, child] of Object.entries(node)) {
    if (element === '.') {
      fields.add(path);
      continue;
    }
    const childPath = joinPath(path, element);
    if (Object.keys(child as JsonObject).length === 0) fields.add(childPath);
    for (const below of fromFieldsV1(child as JsonObject, childPath)) fields.add(below);
  }
  return fields;
}
