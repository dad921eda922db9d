import type { ObjectKey } from '../deployed.js';
import type { KubeObject } from '../objects.js';

/** An object as the cluster holds it. */
export interface LiveObject extends KubeObject {
  metadata: KubeObject['metadata'] & {
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    managedFields?: { manager?: string; operation?: string; fieldsV1?: object }[];
    ownerReferences?: { kind: string; name: string; uid: string; controller?: boolean }[];
  };
  // biome-ignore lint/suspicious/noExplicitAny: the fields of each kind are read where that kind is known
  spec?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  status?: any;
}

/** An object's name for a person: `deployment/chat in namespace serving`. */
export function nameOf({ kind, metadata }: ObjectKey): string {
  const where = metadata.namespace === undefined ? '' : ` in namespace ${metadata.namespace}`;
  return `${kind.toLowerCase()}/${metadata.name}${where}`;
}

/** The names under which the renderer's and the commands' writes are known to the cluster. */
export const APPLY_MANAGER = 'mlcc';
/** Another than the renderer's: an apply after it must see the change as somebody else's. */
export const EDIT_MANAGER = 'mlcc-kube';
