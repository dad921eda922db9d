import { labelValue } from './names.js';

/** What every Kubernetes object has; the rest follows its kind. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** The labels of every object that we make: who manages it, the project or run it is part of, and its role there. */
export function standardLabels({
  partOf,
  component,
}: {
  partOf: string;
  component: string;
}): Record<string, string> {
  return {
    'app.kubernetes.io/component': labelValue(component),
    'app.kubernetes.io/managed-by': 'mlcc',
    'app.kubernetes.io/part-of': labelValue(partOf),
  };
}
