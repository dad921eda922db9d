import { conflict, notFound } from '../api-error.js';
import type { KubeObject } from '../json.js';
import type { ApiResource } from '../resources.js';
import type { Cluster } from './write.js';

export interface DeleteOptions {
  propagationPolicy: 'Foreground' | 'Background' | 'Orphan';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun: boolean;
}

/**
 * Begins a deletion. An object that something holds (a finalizer, a Pod's grace period) stays, marked; another is gone
 * at once. Returns the object as it then is, and whether it is gone.
 */
export function deleteObject(
  { store, clock }: Cluster,
  resource: ApiResource,
  namespace: string | undefined,
  name: string,
  options: DeleteOptions,
): { object: KubeObject; gone: boolean } {
  const object = store.get(resource, namespace, name);
  if (!object) throw notFound(resource, name);
  const { uid, resourceVersion } = options.preconditions ?? {};
  for (const [field, wanted, actual] of [
    ['UID', uid, object.metadata.uid],
    ['ResourceVersion', resourceVersion, object.metadata.resourceVersion],
  ]) {
    if (wanted !== undefined && wanted !== actual) {
      throw conflict(
        resource,
        name,
        `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${actual}`,
      );
    }
  }
  if (options.dryRun) return { object, gone: false };
  const policies = { Foreground: 'foregroundDeletion', Orphan: 'orphan', Background: undefined };
  const finalizer = policies[options.propagationPolicy];
  const finalizers = new Set(object.metadata.finalizers);
  if (finalizer) finalizers.add(finalizer);
  const grace = graceOf(object, resource, options);
  const isHeld = finalizers.size > 0 || grace > 0 || resource.kind === 'Namespace';
  if (!isHeld) {
    store.remove(resource, namespace, name);
    return { object, gone: true };
  }
  const isFirst = object.metadata.deletionTimestamp === undefined;
  if (!isFirst && grace === object.metadata.deletionGracePeriodSeconds) return { object, gone: false };
  object.metadata.finalizers = [...finalizers];
  if (finalizers.size === 0) delete object.metadata.finalizers;
  object.metadata.deletionTimestamp ??= clock.timestamp();
  object.metadata.deletionGracePeriodSeconds = grace;
  if (isFirst && object.metadata.generation !== undefined) object.metadata.generation += 1;
  if (resource.kind === 'Namespace') object.status = { phase: 'Terminating' };
  return { object: store.put(resource, object), gone: false };
}

/** Seconds that a running Pod gets to end; nothing else waits, nor does a Pod that never reached a node. */
function graceOf(object: KubeObject, resource: ApiResource, options: DeleteOptions): number {
  if (resource.kind !== 'Pod') return 0;
  const spec = object.spec as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  const { phase } = (object.status ?? {}) as { phase?: string };
  if (!spec?.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  return options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
}
