import type { KubeObject } from '../json.js';

/** How a Pod fares. Whatever the plan: it is scheduled first, and its references must exist. */
export type PodPlan = { deletion?: 'never' } & (
  | { kind: 'ready'; afterSeconds?: number }
  /** Runs, but its readiness probe never succeeds. */
  | { kind: 'not-ready' }
  | { kind: 'unschedulable'; message: string }
  | { kind: 'image-error'; message?: string }
  | { kind: 'crash-loop'; exitCode?: number }
  /** The containers end by themselves: what follows is up to the restart policy. */
  | { kind: 'exits'; exitCode: number; afterSeconds?: number }
);

/** How the inference operator fares with an InferenceEndpointConfig. */
export interface EndpointPlan {
  /** `pods` (the default): complete once its Pods are ready; failed when they are not in time. */
  deploy?: 'pods' | 'failed' | 'never';
  /** The reason of a failure. */
  message?: string;
  deletion?: 'complete' | 'failed' | 'never';
}

type Rule<Plan> = (object: KubeObject) => Plan | undefined;

/** The plans of a test: the latest rule that has a word on an object decides. */
export class Plans {
  #pods: Rule<PodPlan>[] = [];
  #endpoints: Rule<EndpointPlan>[] = [];

  pods(rule: Rule<PodPlan> | PodPlan): void {
    this.#pods.unshift(typeof rule === 'function' ? rule : () => rule);
  }

  endpoints(rule: Rule<EndpointPlan> | EndpointPlan): void {
    this.#endpoints.unshift(typeof rule === 'function' ? rule : () => rule);
  }

  clear(): void {
    this.#pods = [];
    this.#endpoints = [];
  }

  forPod(pod: KubeObject): PodPlan {
    return firstOf(this.#pods, pod) ?? { kind: 'ready' };
  }

  forEndpoint(config: KubeObject): EndpointPlan {
    return firstOf(this.#endpoints, config) ?? {};
  }
}

function firstOf<Plan>(rules: readonly Rule<Plan>[], object: KubeObject): Plan | undefined {
  for (const rule of rules) {
    const plan = rule(object);
    if (plan) return plan;
  }
  return undefined;
}
