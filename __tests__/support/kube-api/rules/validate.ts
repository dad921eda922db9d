import { badValue, type Cause, required, unsupported } from '../api-error.js';
import { isObject, type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';
import type { ApiResource } from '../resources.js';
import { check } from '../schema/check.js';
import { schemaOf } from '../schema/schema.js';
import { checkLabels, checkMetadata } from './names.js';
import { checkPodSpec } from './pod.js';

const DATA_KEY = /^[-._a-zA-Z0-9]+$/;
const MAX_DATA_BYTES = 1024 * 1024;

/** Every rule of its kind that an object breaks, after defaulting. */
export function validate(object: KubeObject, resource: ApiResource): Cause[] {
  const fromSchema = check(object, schemaOf(resource)).map((problem): Cause => {
    if (problem.kind === 'required') return required(problem.path);
    if (problem.kind === 'enum') return unsupported(problem.path, problem.value, problem.known ?? []);
    return badValue(problem.path, problem.value, problem.message);
  });
  return dedupe([...fromSchema, ...checkMetadata(object.metadata, resource), ...checkKind(object)]);
}

function dedupe(causes: Cause[]): Cause[] {
  const seen = new Set<string>();
  return causes.filter(
    ({ field, reason }) => !seen.has(`${field} ${reason}`) && seen.add(`${field} ${reason}`),
  );
}

function checkKind(object: KubeObject): Cause[] {
  const spec = isObject(object.spec) ? object.spec : {};
  switch (object.kind) {
    case 'Pod':
      return checkPodSpec(spec, 'spec');
    case 'Deployment':
    case 'ReplicaSet':
      return checkWorkload(object.kind, spec);
    case 'Service':
      return checkService(spec);
    case 'ConfigMap':
    case 'Secret':
      return checkData(object);
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return checkBinding(object);
    case 'PersistentVolumeClaim':
      return checkClaim(spec);
    case 'InferenceEndpointConfig':
      return checkModelSource(spec);
    default:
      return [];
  }
}

function checkWorkload(kind: string, spec: JsonObject): Cause[] {
  const causes: Cause[] = [];
  const selector = (valueAt(spec, 'selector', 'matchLabels') ?? {}) as Record<string, string>;
  const labels = (valueAt(spec, 'template', 'metadata', 'labels') ?? {}) as Record<string, string>;
  const expressions = listAt(spec, 'selector', 'matchExpressions');
  if (Object.keys(selector).length === 0 && expressions.length === 0) {
    causes.push(required('spec.selector'));
  } else if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) {
    causes.push(
      badValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'),
    );
  }
  causes.push(...checkLabels(labels, 'spec.template.metadata.labels'));
  if (Number(spec.replicas) < 0)
    causes.push(badValue('spec.replicas', spec.replicas, 'must be greater than or equal to 0'));
  const podSpec = valueAt(spec, 'template', 'spec');
  causes.push(...checkPodSpec(isObject(podSpec) ? podSpec : {}, 'spec.template.spec'));
  const restartPolicy = valueAt(podSpec, 'restartPolicy');
  if (restartPolicy !== undefined && restartPolicy !== 'Always') {
    causes.push(unsupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']));
  }
  const isRecreate = valueAt(spec, 'strategy', 'type') === 'Recreate';
  if (kind === 'Deployment' && isRecreate && valueAt(spec, 'strategy', 'rollingUpdate') !== undefined) {
    const message = "Forbidden: may not be specified when strategy `type` is 'Recreate'";
    causes.push({ reason: 'FieldValueForbidden', message, field: 'spec.strategy.rollingUpdate' });
  }
  return causes;
}

function checkService(spec: JsonObject): Cause[] {
  const ports = listAt(spec, 'ports');
  const isHeadless = spec.clusterIP === 'None';
  if (spec.type === 'ExternalName') return spec.externalName ? [] : [required('spec.externalName')];
  if (ports.length === 0 && !isHeadless) return [required('spec.ports')];
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const number = Number(port.port);
    return [
      ...(number >= 1 && number <= 65535
        ? []
        : [badValue(`${at}.port`, port.port, 'must be between 1 and 65535, inclusive')]),
      ...(ports.length > 1 && !port.name ? [required(`${at}.name`)] : []),
    ];
  });
}

function checkData(object: KubeObject): Cause[] {
  const data = (object.data ?? {}) as Record<string, string>;
  const binary = (object.binaryData ?? {}) as Record<string, string>;
  const keys = [...Object.keys(data), ...Object.keys(binary)];
  const causes = keys
    .filter((key) => !DATA_KEY.test(key) || key.length > 253 || key === '.' || key.startsWith('..'))
    .map((key) =>
      badValue(
        `data[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      ),
    );
  for (const key of Object.keys(binary))
    if (key in data) causes.push(badValue(`binaryData[${key}]`, key, 'duplicate of key present in data'));
  const decoded = (value: string) => Buffer.from(value, 'base64').length;
  const size = Object.values(data).reduce(
    (sum, value) => sum + (object.kind === 'Secret' ? decoded(value) : Buffer.byteLength(value)),
    0,
  );
  const total = Object.values(binary).reduce((sum, value) => sum + decoded(value), size);
  if (total > MAX_DATA_BYTES) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_DATA_BYTES} bytes`,
      field: '',
    });
  }
  return causes;
}

function checkBinding(object: KubeObject): Cause[] {
  const causes: Cause[] = [];
  const roleRef = (object.roleRef ?? {}) as JsonObject;
  const kinds = object.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (roleRef.apiGroup !== 'rbac.authorization.k8s.io') {
    causes.push(unsupported('roleRef.apiGroup', roleRef.apiGroup, ['rbac.authorization.k8s.io']));
  }
  if (!kinds.includes(String(roleRef.kind))) causes.push(unsupported('roleRef.kind', roleRef.kind, kinds));
  listAt(object, 'subjects').forEach((subject, index) => {
    const at = `subjects[${index}]`;
    const isAccount = subject.kind === 'ServiceAccount';
    if (!subject.name) causes.push(required(`${at}.name`));
    if (isAccount && !subject.namespace) causes.push(required(`${at}.namespace`));
    if (isAccount && subject.apiGroup) causes.push(unsupported(`${at}.apiGroup`, subject.apiGroup, ['']));
    if (!['ServiceAccount', 'User', 'Group'].includes(String(subject.kind))) {
      causes.push(unsupported(`${at}.kind`, subject.kind, ['ServiceAccount', 'User', 'Group']));
    }
  });
  return causes;
}

function checkClaim(spec: JsonObject): Cause[] {
  return [
    ...(Array.isArray(spec.accessModes) && spec.accessModes.length > 0 ? [] : [required('spec.accessModes')]),
    ...(valueAt(spec, 'resources', 'requests', 'storage') === undefined
      ? [required('spec.resources[storage]')]
      : []),
  ];
}

const SOURCE_FIELDS: Record<string, string> = {
  s3: 's3Storage',
  fsx: 'fsxStorage',
  huggingface: 'huggingFaceModel',
  kubernetesVolume: 'kubernetesVolume',
};

/** The source's own section must stand beside its type. */
function checkModelSource(spec: JsonObject): Cause[] {
  const field = SOURCE_FIELDS[String(valueAt(spec, 'modelSourceConfig', 'modelSourceType'))];
  if (!field || valueAt(spec, 'modelSourceConfig', field) !== undefined) return [];
  return [required(`spec.modelSourceConfig.${field}`)];
}
