import type { RoleBinding } from 'kubernetes-types/rbac/v1.js';
import type { KubeObject } from '../objects.js';
import type { RunFacts } from './facts.js';
import { bindingName } from './names.js';

/** Lets the run's service account change the rig. */
export function rigRoleBinding({ required, podName, labels }: RunFacts): KubeObject {
  const binding: RoleBinding & KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: {
      name: bindingName(podName, required.loopNamespace),
      namespace: required.rigNamespace,
      labels,
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'ServiceAccount', name: required.serviceAccount, namespace: required.loopNamespace }],
  };
  return binding;
}
