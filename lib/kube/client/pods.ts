import { Failure } from '../../failure/index.js';
import type { ObjectKey } from '../deployed.js';
import type { Cluster } from './cluster.js';
import { explain } from './explain.js';
import { type LiveObject, nameOf } from './objects.js';
import { mustGet } from './target.js';

/** The Pod that a name means: itself, or the newest ready one of a Deployment. Throws a Failure with the reasons for none. */
export async function podOf(cluster: Cluster, key: ObjectKey): Promise<LiveObject> {
  const object = await mustGet(cluster, key);
  if (object.kind === 'Pod') return object;
  const { namespace = '' } = object.metadata;
  const labels = object.spec?.selector?.matchLabels ?? {};
  const pods = await cluster.list('v1', 'Pod', { namespace, labels });
  const ready = pods.filter(isReady).sort(newestFirst);
  if (ready[0]) return ready[0];
  throw new Failure({
    what: `no Pod of ${nameOf(key)} is ready`,
    why: await explain(cluster, object),
    next: `mlcc kube rollout-status ${key.metadata.name} waits for one`,
  });
}

function isReady({ metadata, status }: LiveObject): boolean {
  const conditions: { type: string; status: string }[] = status?.conditions ?? [];
  return (
    metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  );
}

function newestFirst(one: LiveObject, other: LiveObject): number {
  const [first = '', second = ''] = [one, other].map(({ metadata }) => metadata.creationTimestamp);
  return first === second ? (one.metadata.name < other.metadata.name ? -1 : 1) : first < second ? 1 : -1;
}
