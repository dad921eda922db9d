import { ApiError } from '../api-error.js';
import { type JsonObject, type KubeObject, sameJson, valueAt } from '../json.js';
import { isActive, isReady, withCondition } from './conditions.js';
import { type Controller, controlledBy, isOwnedBy, type Tools } from './tools.js';

/** Keeps as many Pods as each ReplicaSet asks for. */
export const replicaSetController: Controller = ({ object, previous }, tools) => {
  // its own status is no reason to try again what has failed
  if (object.kind === 'ReplicaSet' && !sameJson(object.spec, previous?.spec)) reconcile(object, tools);
  const concerns = (set: KubeObject) =>
    object.kind === 'Pod' ? isOwnedBy(object, set) : object.kind === 'ServiceAccount';
  for (const set of tools.list('ReplicaSet', object.metadata.namespace)) {
    if (concerns(set) && set.metadata.namespace === object.metadata.namespace) reconcile(set, tools);
  }
};

function reconcile(given: KubeObject, tools: Tools): void {
  const set = tools.get('ReplicaSet', given.metadata.namespace, given.metadata.name);
  if (!set || set.metadata.deletionTimestamp) return;
  const pods = tools
    .list('Pod', set.metadata.namespace)
    .filter((pod) => isOwnedBy(pod, set) && isActive(pod));
  const wanted = Number(valueAt(set, 'spec', 'replicas') ?? 1);
  let failure: string | undefined;
  for (let missing = wanted - pods.length; missing > 0 && failure === undefined; missing -= 1)
    failure = createPod(set, tools);
  // those that are not ready go first
  const spare = [...pods]
    .sort((a, b) => Number(isReady(a)) - Number(isReady(b)))
    .slice(0, Math.max(0, pods.length - wanted));
  for (const pod of spare) tools.remove(pod);
  writeStatus(set, failure, tools);
}

/** Creates one Pod; returns why that was refused. */
function createPod(set: KubeObject, tools: Tools): string | undefined {
  const template = valueAt(set, 'spec', 'template') as { metadata?: JsonObject; spec: JsonObject };
  const { name, namespace } = set.metadata;
  try {
    tools.create('Pod', {
      metadata: {
        ...template.metadata,
        name: '',
        generateName: `${name}-`,
        ...(namespace !== undefined && { namespace }),
        ownerReferences: [controlledBy(set)],
      },
      spec: template.spec,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tools.event(set, 'Warning', 'FailedCreate', `Error creating: ${error.message}`, 'replicaset-controller');
    return error.message;
  }
}

function writeStatus(set: KubeObject, failure: string | undefined, tools: Tools): void {
  const pods = tools
    .list('Pod', set.metadata.namespace)
    .filter((pod) => isOwnedBy(pod, set) && isActive(pod));
  const ready = pods.filter(isReady).length;
  tools.updateStatus(set, (draft) => {
    const status: JsonObject = {
      replicas: pods.length,
      observedGeneration: draft.metadata.generation ?? 1,
      ...(pods.length > 0 && { fullyLabeledReplicas: pods.length }),
      ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
    };
    if (failure !== undefined) {
      const condition = {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: failure,
      } as const;
      status.conditions = withCondition(draft, condition, tools.clock.timestamp());
    }
    draft.status = status;
  });
}
