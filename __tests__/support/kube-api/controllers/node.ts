import type { Tools } from './tools.js';

/** One machine of the cluster, and what Pods can take of it. */
export interface NodeSpec {
  name?: string;
  cpu?: string;
  memory?: string;
  gpus?: number;
  labels?: Readonly<Record<string, string>>;
}

export function addNode(
  { name = 'node-1', cpu = '96', memory = '1Ti', gpus = 8, labels = {} }: NodeSpec,
  tools: Tools,
): void {
  const capacity = { cpu, memory, pods: '110', ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }) };
  const own = { 'kubernetes.io/hostname': name, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' };
  tools.create('Node', { metadata: { name, labels: { ...own, ...labels } }, spec: {} }, 'kubelet');
  const node = tools.get('Node', undefined, name);
  if (!node) throw new Error(`the node ${name} was not made`);
  const time = tools.clock.timestamp();
  tools.updateStatus(
    node,
    (draft) => {
      draft.status = {
        capacity,
        allocatable: capacity,
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: time }],
      };
    },
    'kubelet',
  );
}
