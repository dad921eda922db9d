import { isObject, type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';

/** Fills in what the API server fills in, so that a client that forgets a default meets it in the answer. */
export function applyDefaults(object: KubeObject): void {
  const spec = isObject(object.spec) ? object.spec : undefined;
  switch (object.kind) {
    case 'Pod':
      if (spec) podSpec(spec);
      break;
    case 'Deployment':
      if (spec) deploymentSpec(spec);
      break;
    case 'ReplicaSet':
      if (spec) {
        fill(spec, { replicas: 1 });
        template(spec);
      }
      break;
    case 'Service':
      if (spec) serviceSpec(spec);
      break;
    case 'Secret':
      secret(object);
      break;
    case 'PersistentVolumeClaim':
      if (spec) fill(spec, { volumeMode: 'Filesystem' });
      break;
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      binding(object);
      break;
    case 'Namespace':
      object.metadata.labels = {
        ...object.metadata.labels,
        'kubernetes.io/metadata.name': object.metadata.name,
      };
      object.spec ??= { finalizers: ['kubernetes'] };
      break;
    case 'InferenceEndpointConfig':
      if (spec) fill(spec, { replicas: 1 });
      break;
  }
}

function fill(target: JsonObject, defaults: JsonObject): void {
  for (const [key, value] of Object.entries(defaults)) target[key] ??= value;
}

function deploymentSpec(spec: JsonObject): void {
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} });
  const strategy = spec.strategy as JsonObject;
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') {
    fill(strategy, { rollingUpdate: {} });
    fill(strategy.rollingUpdate as JsonObject, { maxSurge: '25%', maxUnavailable: '25%' });
  }
  template(spec);
}

function template(spec: JsonObject): void {
  const podTemplate = valueAt(spec, 'template', 'spec');
  if (isObject(podTemplate)) podSpec(podTemplate);
}

function podSpec(spec: JsonObject): void {
  fill(spec, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    securityContext: {},
  });
  if (spec.serviceAccountName !== undefined) fill(spec, { serviceAccount: spec.serviceAccountName });
  for (const container of [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')])
    containerDefaults(container);
  for (const volume of listAt(spec, 'volumes')) volumeDefaults(volume);
}

function containerDefaults(container: JsonObject): void {
  const image = String(container.image ?? '');
  const isLatest = !image.includes('@') && (/:latest$/.test(image) || !/:[^/]*$/.test(image));
  fill(container, {
    imagePullPolicy: isLatest ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    resources: {},
  });
  for (const port of listAt(container, 'ports')) fill(port, { protocol: 'TCP' });
  for (const entry of listAt(container, 'env')) {
    const fieldRef = valueAt(entry, 'valueFrom', 'fieldRef');
    if (isObject(fieldRef)) fill(fieldRef, { apiVersion: 'v1' });
  }
  const limits = valueAt(container, 'resources', 'limits');
  if (isObject(limits)) {
    const resources = container.resources as JsonObject;
    fill(resources, { requests: {} });
    fill(resources.requests as JsonObject, limits);
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[name];
    if (!isObject(probe)) continue;
    fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
    if (isObject(probe.httpGet)) fill(probe.httpGet, { path: '/', scheme: 'HTTP' });
  }
}

function volumeDefaults(volume: JsonObject): void {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of ['configMap', 'secret', 'downwardAPI', 'projected']) {
    const own = volume[source];
    if (isObject(own)) fill(own, { defaultMode: 0o644 });
  }
  for (const source of listAt(volume, 'projected', 'sources')) {
    const token = source.serviceAccountToken;
    if (isObject(token)) fill(token, { expirationSeconds: 3600 });
  }
}

function serviceSpec(spec: JsonObject): void {
  fill(spec, { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' });
  for (const port of listAt(spec, 'ports')) fill(port, { protocol: 'TCP', targetPort: port.port ?? 0 });
}

/** `stringData` is write-only: it arrives in `data`, encoded. */
function secret(object: KubeObject): void {
  object.type ??= 'Opaque';
  const plain = object.stringData;
  if (!isObject(plain)) return;
  const encoded = Object.entries(plain).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  object.data = { ...(object.data as JsonObject | undefined), ...Object.fromEntries(encoded) };
  delete object.stringData;
}

function binding(object: KubeObject): void {
  for (const subject of listAt(object, 'subjects')) {
    if (subject.kind === 'User' || subject.kind === 'Group')
      fill(subject, { apiGroup: 'rbac.authorization.k8s.io' });
  }
}
