import type { Cluster } from './cluster.js';
import type { LiveObject } from './objects.js';

/** What a node has of a resource, and what its Pods have asked for. */
export interface NodeHeadroom {
  node: string;
  allocatable: number;
  used: number;
  /** What a new Pod could get there; 0 on a node that takes none. */
  free: number;
  /** Why the node takes no Pods; absent where it does. */
  closed?: string;
}

export const NVIDIA_GPU = 'nvidia.com/gpu';

/** The nodes that have a resource at all, by name. */
export async function headroom(cluster: Cluster, resource: string): Promise<NodeHeadroom[]> {
  const [nodes, pods] = await Promise.all([cluster.list('v1', 'Node'), cluster.list('v1', 'Pod')]);
  return nodes
    .map((node) => {
      const { name } = node.metadata;
      const allocatable = Number(node.status?.allocatable?.[resource] ?? 0);
      const used = pods
        .filter((pod) => pod.spec?.nodeName === name && !hasEnded(pod))
        .reduce((sum, pod) => sum + requested(pod, resource), 0);
      const closed = closedBecause(node);
      const free = closed === undefined ? Math.max(0, allocatable - used) : 0;
      return { node: name, allocatable, used, free, ...(closed === undefined ? {} : { closed }) };
    })
    .filter(({ allocatable }) => allocatable > 0)
    .sort((one, other) => (one.node < other.node ? -1 : 1));
}

function hasEnded({ status }: LiveObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

interface Requesting {
  restartPolicy?: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

/**
 * What the scheduler counts for a Pod: all its containers together, or its largest init container where that is more. An
 * init container that keeps running counts with the others.
 */
function requested({ spec }: LiveObject, resource: string): number {
  const of = ({ resources }: Requesting) =>
    Number(resources?.requests?.[resource] ?? resources?.limits?.[resource] ?? 0);
  const init: Requesting[] = spec?.initContainers ?? [];
  const staying = init.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = [...(spec?.containers ?? []), ...staying].reduce(
    (sum: number, container: Requesting) => sum + of(container),
    0,
  );
  return Math.max(running, ...init.map(of));
}

function closedBecause({ spec, status }: LiveObject): string | undefined {
  if (spec?.unschedulable) return 'cordoned';
  const conditions: { type: string; status: string }[] = status?.conditions ?? [];
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return isReady ? undefined : 'not ready';
}
