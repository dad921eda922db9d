import type { EnvVar, NodeAffinity, Probe, ResourceRequirements } from 'kubernetes-types/core/v1.js';
import { literal } from '../expansion.js';
import type { KubeObject } from '../objects.js';
import { resourceRequirements } from '../placement.js';
import type { ServingFacts } from './facts.js';
import { INVOCATION_PATH, MODEL_FOLDER, PING_PATH, SERVING_PORT } from './server.js';

/** The fields of `inference.sagemaker.aws.amazon.com/v1` that are rendered; there is no published type for it. */
interface InferenceEndpointConfig extends KubeObject {
  spec: {
    modelName: string;
    endpointName?: string;
    invocationEndpoint: string;
    instanceType?: string;
    nodeAffinity?: NodeAffinity;
    replicas: number;
    maxDeployTimeInSeconds: number;
    modelSourceConfig: ModelSourceConfig;
    worker: {
      image: string;
      resources: ResourceRequirements;
      modelInvocationPort: { name: string; containerPort: number };
      modelVolumeMount: { name: string; mountPath: string };
      environmentVariables?: EnvVar[];
      probes: { startupProbe: Probe; readinessProbe: Probe; livenessProbe: Probe };
    };
    loadBalancer: { healthCheckPath: string };
    metrics?: { enabled: true; modelMetricsConfig: { path: string; port: number } };
    tags: { name: string; value: string }[];
  };
}

interface ModelSourceConfig {
  modelSourceType: 's3' | 'huggingface';
  modelLocation?: string;
  s3Storage?: { bucketName: string; region: string };
  huggingFaceModel?: { modelId: string; tokenSecretRef?: { name: string; key: string } };
}

const HUB_TOKEN = 'HF_TOKEN';
const PROBE_SECONDS = 10;

export function inferenceEndpointConfig(
  facts: ServingFacts,
  pinned: (image: string) => string,
): InferenceEndpointConfig {
  const { input, name, namespace, labels, queue, project, environment, timeout } = facts;
  const metrics = input.engine?.metrics_endpoint;
  const variables = [
    ...[...environment.literals].map(([variable, value]) => ({ name: variable, value: literal(value) })),
    ...environment.entries,
  ];
  const probe: Probe = {
    httpGet: { path: PING_PATH, port: SERVING_PORT },
    periodSeconds: PROBE_SECONDS,
    timeoutSeconds: 5,
  };
  return {
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1',
    kind: 'InferenceEndpointConfig',
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...(queue ? { 'kueue.x-k8s.io/queue-name': queue } : {}) },
    },
    spec: {
      modelName: name,
      // Without a name the operator makes no SageMaker endpoint.
      ...(input.target.sagemaker_endpoint ? { endpointName: facts.endpointName } : {}),
      invocationEndpoint: INVOCATION_PATH,
      ...placement(facts),
      replicas: facts.replicas,
      maxDeployTimeInSeconds: timeout,
      modelSourceConfig: modelSource(facts),
      worker: {
        image: pinned(facts.image),
        resources: resourceRequirements(facts.resources),
        modelInvocationPort: { name: 'http', containerPort: SERVING_PORT },
        modelVolumeMount: { name: 'model-weights', mountPath: MODEL_FOLDER },
        ...(variables.length > 0 ? { environmentVariables: variables } : {}),
        probes: {
          startupProbe: { ...probe, failureThreshold: Math.ceil(timeout / PROBE_SECONDS) },
          readinessProbe: { ...probe, failureThreshold: 3 },
          livenessProbe: { ...probe, failureThreshold: 6 },
        },
      },
      loadBalancer: { healthCheckPath: PING_PATH },
      ...(metrics
        ? { metrics: { enabled: true, modelMetricsConfig: { path: metrics.path, port: metrics.port } } }
        : {}),
      tags: [
        { name: 'mlcc:project', value: project },
        { name: 'mlcc:target', value: input.target.target },
      ],
    },
  };
}

/** The resource takes one of a type and an affinity: a group of instances needs the affinity. */
function placement({ instanceType, instanceGroup }: ServingFacts): {
  instanceType?: string;
  nodeAffinity?: NodeAffinity;
} {
  if (instanceGroup === '') return { instanceType };
  const matchExpressions = [
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [instanceType] },
    { key: 'sagemaker.amazonaws.com/instance-group-name', operator: 'In', values: [instanceGroup] },
  ];
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    },
  };
}

function modelSource({ source, region, environment }: ServingFacts): ModelSourceConfig {
  if (source.kind === 's3') {
    return {
      modelSourceType: 's3',
      ...(source.prefix === '' ? {} : { modelLocation: source.prefix }),
      s3Storage: { bucketName: source.bucket, region },
    };
  }
  const token = environment.entries.find(({ name }) => name === HUB_TOKEN)?.valueFrom?.secretKeyRef;
  return {
    modelSourceType: 'huggingface',
    huggingFaceModel: {
      modelId: source.modelId,
      ...(token?.name ? { tokenSecretRef: { name: token.name, key: token.key } } : {}),
    },
  };
}
