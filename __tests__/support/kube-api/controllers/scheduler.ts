import { type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';
import { resourceOfKind } from '../resources.js';
import { quantity } from '../rules/quantity.js';
import { isFinished, withCondition } from './conditions.js';
import type { Plans } from './plans.js';
import type { Controller, Tools } from './tools.js';

const DECISION_SECONDS = 1;

/** Puts each new Pod on a node that has room for its requests, or says which is lacking. */
export const scheduler =
  (plans: Plans): Controller =>
  ({ object, type }, tools) => {
    if (object.kind === 'Pod' && type === 'ADDED') later(object, tools, plans);
    // room may have come: with a node, a claim, or a Pod that ended
    const frees = object.kind === 'Pod' && (type === 'DELETED' || isFinished(object));
    if (frees || object.kind === 'Node' || object.kind === 'PersistentVolumeClaim') {
      for (const pod of tools.list('Pod'))
        if (valueAt(pod, 'status', 'phase') === 'Pending') later(pod, tools, plans);
    }
  };

function later(pod: KubeObject, tools: Tools, plans: Plans): void {
  tools.clock.after(DECISION_SECONDS, () => {
    const current = tools.get('Pod', pod.metadata.namespace, pod.metadata.name);
    if (!current || current.metadata.uid !== pod.metadata.uid || valueAt(current, 'spec', 'nodeName')) return;
    const plan = plans.forPod(current);
    const refusal = plan.kind === 'unschedulable' ? plan.message : undefined;
    schedule(current, tools, refusal);
  });
}

function schedule(pod: KubeObject, tools: Tools, refusal: string | undefined): void {
  const time = tools.clock.timestamp();
  const nodes = tools.list('Node');
  const obstacles = nodes.map((node) => obstacle(pod, node, tools));
  const at = refusal === undefined ? obstacles.indexOf(undefined) : -1;
  const lacking = missingClaim(pod, tools) ?? refusal ?? summary(obstacles);
  const node = nodes[at];
  if (!node || missingClaim(pod, tools)) {
    const scheduled = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: lacking,
    } as const;
    tools.updateStatus(
      pod,
      (draft) => {
        draft.status = {
          ...(draft.status as JsonObject),
          phase: 'Pending',
          conditions: withCondition(draft, scheduled, time),
        };
      },
      'kube-scheduler',
    );
    tools.event(pod, 'Warning', 'FailedScheduling', lacking, 'default-scheduler');
    return;
  }
  const scheduled = { type: 'PodScheduled', status: 'True' } as const;
  // a binding is the one write that may set a Pod's node
  tools.store.put(resourceOfKind('Pod'), {
    ...pod,
    spec: { ...(pod.spec as JsonObject), nodeName: node.metadata.name },
    status: {
      ...(pod.status as JsonObject),
      phase: 'Pending',
      conditions: withCondition(pod, scheduled, time),
    },
  });
  const where = `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${node.metadata.name}`;
  tools.event(pod, 'Normal', 'Scheduled', where, 'default-scheduler');
}

function summary(obstacles: readonly (string | undefined)[]): string {
  const counts = new Map<string, number>();
  for (const text of obstacles) if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1);
  const parts = [...counts].map(([text, count]) => `${count} ${text}`);
  const none = `0/${obstacles.length} nodes are available`;
  if (parts.length === 0) return 'no nodes available to schedule pods';
  return `${none}: ${parts.join(', ')}. preemption: ${none}: ${obstacles.length} No preemption victims found for incoming pod.`;
}

/** Why a Pod cannot run on a node, or undefined when it can. */
function obstacle(pod: KubeObject, node: KubeObject, tools: Tools): string | undefined {
  if (!labelsFit(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  const others = tools
    .list('Pod')
    .filter((other) => valueAt(other, 'spec', 'nodeName') === node.metadata.name && !isFinished(other));
  for (const [name, wanted] of Object.entries(requestsOf(pod))) {
    const total = quantity(valueAt(node, 'status', 'allocatable', name) ?? 0);
    const used = others.reduce((sum, other) => sum + (requestsOf(other)[name] ?? 0), 0);
    if (used + wanted > total) return `Insufficient ${name}`;
  }
  return undefined;
}

/** What a Pod takes of a node: the sum of its containers' requests. */
function requestsOf(pod: KubeObject): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const container of listAt(pod, 'spec', 'containers')) {
    const requests = (valueAt(container, 'resources', 'requests') ?? {}) as JsonObject;
    for (const [name, amount] of Object.entries(requests)) sum[name] = (sum[name] ?? 0) + quantity(amount);
  }
  return sum;
}

function labelsFit(pod: KubeObject, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = (valueAt(pod, 'spec', 'nodeSelector') ?? {}) as Record<string, string>;
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) return false;
  const required = ['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
  const terms = listAt(pod, ...required, 'nodeSelectorTerms');
  return (
    terms.length === 0 ||
    terms.some((term) => listAt(term, 'matchExpressions').every((rule) => ruleFits(rule, labels)))
  );
}

function ruleFits({ key, operator, values }: JsonObject, labels: Record<string, string>): boolean {
  const value = labels[String(key)];
  const isListed = value !== undefined && Array.isArray(values) && values.includes(value);
  switch (operator) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return value !== undefined;
    default:
      return operator === 'DoesNotExist' && value === undefined;
  }
}

function missingClaim(pod: KubeObject, tools: Tools): string | undefined {
  for (const volume of listAt(pod, 'spec', 'volumes')) {
    const claim = valueAt(volume, 'persistentVolumeClaim', 'claimName');
    if (claim && !tools.get('PersistentVolumeClaim', pod.metadata.namespace, String(claim))) {
      return `persistentvolumeclaim "${claim}" not found`;
    }
  }
  return undefined;
}
