import type { Cluster } from './cluster.js';
import { ApiRefusal } from './failures.js';
import type { LiveObject } from './objects.js';
import { podReasons } from './readiness.js';

interface EventObject extends LiveObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
}

const MOST_EVENTS = 10;

/** What the cluster says about an object that does not get ready: its Pods' states, and warnings about all of them. */
export async function explain(cluster: Cluster, object: LiveObject): Promise<string[]> {
  try {
    const family = await familyOf(cluster, object);
    const pods = family.filter(({ kind }) => kind === 'Pod');
    const states = pods.flatMap(({ metadata, status }) => {
      const reasons = podReasons(status);
      const phase = reasons.length > 0 ? reasons : [String(status?.phase ?? 'Pending')];
      return phase.map((reason) => `pod/${metadata.name}: ${reason}`);
    });
    const events: string[] = [];
    for (const member of family) events.push(...(await warningsAbout(cluster, member)));
    return [...new Set([...states, ...events.slice(-MOST_EVENTS)])];
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    // Who may deploy need not be allowed to look at everything.
    return [`why is not to be seen: ${error.message}`];
  }
}

/** The object, what it owns, what that owns, down to the Pods. */
async function familyOf(cluster: Cluster, object: LiveObject): Promise<LiveObject[]> {
  const family: LiveObject[] = [object];
  const { namespace } = object.metadata;
  if (object.kind === 'Pod' || namespace === undefined) return family;
  for (const [apiVersion, kind] of [
    ['apps/v1', 'Deployment'],
    ['apps/v1', 'ReplicaSet'],
    ['v1', 'Pod'],
  ] as const) {
    const owners = new Set(family.map(({ metadata }) => metadata.uid));
    const all = await cluster.list(apiVersion, kind, { namespace });
    const owned = all.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => owners.has(uid)));
    family.push(...owned);
  }
  return family;
}

async function warningsAbout(cluster: Cluster, { metadata, kind }: LiveObject): Promise<string[]> {
  const { namespace, uid, name } = metadata;
  if (namespace === undefined || uid === undefined) return [];
  const events = (await cluster.list('v1', 'Event', {
    namespace,
    fields: { 'involvedObject.uid': uid },
  })) as EventObject[];
  return events
    .filter(({ type }) => type === 'Warning')
    .map(({ reason, message, count = 1 }) => {
      const often = count > 1 ? ` (${count} times)` : '';
      return `${kind.toLowerCase()}/${name}: ${reason}: ${message}${often}`;
    });
}
