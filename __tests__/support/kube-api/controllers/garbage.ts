import type { KubeObject } from '../json.js';
import { type Controller, isOwnedBy, type Tools } from './tools.js';

/** Deletes what a deleted owner leaves, or holds the owner until it is gone, or sets it free, as the deletion asked. */
export const garbageController: Controller = (event, tools) => {
  const { object, type } = event;
  const dependents = () =>
    tools.store
      .all()
      .map((entry) => entry.object)
      .filter((other) => isOwnedBy(other, object));
  if (type === 'DELETED') {
    for (const dependent of dependents()) tools.remove(dependent);
    for (const { uid } of object.metadata.ownerReferences ?? []) release(uid, tools);
    return;
  }
  if (!object.metadata.deletionTimestamp) return;
  if (object.metadata.finalizers?.includes('orphan')) {
    for (const dependent of dependents()) {
      tools.update(dependent, ({ metadata }) => {
        metadata.ownerReferences = (metadata.ownerReferences ?? []).filter(
          ({ uid }) => uid !== object.metadata.uid,
        );
      });
    }
    dropFinalizer(object, 'orphan', tools);
  }
  if (object.metadata.finalizers?.includes('foregroundDeletion')) {
    for (const dependent of dependents()) {
      if (!dependent.metadata.deletionTimestamp) tools.remove(dependent, { propagationPolicy: 'Foreground' });
    }
    if (dependents().length === 0) dropFinalizer(object, 'foregroundDeletion', tools);
  }
};

/** An owner that waits for its dependents goes with the last of them. */
function release(ownerUid: string, tools: Tools): void {
  const objects = tools.store.all().map((entry) => entry.object);
  const owner = objects.find(({ metadata }) => metadata.uid === ownerUid);
  if (!owner?.metadata.finalizers?.includes('foregroundDeletion')) return;
  if (!objects.some((other) => isOwnedBy(other, owner))) dropFinalizer(owner, 'foregroundDeletion', tools);
}

function dropFinalizer(object: KubeObject, finalizer: string, tools: Tools): void {
  tools.update(object, ({ metadata }) => {
    metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
    if (metadata.finalizers.length === 0) delete metadata.finalizers;
  });
}
