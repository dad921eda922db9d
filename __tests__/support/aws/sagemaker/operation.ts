import type { Effects } from '../effects.js';
import type { Json } from './resource.js';
import type { Resources } from './resources.js';

/** What an operation works with. */
export interface Context {
  region: string;
  resources: Resources;
  /** What operations do outside of SageMaker. */
  effects: Effects;
}

/** One operation: its input has been checked against the service's model. */
export type Operation = (input: Json, context: Context) => Json | Promise<Json>;

export type Operations = Record<string, Operation>;

/** A member that the service's model has made sure of. */
export function text(input: Json, member: string): string {
  return String(input[member] ?? '');
}

/** A list of structures; empty when it was left out. */
export function structures(value: unknown): Json[] {
  return (value ?? []) as Json[];
}
