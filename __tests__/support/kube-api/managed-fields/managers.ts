import { ApiError, statusBody } from '../api-error.js';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../json.js';
import type { ApiResource } from '../resources.js';
import type { Schema } from '../schema/schema.js';
import { changedFields, displayPath, type FieldPath, fieldsOf, isBelow } from './field-path.js';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.js';
import { mergeApplied, removeFields, unownedFields } from './merge.js';

export interface Manager {
  name: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource?: string;
}

type Entry = Manager & { time?: string; fields: Set<FieldPath> };

/** Identity, address and bookkeeping: never owned by anybody. */
const UNOWNED = [
  'f:apiVersion',
  'f:kind',
  ...[
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'generation',
    'resourceVersion',
    'managedFields',
    'selfLink',
  ]
    .concat('deletionTimestamp', 'deletionGracePeriodSeconds')
    .map((field) => `f:metadata\u0001f:${field}`),
];

const decode = (object: KubeObject): Entry[] =>
  (object.metadata.managedFields ?? []).map((entry) => ({
    name: entry.manager,
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.subresource && { subresource: entry.subresource }),
    ...(entry.time && { time: entry.time }),
    fields: fromFieldsV1(entry.fieldsV1),
  }));

const encode = (entries: Entry[]): ManagedFieldsEntry[] =>
  entries
    .filter((entry) => entry.fields.size > 0)
    .map(({ name, operation, apiVersion, subresource, time, fields }) => ({
      manager: name,
      operation,
      apiVersion,
      ...(time && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(fields),
      ...(subresource && { subresource }),
    }));

const isSame = (entry: Entry, manager: Manager): boolean =>
  entry.name === manager.name &&
  entry.operation === manager.operation &&
  entry.subresource === manager.subresource;

/** Fields that this writer can own: without bookkeeping, and of the part of the object that its endpoint writes. */
function ownable(fields: Iterable<FieldPath>, resource: ApiResource, subresource?: string): Set<FieldPath> {
  const inStatus = (path: FieldPath) => path === 'f:status' || isBelow(path, 'f:status');
  const owned = [...fields].filter(
    (path) => !UNOWNED.some((field) => path === field || isBelow(path, field)),
  );
  if (!resource.subresources.includes('status')) return new Set(owned);
  return new Set(owned.filter((path) => inStatus(path) === (subresource === 'status')));
}

/** The object that results from an apply, or 409 with every field that another manager holds with another value. */
export function applyAs(
  live: KubeObject,
  applied: KubeObject,
  manager: Manager,
  { resource, schema, force, time }: { resource: ApiResource; schema: Schema; force: boolean; time: string },
): KubeObject {
  const entries = decode(live);
  const mine = entries.find((entry) => isSame(entry, manager));
  const others = entries.filter((entry) => entry !== mine);
  const fields = ownable(fieldsOf(applied as unknown as JsonObject, schema), resource, manager.subresource);
  const result = mergeApplied(
    live as unknown as JsonObject,
    applied as unknown as JsonObject,
    schema,
  ) as JsonObject;
  const changed = changedFields(live as unknown as JsonObject, result, schema);
  const conflicts = others
    .map((entry) => ({
      entry,
      fields: [...fields].filter((path) => changed.has(path) && entry.fields.has(path)).sort(),
    }))
    .filter((found) => found.fields.length > 0);
  if (conflicts.length > 0 && !force) throw conflictError(resource, live.metadata.name, conflicts);
  for (const found of conflicts) for (const path of found.fields) found.entry.fields.delete(path);

  const elsewhere = new Set(others.flatMap((entry) => [...entry.fields]));
  removeFields(result, unownedFields(mine?.fields ?? new Set(), fields, elsewhere), schema);

  const unchanged =
    mine && mine.fields.size === fields.size && [...fields].every((path) => mine.fields.has(path));
  const entry: Entry = { ...manager, time: unchanged && mine.time ? mine.time : time, fields };
  const object = result as unknown as KubeObject;
  object.metadata.managedFields = encode([...others, entry]);
  return object;
}

/** Records who wrote what by create, replace or patch: the writer owns what changed, and others lose it. */
export function recordUpdate(
  before: KubeObject | undefined,
  after: KubeObject,
  manager: Manager,
  { resource, schema, time }: { resource: ApiResource; schema: Schema; time: string },
): void {
  const old = (before ?? {}) as unknown as JsonObject;
  const now = after as unknown as JsonObject;
  const changed = ownable(changedFields(old, now, schema), resource, manager.subresource);
  const present = fieldsOf(now, schema);
  const entries = decode(before ?? after);
  const mine = entries.find((entry) => isSame(entry, manager));
  for (const entry of entries) {
    for (const path of entry.fields) {
      if (!present.has(path) || (entry !== mine && changed.has(path))) entry.fields.delete(path);
    }
  }
  if (changed.size > 0) {
    if (mine) Object.assign(mine, { time, fields: new Set([...mine.fields, ...changed]) });
    else entries.push({ ...manager, time, fields: changed });
  }
  after.metadata.managedFields = encode(entries);
}

function conflictError(
  resource: ApiResource,
  name: string,
  conflicts: { entry: Entry; fields: FieldPath[] }[],
): ApiError {
  const causes = conflicts.flatMap(({ entry, fields }) =>
    fields.map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${describe(entry)}`,
      field: displayPath(path),
    })),
  );
  const count = `${causes.length} conflict${causes.length === 1 ? '' : 's'}`;
  const details = conflicts.map(({ entry, fields }) => {
    const paths = fields.map(displayPath);
    return paths.length === 1
      ? `conflict with ${describe(entry)}: ${paths[0]}`
      : `conflicts with ${describe(entry)}:\n${paths.map((path) => `- ${path}`).join('\n')}`;
  });
  return new ApiError(
    statusBody(409, 'Conflict', `Apply failed with ${count}: ${details.join('\n')}`, {
      name,
      ...(resource.group && { group: resource.group }),
      kind: resource.plural,
      causes,
    }),
  );
}

function describe(entry: Entry): string {
  const who =
    JSON.stringify(entry.name) + (entry.subresource ? ` with subresource "${entry.subresource}"` : '');
  return entry.operation === 'Update' ? `${who} using ${entry.apiVersion}` : who;
}
