import { objectName } from '../names.js';
import type { RunInput } from './input.js';

/** @param name the domain's, fit for names of objects */
export function podName(name: string, mode: RunInput['mode']['kind']): string {
  return objectName(name, mode);
}

/** Tells apart runs from several namespaces on one rig. */
export function bindingName(pod: string, loopNamespace: string): string {
  return objectName(pod, loopNamespace, 'edit');
}
