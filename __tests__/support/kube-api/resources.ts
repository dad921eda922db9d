/** One served kind: how it is addressed, and which schema describes it. */
export interface ApiResource {
  group: string;
  /** Served versions; the first is preferred. Objects are stored once, whatever version wrote them. */
  versions: readonly string[];
  plural: string;
  singular: string;
  kind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  /** Name of its schema in the definitions map. */
  definition: string;
  /** Sub-resources that hold part of the object (`status`, `scale`). */
  subresources: readonly ('status' | 'scale')[];
  /** Served from a custom resource definition: some refusals differ from the built-in kinds'. */
  custom: boolean;
}

const INFERENCE_GROUP = 'inference.sagemaker.aws.amazon.com';

type Extra = Partial<Pick<ApiResource, 'shortNames' | 'categories' | 'subresources' | 'namespaced'>>;

function builtIn(
  group: string,
  definitionPrefix: string,
  kind: string,
  plural: string,
  extra: Extra = {},
): ApiResource {
  return {
    group,
    versions: ['v1'],
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: true,
    shortNames: [],
    categories: [],
    definition: `${definitionPrefix}.${kind}`,
    subresources: [],
    custom: false,
    ...extra,
  };
}

const core = (kind: string, plural: string, extra?: Extra) =>
  builtIn('', 'io.k8s.api.core.v1', kind, plural, extra);
const apps = (kind: string, plural: string, extra?: Extra) =>
  builtIn('apps', 'io.k8s.api.apps.v1', kind, plural, extra);
const rbac = (kind: string, plural: string, extra?: Extra) =>
  builtIn('rbac.authorization.k8s.io', 'io.k8s.api.rbac.v1', kind, plural, extra);

export const RESOURCES: readonly ApiResource[] = [
  core('Namespace', 'namespaces', { namespaced: false, shortNames: ['ns'], subresources: ['status'] }),
  core('Node', 'nodes', { namespaced: false, shortNames: ['no'], subresources: ['status'] }),
  core('Pod', 'pods', { shortNames: ['po'], categories: ['all'], subresources: ['status'] }),
  core('Service', 'services', { shortNames: ['svc'], categories: ['all'], subresources: ['status'] }),
  core('ConfigMap', 'configmaps', { shortNames: ['cm'] }),
  core('Secret', 'secrets'),
  core('ServiceAccount', 'serviceaccounts', { shortNames: ['sa'] }),
  core('Event', 'events', { shortNames: ['ev'] }),
  core('PersistentVolumeClaim', 'persistentvolumeclaims', { shortNames: ['pvc'], subresources: ['status'] }),
  apps('Deployment', 'deployments', {
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: ['status', 'scale'],
  }),
  apps('ReplicaSet', 'replicasets', {
    shortNames: ['rs'],
    categories: ['all'],
    subresources: ['status', 'scale'],
  }),
  // Nothing acts on these: they are what others have in a namespace.
  apps('StatefulSet', 'statefulsets', {
    shortNames: ['sts'],
    categories: ['all'],
    subresources: ['status', 'scale'],
  }),
  apps('DaemonSet', 'daemonsets', { shortNames: ['ds'], categories: ['all'], subresources: ['status'] }),
  builtIn('batch', 'io.k8s.api.batch.v1', 'Job', 'jobs', { categories: ['all'], subresources: ['status'] }),
  rbac('Role', 'roles'),
  rbac('RoleBinding', 'rolebindings'),
  rbac('ClusterRole', 'clusterroles', { namespaced: false }),
  rbac('ClusterRoleBinding', 'clusterrolebindings', { namespaced: false }),
  builtIn('coordination.k8s.io', 'io.k8s.api.coordination.v1', 'Lease', 'leases'),
  {
    group: INFERENCE_GROUP,
    versions: ['v1', 'v1alpha1'],
    plural: 'inferenceendpointconfigs',
    singular: 'inferenceendpointconfig',
    kind: 'InferenceEndpointConfig',
    namespaced: true,
    shortNames: [],
    categories: [],
    definition: 'com.amazonaws.sagemaker.inference.v1.InferenceEndpointConfig',
    subresources: ['status'],
    custom: true,
  },
];

export const apiVersionOf = (group: string, version: string): string =>
  group ? `${group}/${version}` : version;

export function resourceOfKind(kind: string): ApiResource {
  const found = RESOURCES.find((resource) => resource.kind === kind);
  if (!found) throw new Error(`no resource serves the kind ${kind}`);
  return found;
}

export const findResource = (group: string, version: string, plural: string): ApiResource | undefined =>
  RESOURCES.find((r) => r.group === group && r.plural === plural && r.versions.includes(version));
