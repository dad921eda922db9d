import { createHash } from 'node:crypto';
import { clone, type JsonObject, type KubeObject, sameJson, valueAt } from '../json.js';
import { conditionOf, withCondition } from './conditions.js';
import { type Controller, controlledBy, isOwnedBy, type Tools } from './tools.js';

const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';

/** Rolls each Deployment out to the ReplicaSet of its template. */
export const deploymentController: Controller = ({ object, previous, type }, tools) => {
  if (object.kind === 'Deployment') {
    reconcile(object, tools);
    if (!sameJson(object.spec, previous?.spec)) watchDeadline(object, tools);
  }
  const sets = tools.list('ReplicaSet', object.metadata.namespace);
  const changed =
    object.kind === 'ReplicaSet'
      ? [object]
      : type === 'DELETED'
        ? sets.filter((set) => isOwnedBy(object, set))
        : [];
  for (const set of changed) {
    for (const deployment of tools.list('Deployment', object.metadata.namespace)) {
      if (isOwnedBy(set, deployment)) reconcile(deployment, tools);
    }
  }
};

const replicasOf = (object: KubeObject): number => Number(valueAt(object, 'spec', 'replicas') ?? 0);
const availableOf = (object: KubeObject): number =>
  Number(valueAt(object, 'status', 'availableReplicas') ?? 0);
const podsOf = (object: KubeObject): number => Number(valueAt(object, 'status', 'replicas') ?? 0);
const total = (sets: KubeObject[], count: (set: KubeObject) => number): number =>
  sets.reduce((sum, set) => sum + count(set), 0);

function reconcile(given: KubeObject, tools: Tools): void {
  const deployment = tools.get('Deployment', given.metadata.namespace, given.metadata.name);
  if (!deployment || deployment.metadata.deletionTimestamp) return;
  const owned = () =>
    tools.list('ReplicaSet', deployment.metadata.namespace).filter((set) => isOwnedBy(set, deployment));
  const template = valueAt(deployment, 'spec', 'template') as JsonObject;
  const isCurrent = (set: KubeObject) => sameJson(templateOf(set), template);
  if (!owned().some(isCurrent)) createReplicaSet(deployment, template, tools);
  const sets = owned();
  const current = sets.find(isCurrent);
  if (!current) return;
  markRevision(deployment, current, sets, tools);
  scale(
    deployment,
    current,
    sets.filter((set) => set !== current),
    tools,
  );
  const now = owned();
  writeStatus(deployment, now.find(isCurrent) ?? current, now, tools);
}

/** A ReplicaSet's template as its Deployment wrote it. */
function templateOf(set: KubeObject): JsonObject {
  const template = clone(valueAt(set, 'spec', 'template')) as JsonObject;
  const labels = valueAt(template, 'metadata', 'labels') as JsonObject | undefined;
  delete labels?.[HASH_LABEL];
  return template;
}

function createReplicaSet(deployment: KubeObject, template: JsonObject, tools: Tools): void {
  const { name, namespace } = deployment.metadata;
  const hash = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
  const labels = {
    ...(valueAt(template, 'metadata', 'labels') as Record<string, string>),
    [HASH_LABEL]: hash,
  };
  const selector = valueAt(deployment, 'spec', 'selector') as JsonObject;
  tools.create('ReplicaSet', {
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace !== undefined && { namespace }),
      labels,
      ownerReferences: [controlledBy(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels: { ...(selector.matchLabels as JsonObject), [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...(template.metadata as JsonObject), labels } },
    },
  });
}

const revisionOf = (object: KubeObject): number => Number(object.metadata.annotations?.[REVISION] ?? 0);

/** The ReplicaSet in force has the highest revision, also when it is an old one that a rollback brought back. */
function markRevision(deployment: KubeObject, current: KubeObject, sets: KubeObject[], tools: Tools): void {
  const highest = Math.max(...sets.filter((set) => set !== current).map(revisionOf), 0);
  const revision = Math.max(revisionOf(current), highest + 1);
  for (const object of [current, deployment]) {
    tools.update(object, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [REVISION]: String(revision) };
    });
  }
}

