import type { Schema } from '../schema/schema.js';

/**
 * The custom resource of the SageMaker HyperPod inference operator, group inference.sagemaker.aws.amazon.com. It is not
 * among the published Kubernetes schemas; this states its documented fields, what is required, and the allowed values.
 */
const PREFIX = 'com.amazonaws.sagemaker.inference.v1';
const k8s = (name: string): Schema => ({ $ref: `#/definitions/io.k8s.api.core.v1.${name}` });
const text = (extra: Schema = {}): Schema => ({ type: 'string', ...extra });
const integer = (minimum = 0, maximum = 2 ** 31 - 1): Schema => ({
  type: 'integer',
  format: 'int32',
  minimum,
  maximum,
});
const flag: Schema = { type: 'boolean' };
const list = (items: Schema): Schema => ({ type: 'array', items });
const record = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const keyOf = record({ name: text({ minLength: 1 }), key: text({ minLength: 1 }) }, ['name', 'key']);
const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const instanceType = text({ pattern: '^ml\\..*' });

const modelSourceConfig = record(
  {
    modelSourceType: text({ enum: ['s3', 'fsx', 'huggingface', 'kubernetesVolume'] }),
    modelLocation: text(),
    prefetchEnabled: flag,
    s3Storage: record({ bucketName: text({ minLength: 1 }), region: text({ minLength: 1 }) }, [
      'bucketName',
      'region',
    ]),
    fsxStorage: record({ fileSystemId: text({ minLength: 1 }), dnsName: text(), mountName: text() }, [
      'fileSystemId',
    ]),
    huggingFaceModel: record({ modelId: text({ minLength: 1 }), commitSHA: text(), tokenSecretRef: keyOf }, [
      'modelId',
    ]),
    kubernetesVolume: open,
  },
  ['modelSourceType'],
);

const worker = record(
  {
    image: text({ minLength: 1 }),
    resources: k8s('ResourceRequirements'),
    modelInvocationPort: record({ containerPort: integer(1, 65535), name: text({ maxLength: 15 }) }, [
      'containerPort',
    ]),
    modelVolumeMount: record({ name: text({ minLength: 1 }), mountPath: text() }, ['name']),
    environmentVariables: list(k8s('EnvVar')),
    args: list(text()),
    command: list(text()),
    workingDir: text(),
    probes: record({
      livenessProbe: k8s('Probe'),
      readinessProbe: k8s('Probe'),
      startupProbe: k8s('Probe'),
    }),
  },
  ['image', 'resources', 'modelInvocationPort', 'modelVolumeMount'],
);

const autoScalingSpec = record({
  minReplicaCount: integer(),
  maxReplicaCount: integer(1),
  pollingInterval: integer(1),
  cooldownPeriod: integer(0),
  cloudWatchTrigger: open,
  prometheusTrigger: open,
});

const spec: Schema = {
  ...record(
    {
      modelName: text({ minLength: 1, maxLength: 63 }),
      modelVersion: text(),
      modelSourceConfig,
      worker,
      instanceType,
      instanceTypes: { ...list(instanceType), minItems: 1 },
      nodeAffinity: k8s('NodeAffinity'),
      endpointName: text({ maxLength: 63, pattern: '^([a-zA-Z0-9](-*[a-zA-Z0-9]){0,62})?$' }),
      invocationEndpoint: text(),
      replicas: integer(),
      maxDeployTimeInSeconds: integer(1),
      tlsConfig: record({ tlsCertificateOutputS3Uri: text(), certificateName: text() }),
      metrics: record({
        enabled: flag,
        metricsScrapeIntervalSeconds: integer(1),
        modelMetricsConfig: record({ path: text(), port: integer(1, 65535) }),
      }),
      loadBalancer: record({
        healthCheckPath: text(),
        routingAlgorithm: text({ enum: ['least_outstanding_requests', 'round_robin', 'weighted_random'] }),
      }),
      autoScalingSpec,
      tags: list(record({ name: text(), value: text() }, ['name', 'value'])),
    },
    ['modelName', 'modelSourceConfig', 'worker'],
  ),
  oneOf: [{ required: ['instanceType'] }, { required: ['instanceTypes'] }, { required: ['nodeAffinity'] }],
};

const phases = ['Pending', 'InProgress', 'Failed', 'Complete'];
const status = record({
  state: text({ enum: phases.flatMap((phase) => [`Deployment${phase}`, `Deletion${phase}`]) }),
  observedGeneration: { type: 'integer', format: 'int64' },
  replicas: integer(),
  conditions: {
    ...list({ $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Condition' }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  },
  endpoints: record({ sagemaker: record({ state: text(), endpointArn: text(), endpointName: text() }) }),
});

export const inferenceEndpointConfigDefinitions: Record<string, Schema> = {
  [`${PREFIX}.InferenceEndpointConfig`]: record(
    {
      apiVersion: text(),
      kind: text(),
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec,
      status,
    },
    ['spec'],
  ),
};
