import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type {
  Affinity,
  ConfigMap,
  Container,
  Probe,
  Service,
  Volume,
  VolumeMount,
} from 'kubernetes-types/core/v1.js';
import { literal } from '../expansion.js';
import { shortHash } from '../names.js';
import type { KubeObject } from '../objects.js';
import { platformSelector, resourceRequirements } from '../placement.js';
import type { ServingFacts } from './facts.js';
import { MODEL_FOLDER, PING_PATH, SERVING_PORT } from './server.js';

/** Fetches staged weights before the server starts. It is pinned like the server's own image. */
export const FETCH_IMAGE = 'public.ecr.aws/aws-cli/aws-cli:latest';

const PORT_NAME = 'http';
const PROBE_SECONDS = 10;

/** The container's literal settings; the Deployment rolls when they change. */
export function servingConfigMap({
  name,
  namespace,
  labels,
  environment,
}: ServingFacts): ConfigMap & KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data: Object.fromEntries(environment.literals),
  };
}

export function servingService({ name, namespace, labels, selector }: ServingFacts): Service & KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: {
      type: 'ClusterIP',
      selector,
      ports: [{ name: PORT_NAME, port: SERVING_PORT, targetPort: PORT_NAME }],
    },
  };
}

export function servingDeployment(
  facts: ServingFacts,
  pinned: (image: string) => string,
): Deployment & KubeObject {
  const { name, namespace, labels, selector, queue, replicas, profile, timeout } = facts;
  const staged = facts.source.kind === 's3' ? [stagedWeights()] : [];
  const volumes = [sharedMemory(), ...staged];
  const { platform } = profile.cluster ?? {};
  const settingsHash = shortHash(JSON.stringify([...facts.environment.literals]));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...(queue ? { 'kueue.x-k8s.io/queue-name': queue } : {}) },
    },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      progressDeadlineSeconds: timeout,
      template: {
        metadata: { labels: selector, annotations: { 'mlcc/settings-hash': settingsHash } },
        spec: {
          automountServiceAccountToken: false,
          // A service that happens to be called `vllm` would set VLLM_PORT.
          enableServiceLinks: false,
          ...(profile.image?.pull_secret ? { imagePullSecrets: [{ name: profile.image.pull_secret }] } : {}),
          ...(platform ? { nodeSelector: platformSelector(platform) } : {}),
          ...placement(facts),
          ...(facts.source.kind === 's3'
            ? { initContainers: [fetcher(facts.source.uri, facts.region, pinned)] }
            : {}),
          containers: [
            server(
              facts,
              pinned,
              volumes.map(({ mount }) => mount),
            ),
          ],
          volumes: volumes.map(({ volume }) => volume),
        },
      },
    },
  };
}

function server(facts: ServingFacts, pinned: (image: string) => string, mounts: VolumeMount[]): Container {
  const { image, name, environment, resources, timeout } = facts;
  const ping: Probe = {
    httpGet: { path: PING_PATH, port: PORT_NAME },
    periodSeconds: PROBE_SECONDS,
    timeoutSeconds: 5,
  };
  return {
    name: 'server',
    image: pinned(image),
    ports: [{ name: PORT_NAME, containerPort: SERVING_PORT }],
    envFrom: [{ configMapRef: { name } }],
    ...(environment.entries.length > 0 ? { env: environment.entries } : {}),
    resources: resourceRequirements(resources),
    // Loading weights may take as long as the whole deployment may.
    startupProbe: { ...ping, failureThreshold: Math.ceil(timeout / PROBE_SECONDS) },
    readinessProbe: { ...ping, failureThreshold: 3 },
    livenessProbe: { ...ping, failureThreshold: 6 },
    volumeMounts: mounts,
  };
}

/** Engines that run on several GPUs pass tensors through it; the usual 64 MiB are not enough. */
function sharedMemory(): { volume: Volume; mount: VolumeMount } {
  const name = 'shared-memory';
  return { volume: { name, emptyDir: { medium: 'Memory' } }, mount: { name, mountPath: '/dev/shm' } };
}

function stagedWeights(): { volume: Volume; mount: VolumeMount } {
  const name = 'model';
  return { volume: { name, emptyDir: {} }, mount: { name, mountPath: MODEL_FOLDER } };
}

function fetcher(uri: string, region: string, pinned: (image: string) => string): Container {
  return {
    name: 'fetch-model',
    image: pinned(FETCH_IMAGE),
    args: ['s3', 'sync', '--no-progress', uri, MODEL_FOLDER].map(literal),
    ...(region ? { env: [{ name: 'AWS_REGION', value: region }] } : {}),
    volumeMounts: [stagedWeights().mount],
  };
}

/** HyperPod's nodes call their type `ml.g5.2xlarge`, EKS' own `g5.2xlarge`. */
function placement({ instanceType }: ServingFacts): { affinity?: Affinity } {
  if (instanceType === '') return {};
  const type = instanceType.replace(/^ml\./, '');
  const expression = {
    key: 'node.kubernetes.io/instance-type',
    operator: 'In',
    values: [type, `ml.${type}`],
  };
  const nodeSelectorTerms = [{ matchExpressions: [expression] }];
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  };
}
