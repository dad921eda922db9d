import { randomUUID } from 'node:crypto';
import { alreadyExists, badRequest, conflict, forbidden, invalid, notFound } from '../api-error.js';
import type { Clock } from '../clock.js';
import { clone, type JsonObject, type KubeObject, sameJson } from '../json.js';
import { type Manager, recordUpdate } from '../managed-fields/managers.js';
import { type ApiResource, resourceOfKind } from '../resources.js';
import { admit } from '../rules/admit.js';
import { applyDefaults } from '../rules/defaults.js';
import { checkUpdate } from '../rules/immutable.js';
import { validate } from '../rules/validate.js';
import { schemaOf } from '../schema/schema.js';
import type { Store } from '../store.js';

export interface Cluster {
  store: Store;
  clock: Clock;
}

export interface WriteOptions {
  manager: Manager;
  dryRun: boolean;
  /** An apply has done its own bookkeeping of who owns what. */
  ownershipRecorded?: boolean;
}

const suffix = (): string => randomUUID().replaceAll('-', '').slice(0, 5);

/** A new object: made complete, checked against every rule, then stored. */
export function createObject(
  cluster: Cluster,
  resource: ApiResource,
  sent: KubeObject,
  options: WriteOptions,
): KubeObject {
  const { store, clock } = cluster;
  const object = clone(sent);
  const metadata = object.metadata;
  if (!metadata.name && !metadata.generateName)
    throw invalid(resource, '', [
      {
        reason: 'FieldValueRequired',
        message: 'Required value: name or generateName is required',
        field: 'metadata.name',
      },
    ]);
  if (metadata.resourceVersion)
    throw badRequest('resourceVersion should not be set on objects to be created');
  checkNamespace(cluster, resource, object);
  Object.assign(metadata, { uid: randomUUID(), creationTimestamp: clock.timestamp(), generation: 1 });
  if (!countsGenerations(resource)) delete metadata.generation;
  for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const)
    delete (metadata as unknown as JsonObject)[field];
  if (resource.subresources.includes('status')) delete object.status;
  const asSent = clone(object);
  applyDefaults(object);
  admit(cluster, resource, object);
  if (!metadata.name) metadata.name = metadata.generateName + suffix();
  const causes = validate(object, resource);
  if (causes.length > 0) throw invalid(resource, metadata.name, causes);
  if (store.get(resource, metadata.namespace, metadata.name)) throw alreadyExists(resource, metadata.name);
  if (!options.ownershipRecorded) {
    // what the client sent is its own; what the server filled in is nobody's
    recordUpdate(undefined, asSent, options.manager, {
      resource,
      schema: schemaOf(resource),
      time: clock.timestamp(),
    });
    metadata.managedFields = asSent.metadata.managedFields ?? [];
  }
  return options.dryRun
    ? { ...object, metadata: { ...metadata, resourceVersion: '' } }
    : store.put(resource, object);
}

/**
 * Replaces an object by what its manager wants it to be. `part` says which half counts: the rest is kept as it was.
 * What changes nothing is not written, so that its resourceVersion stays.
 */
export function updateObject(
  cluster: Cluster,
  resource: ApiResource,
  before: KubeObject,
  wanted: KubeObject,
  options: WriteOptions & { part?: 'status' },
): KubeObject {
  const { store, clock } = cluster;
  const name = before.metadata.name;
  const object = clone(wanted);
  if (object.metadata.uid && object.metadata.uid !== before.metadata.uid) {
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${object.metadata.uid}, UID in object meta: ${before.metadata.uid}`,
    );
  }
  if (
    object.metadata.resourceVersion &&
    object.metadata.resourceVersion !== before.metadata.resourceVersion
  ) {
    throw conflict(
      resource,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  keepWhatTheServerOwns(before, object, resource, options.part);
  applyDefaults(object);
  if (!sameJson(object.spec, before.spec) && before.metadata.generation !== undefined) {
    object.metadata.generation = before.metadata.generation + 1;
  }
  const causes = [...checkUpdate(before, object), ...validate(object, resource)];
  if (causes.length > 0) throw invalid(resource, name, causes);
  if (!options.ownershipRecorded) {
    recordUpdate(before, object, options.manager, {
      resource,
      schema: schemaOf(resource),
      time: clock.timestamp(),
    });
  }
  if (sameJson(object, before)) return before;
  if (options.dryRun) return object;
  const stored = store.put(resource, object);
  // the last finalizer gone from an object under deletion is what ends it
  if (
    stored.metadata.deletionTimestamp &&
    !stored.metadata.finalizers?.length &&
    !stored.metadata.deletionGracePeriodSeconds
  ) {
    store.remove(resource, stored.metadata.namespace, name);
  }
  return stored;
}

function keepWhatTheServerOwns(
  before: KubeObject,
  object: KubeObject,
  resource: ApiResource,
  part?: 'status',
): void {
  if (part === 'status') {
    const { status } = object;
    const managedFields = object.metadata.managedFields;
    for (const field of Object.keys(object)) delete object[field];
    Object.assign(object, clone(before), { status });
    if (managedFields) object.metadata.managedFields = managedFields;
    if (status === undefined) delete object.status;
    return;
  }
  if (resource.subresources.includes('status')) {
    if (before.status === undefined) delete object.status;
    else object.status = clone(before.status);
  }
  const {
    uid,
    creationTimestamp,
    generation,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    resourceVersion,
  } = before.metadata;
  const kept = {
    uid,
    creationTimestamp,
    generation,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    resourceVersion,
  };
  for (const [key, value] of Object.entries(kept)) {
    if (value === undefined) delete (object.metadata as unknown as JsonObject)[key];
    else (object.metadata as unknown as JsonObject)[key] = value;
  }
}

const countsGenerations = (resource: ApiResource): boolean =>
  resource.custom || ['Deployment', 'ReplicaSet'].includes(resource.kind);

/** The namespace must be there, and not on its way out. */
function checkNamespace({ store }: Cluster, resource: ApiResource, object: KubeObject): void {
  if (!resource.namespaced) return;
  const namespaces = resourceOfKind('Namespace');
  const name = object.metadata.namespace ?? '';
  const namespace = store.get(namespaces, undefined, name);
  if (!namespace) throw notFound(namespaces, name);
  if (namespace.metadata.deletionTimestamp) {
    throw forbidden(
      resource,
      object.metadata.name,
      `unable to create new content in namespace ${name} because it is being terminated`,
    );
  }
}
