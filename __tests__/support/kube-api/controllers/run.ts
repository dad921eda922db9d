import type { Cluster } from '../requests/write.js';
import type { StoreEvent } from '../store.js';
import { type Controller, Tools } from './tools.js';

/**
 * Hands every change to every controller, in the order of the changes. Never from inside a write: a write by a controller
 * would otherwise reach the watches before the change that it answers.
 */
export function runControllers(cluster: Cluster, controllers: readonly Controller[]): { drain: () => void } {
  const tools = new Tools(cluster);
  const queue: StoreEvent[] = [];
  let isDraining = false;
  const drain = () => {
    if (isDraining) return;
    isDraining = true;
    try {
      for (let event = queue.shift(); event; event = queue.shift()) {
        for (const controller of controllers) controller(event, tools);
      }
    } finally {
      isDraining = false;
    }
  };
  cluster.store.subscribe((event) => {
    queue.push(event);
    queueMicrotask(drain);
  });
  cluster.clock.onStep = drain;
  return { drain };
}