function scale(deployment: KubeObject, current: KubeObject, old: KubeObject[], tools: Tools): void {
  const wanted = replicasOf(deployment);
  const setReplicas = (set: KubeObject, replicas: number) => {
    if (replicasOf(set) === replicas) return;
    tools.update(set, (draft) => {
      (draft.spec as JsonObject).replicas = replicas;
    });
  };
  if (valueAt(deployment, 'spec', 'strategy', 'type') === 'Recreate') {
    for (const set of old) setReplicas(set, 0);
    const pods = tools.list('Pod', deployment.metadata.namespace);
    if (!pods.some((pod) => old.some((set) => isOwnedBy(pod, set)))) setReplicas(current, wanted);
    return;
  }
  const { surge, unavailable } = rollingLimits(deployment, wanted);
  const room = wanted + surge - total([current, ...old], replicasOf);
  const next = Math.min(wanted, replicasOf(current) + Math.max(0, room));
  setReplicas(current, next);
  let spare = total(old, replicasOf) + next - (wanted - unavailable) - (next - availableOf(current));
  for (const set of old) {
    const taken = Math.max(0, Math.min(replicasOf(set), spare));
    spare -= taken;
    setReplicas(set, replicasOf(set) - taken);
  }
}

function rollingLimits(deployment: KubeObject, wanted: number): { surge: number; unavailable: number } {
  const amount = (field: string, round: (value: number) => number): number => {
    const given = String(valueAt(deployment, 'spec', 'strategy', 'rollingUpdate', field) ?? '25%');
    return given.endsWith('%') ? round((Number.parseFloat(given) / 100) * wanted) : Number(given);
  };
  const surge = amount('maxSurge', Math.ceil);
  const unavailable = amount('maxUnavailable', Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function writeStatus(deployment: KubeObject, current: KubeObject, sets: KubeObject[], tools: Tools): void {
  const wanted = replicasOf(deployment);
  const pods = total(sets, podsOf);
  const available = total(sets, availableOf);
  const updated = podsOf(current);
  const isComplete = updated === wanted && pods === wanted && availableOf(current) === wanted;
  const isAvailable = available >= wanted - rollingLimits(deployment, wanted).unavailable;
  const time = tools.clock.timestamp();
  const setName = current.metadata.name;
  tools.updateStatus(deployment, (draft) => {
    const hasExpired = conditionOf(draft, 'Progressing')?.reason === 'ProgressDeadlineExceeded';
    const isSettled = valueAt(draft, 'status', 'observedGeneration') === draft.metadata.generation;
    const failure = conditionOf(current, 'ReplicaFailure');
    const old = draft.status as JsonObject | undefined;
    draft.status = {
      observedGeneration: draft.metadata.generation ?? 1,
      ...(pods > 0 && { replicas: pods }),
      ...(updated > 0 && { updatedReplicas: updated }),
      ...(available > 0 && { readyReplicas: available, availableReplicas: available }),
      ...(wanted > available && { unavailableReplicas: wanted - available }),
      ...(old?.conditions && { conditions: old.conditions }),
    };
    const set = (type: string, status: 'True' | 'False', reason: string, message: string) => {
      (draft.status as JsonObject).conditions = withCondition(draft, { type, status, reason, message }, time);
    };
    if (isAvailable)
      set('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.');
    else
      set(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
      );
    if (isComplete) {
      set(
        'Progressing',
        'True',
        'NewReplicaSetAvailable',
        `ReplicaSet "${setName}" has successfully progressed.`,
      );
    } else if (!hasExpired || !isSettled) {
      set('Progressing', 'True', 'ReplicaSetUpdated', `ReplicaSet "${setName}" is progressing.`);
    }
    if (failure) set('ReplicaFailure', 'True', String(failure.reason), String(failure.message));
  });
}

/** A rollout that is not complete in time says so, once. */
function watchDeadline(deployment: KubeObject, tools: Tools): void {
  const generation = deployment.metadata.generation;
  tools.clock.after(Number(valueAt(deployment, 'spec', 'progressDeadlineSeconds') ?? 600), () => {
    const now = tools.get('Deployment', deployment.metadata.namespace, deployment.metadata.name);
    if (!now || now.metadata.uid !== deployment.metadata.uid || now.metadata.generation !== generation)
      return;
    if (conditionOf(now, 'Progressing')?.reason === 'NewReplicaSetAvailable') return;
    const message = `Deployment "${now.metadata.name}" has timed out progressing.`;
    const condition = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message,
    } as const;
    tools.updateStatus(now, (draft) => {
      draft.status = {
        ...(draft.status as JsonObject),
        conditions: withCondition(draft, condition, tools.clock.timestamp()),
      };
    });
  });
}
