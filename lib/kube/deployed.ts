import type { KubeObject } from './objects.js';

/** What names an object in a cluster. */
export type ObjectKey = Pick<KubeObject, 'apiVersion' | 'kind'> & {
  metadata: { name: string; namespace?: string };
};

/** The objects of a deployment by their names, in the order in which they are deleted. */
export interface DeployedObjects {
  keys: readonly ObjectKey[];
  /** Whose they are, as their label `part-of` says. */
  partOf: string;
  /** Objects whose names are not known, since they depend on what was deployed: all of a kind with these labels. */
  labelled?: {
    apiVersion: string;
    kind: string;
    namespace: string;
    labels: Readonly<Record<string, string>>;
  };
}

export function keyOf(apiVersion: string, kind: string, namespace: string, name: string): ObjectKey {
  return { apiVersion, kind, metadata: { name, namespace } };
}
