import { type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
}

export const conditionOf = (object: KubeObject, type: string): JsonObject | undefined =>
  listAt(object, 'status', 'conditions').find((condition) => condition.type === type);

export const isTrue = (object: KubeObject, type: string): boolean =>
  conditionOf(object, type)?.status === 'True';

/** The object's conditions with this one among them; its transition time moves only with its status. */
export function withCondition(object: KubeObject, condition: Condition, time: string): JsonObject[] {
  const old = conditionOf(object, condition.type);
  const isSame = old?.status === condition.status;
  const next = { ...condition, lastTransitionTime: isSame ? (old?.lastTransitionTime ?? time) : time };
  const others = listAt(object, 'status', 'conditions').filter(({ type }) => type !== condition.type);
  return [...others, next];
}

export const isReady = (pod: KubeObject): boolean => isTrue(pod, 'Ready');

export const isFinished = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes(String(valueAt(pod, 'status', 'phase')));

/** A Pod that still counts for its owner: neither ended nor on its way out. */
export const isActive = (pod: KubeObject): boolean => !pod.metadata.deletionTimestamp && !isFinished(pod);
