import type { RoleBinding } from 'kubernetes-types/rbac/v1.js';
import { objectName } from '../names.js';
import type { KubeObject } from '../objects.js';
import type { RunFacts } from './facts.js';

/** Lets the run's service account change the rig. Its name tells apart runs from several namespaces on one rig. */
export function rigRoleBinding({ required, podName, labels }: RunFacts): KubeObject {
  const binding: RoleBinding & KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: {
      name: objectName(podName, required.loopNamespace, 'edit'),
      namespace: required.rigNamespace,
      labels,
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'ServiceAccount', name: required.serviceAccount, namespace: required.loopNamespace }],
  };
  return binding;
}
