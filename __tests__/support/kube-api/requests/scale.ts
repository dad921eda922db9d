import { badRequest, notFound } from '../api-error.js';
import { isObject, type JsonObject, type KubeObject, valueAt } from '../json.js';
import { mergePatch } from '../patch/merge-patch.js';
import type { Address } from './address.js';
import { parseBody } from './decode.js';
import { type Cluster, updateObject, type WriteOptions } from './write.js';

/** The `scale` view of a workload: its replica count, and nothing else. */
export function readScale(object: KubeObject): JsonObject {
  const { name, namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = object.metadata;
  const labels = (valueAt(object, 'spec', 'selector', 'matchLabels') ?? {}) as Record<string, string>;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: Number(valueAt(object, 'spec', 'replicas') ?? 0) },
    status: {
      replicas: Number(valueAt(object, 'status', 'replicas') ?? 0),
      selector: Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(','),
    },
  };
}

/** Writes the replica count of a replaced or merge-patched Scale. */
export function writeScale(
  cluster: Cluster,
  { resource, namespace, name = '' }: Address,
  { method, body }: { method: string; body: string },
  options: WriteOptions,
): JsonObject {
  const object = cluster.store.get(resource, namespace, name);
  if (!object) throw notFound(resource, name);
  const { data } = parseBody(body);
  const wanted = method === 'PUT' ? data : mergePatch(readScale(object), data);
  const replicas = valueAt(wanted, 'spec', 'replicas') ?? 0;
  if (!Number.isInteger(replicas)) throw badRequest('spec.replicas of a Scale must be an integer');
  const resourceVersion = valueAt(wanted, 'metadata', 'resourceVersion');
  if (!isObject(object.spec)) throw badRequest('the object has no spec');
  object.spec.replicas = replicas as number;
  if (typeof resourceVersion === 'string' && resourceVersion)
    object.metadata.resourceVersion = resourceVersion;
  const before = cluster.store.get(resource, namespace, name) ?? object;
  return readScale(updateObject(cluster, resource, before, object, options));
}
