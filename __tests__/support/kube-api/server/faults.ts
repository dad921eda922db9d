import type { StatusBody } from '../api-error.js';

/** What goes wrong with a request. */
export type FaultAction =
  | {
      kind: 'status';
      code: number;
      reason?: string;
      message?: string;
      retryAfterSeconds?: number;
      body?: StatusBody | string;
    }
  /** The connection ends without an answer. */
  | { kind: 'drop' }
  /** The same, and the test does something at that moment: ends the client, say. */
  | { kind: 'run'; run: () => void }
  /** No answer, ever: until the client gives up or the server stops. */
  | { kind: 'hang' };

export interface FaultRule {
  method?: string;
  /** Part of the path with its query, or a pattern for it. */
  path?: string | RegExp;
  /** Part of the client's name for itself. */
  agent?: string;
  /** Only the nth matching request (from 1); without it every one, at most `times`. */
  nth?: number;
  /** From the nth matching request on, for good. */
  from?: number;
  times?: number;
  /** `after`: the request is carried out, and the client does not learn it. */
  when?: 'before' | 'after';
  action: FaultAction;
}

/** The rules of a test, and how often each has matched. */
export class Faults {
  #rules: { rule: FaultRule; seen: number }[] = [];

  /** Adds a rule; the returned function takes it away again. */
  add(rule: FaultRule): () => void {
    const entry = { rule, seen: 0 };
    this.#rules.push(entry);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== entry);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** The fault that meets this request, if any; each matching rule counts it. */
  next(method: string, url: string, agent = ''): FaultRule | undefined {
    let found: FaultRule | undefined;
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (rule.method && rule.method !== method) continue;
      if (typeof rule.path === 'string' && !url.includes(rule.path)) continue;
      if (rule.path instanceof RegExp && !rule.path.test(url)) continue;
      if (rule.agent && !agent.includes(rule.agent)) continue;
      entry.seen += 1;
      const isDue =
        rule.nth === undefined
          ? entry.seen >= (rule.from ?? 1) && entry.seen <= (rule.times ?? Number.POSITIVE_INFINITY)
          : entry.seen === rule.nth;
      if (isDue) found ??= rule;
    }
    return found;
  }
}
