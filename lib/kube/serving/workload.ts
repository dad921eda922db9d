import { Failure } from '../../failure/index.js';
import type { ServingTarget } from './input.js';

/** Throws a Failure for a target that the renderer makes nothing for. */
export function refuseWithoutWorkload({ target, workload }: ServingTarget): void {
  if (workload !== 'none') return;
  throw new Failure({
    what: `${target} has no Kubernetes workload to render`,
    why: 'its descriptor says `workload: none`',
    next: 'do/deploy deploys it',
    exit: 2,
  });
}
