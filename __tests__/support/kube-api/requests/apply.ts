import { ApiError, badRequest, conflict, notFound, statusBody } from '../api-error.js';
import { clone, type JsonObject, type KubeObject, withoutNulls } from '../json.js';
import { displayPath } from '../managed-fields/field-path.js';
import { applyAs, type Manager } from '../managed-fields/managers.js';
import { duplicateItem } from '../managed-fields/merge.js';
import { check } from '../schema/check.js';
import { schemaOf } from '../schema/schema.js';
import type { Address } from './address.js';
import { checkAddress, parseBody } from './decode.js';
import { type Cluster, createObject, updateObject } from './write.js';

export interface ApplyOptions {
  manager: Manager;
  force: boolean;
  dryRun: boolean;
  strict: boolean;
}

/** Server-side apply: creates the object, or merges into it what this manager says about it. */
export function applyObject(
  cluster: Cluster,
  address: Address & { name: string },
  body: string,
  { manager, force, dryRun, strict }: ApplyOptions,
): { object: KubeObject; created: boolean } {
  const { resource, version, namespace, name, subresource } = address;
  const { data, duplicates } = parseBody(body);
  if (!data.apiVersion || !data.kind) throw badRequest('an apply must state apiVersion and kind');
  checkAddress(data, resource, version, name, namespace);
  if (strict && duplicates.length > 0) {
    const list = duplicates.map((path) => `duplicate field "${path}"`).join(', ');
    throw badRequest(`error strict decoding YAML: ${list}`);
  }
  const applied = withoutNulls(data) as unknown as KubeObject;
  applied.metadata = { ...applied.metadata, name, ...(namespace !== undefined && { namespace }) };
  if (applied.metadata.managedFields?.length) throw badRequest('metadata.managedFields must be nil');
  checkTyped(applied, address);
  if (!subresource && resource.subresources.includes('status')) delete applied.status;

  const schema = schemaOf(resource);
  const existing = cluster.store.get(resource, namespace, name);
  if (!existing && applied.metadata.uid) {
    throw conflict(
      resource,
      name,
      `uid mismatch: the provided object specified uid ${applied.metadata.uid}, and no existing object was found`,
    );
  }
  const time = cluster.clock.timestamp();
  if (!existing) {
    if (subresource) throw notFound(resource, name);
    const empty = { apiVersion: applied.apiVersion, kind: applied.kind, metadata: { name } } as KubeObject;
    const object = applyAs(empty, applied, manager, { resource, schema, force, time });
    return {
      object: createObject(cluster, resource, object, { manager, dryRun, ownershipRecorded: true }),
      created: true,
    };
  }
  // stored under its first version; a manager of another one still writes the same fields
  const live = { ...clone(existing), apiVersion: applied.apiVersion };
  const wanted = applyAs(live, applied, manager, { resource, schema, force, time });
  const part = subresource === 'status' ? ({ part: 'status' } as const) : {};
  const object = updateObject(
    cluster,
    resource,
    existing,
    { ...wanted, apiVersion: existing.apiVersion },
    {
      manager,
      dryRun,
      ownershipRecorded: true,
      ...part,
    },
  );
  return { object, created: false };
}

/** An apply of fields that the kind does not have, or of other types, cannot be merged: refused whatever the validation. */
function checkTyped(applied: KubeObject, { resource, namespace, name }: Address): void {
  const schema = schemaOf(resource);
  const where = `(${namespace === undefined ? '' : `${namespace}/`}${name}; ${applied.apiVersion}, Kind=${applied.kind})`;
  const refuse = (what: string) =>
    new ApiError(statusBody(500, '', `failed to create typed patch object ${where}: ${what}`));
  const problems = check(applied, schema).filter(({ kind }) => kind === 'unknown' || kind === 'type');
  if (problems.length > 0)
    throw refuse(problems.map(({ path, message }) => `.${path}: ${message}`).join('\n'));
  const twice = duplicateItem(applied as unknown as JsonObject, schema);
  if (twice)
    throw refuse(`${displayPath(twice.path)}: duplicate entries for key ${displayPath(twice.element)}`);
}
