import type { Kind } from './resource.js';

/** How a change of a resource goes; without a plan it lasts one look and succeeds. */
export interface Plan {
  /** `async-inference` is the answer to one asynchronous invocation; its name is the endpoint's. */
  kind: Kind | 'async-inference';
  name?: string | RegExp;
  on: 'create' | 'update' | 'delete' | 'stop';
  /** How many looks the change lasts; `Infinity`: it never ends. */
  looks?: number;
  /** It ends Failed, for this reason. */
  fails?: string;
  /** An update ends with what was before, for this reason. */
  rollsBack?: string;
  /** An endpoint's update ends UpdateRollbackFailed, for this reason. */
  rollbackFails?: string;
  /** For how many looks what was created is not there yet. */
  unseen?: number;
  /** For how many changes the plan holds; for all by default. */
  times?: number;
}

/** The plans of a test; a later one goes before an earlier one. */
export class Plans {
  #plans: { plan: Plan; left: number }[] = [];

  add(plan: Plan): void {
    this.#plans.unshift({ plan, left: plan.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#plans = [];
  }

  /** The plan for a change that begins now. */
  take(kind: Plan['kind'], name: string, on: Plan['on']): Omit<Plan, 'kind' | 'on'> {
    const entry = this.#plans.find(({ plan, left }) => {
      if (left <= 0 || plan.kind !== kind || plan.on !== on) return false;
      if (plan.name === undefined) return true;
      return typeof plan.name === 'string' ? plan.name === name : plan.name.test(name);
    });
    if (!entry) return {};
    entry.left -= 1;
    return entry.plan;
  }
}
