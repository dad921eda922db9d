import { request } from 'node:https';
import type { KubeApi } from '../support/kube-api/index.js';

export interface Reply {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read freely in tests
  body: any;
  warnings: string;
}

interface SendOptions {
  type?: string;
  token?: string;
}

/** Sends one request; an object goes as JSON, a string as it is. */
export function send(
  api: KubeApi,
  method: string,
  path: string,
  body?: unknown,
  options: SendOptions = {},
): Promise<Reply> {
  const { type = 'application/json', token = api.token } = options;
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      api.url + path,
      {
        method,
        ca: api.certificateAuthority,
        agent: false,
        headers: {
          'content-length': Buffer.byteLength(text),
          authorization: `Bearer ${token}`,
          'content-type': type,
          'user-agent': 'a-test/1',
        },
      },
      (incoming) => {
        let text = '';
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('error', reject);
        incoming.on('end', () => {
          const isJson = String(incoming.headers['content-type']).includes('json');
          resolve({
            code: incoming.statusCode ?? 0,
            body: isJson && !text.includes('\n') ? JSON.parse(text) : text,
            warnings: String(incoming.headers.warning ?? ''),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

const PLURALS: Record<string, string> = {
  ConfigMap: '/api/v1/namespaces/default/configmaps',
  Secret: '/api/v1/namespaces/default/secrets',
  Service: '/api/v1/namespaces/default/services',
  Pod: '/api/v1/namespaces/default/pods',
  PersistentVolumeClaim: '/api/v1/namespaces/default/persistentvolumeclaims',
  Namespace: '/api/v1/namespaces',
  Deployment: '/apis/apps/v1/namespaces/default/deployments',
  ReplicaSet: '/apis/apps/v1/namespaces/default/replicasets',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
  InferenceEndpointConfig:
    '/apis/inference.sagemaker.aws.amazon.com/v1/namespaces/default/inferenceendpointconfigs',
};

/** The collection of a kind in the namespace `default`. */
export function pathOf(kind: string): string {
  const path = PLURALS[kind];
  if (!path) throw new Error(`the tests know no path of ${kind}`);
  return path;
}

export const create = (api: KubeApi, object: Manifest, query = 'fieldValidation=Strict'): Promise<Reply> =>
  send(api, 'POST', `${pathOf(object.kind)}?${query}`, object);

export interface Manifest {
  kind: string;
  metadata: { name: string; [field: string]: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: objects are written freely in tests
  [field: string]: any;
}

/** Server-side apply as the manager `alice`, unless the query says otherwise. */
export const apply = (api: KubeApi, object: Manifest, query = ''): Promise<Reply> =>
  send(
    api,
    'PATCH',
    `${pathOf(object.kind)}/${object.metadata.name}?${query.includes('fieldManager') ? '' : 'fieldManager=alice&'}fieldValidation=Strict&${query}`,
    object,
    { type: 'application/apply-patch+yaml' },
  );

export const get = (api: KubeApi, kind: string, name: string): Promise<Reply> =>
  send(api, 'GET', `${pathOf(kind)}/${name}`);

export const configMap = (
  name: string,
  data: Record<string, string>,
  extra: Record<string, unknown> = {},
): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
  ...extra,
});

export const pod = (
  name: string,
  container: Record<string, unknown> = {},
  spec: Record<string, unknown> = {},
): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: 'main', image: 'registry.test/app:1', ...container }], ...spec },
});

export const deployment = (
  name: string,
  container: Record<string, unknown> = {},
  spec: Record<string, unknown> = {},
): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'registry.test/app:1', ...container }] },
    },
    ...spec,
  },
});

export const roleBinding = (name: string, role: string): Manifest => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: 'loop', namespace: 'default' }],
});

export const endpointConfig = (name: string, spec: Record<string, unknown> = {}): Manifest => ({
  apiVersion: 'inference.sagemaker.aws.amazon.com/v1',
  kind: 'InferenceEndpointConfig',
  metadata: { name },
  spec: {
    modelName: name,
    instanceType: 'ml.g5.2xlarge',
    modelSourceConfig: { modelSourceType: 's3', s3Storage: { bucketName: 'models', region: 'eu-west-1' } },
    worker: {
      image: 'registry.test/serve:1',
      resources: { limits: { 'nvidia.com/gpu': 1 } },
      modelInvocationPort: { containerPort: 8080, name: 'http' },
      modelVolumeMount: { name: 'model', mountPath: '/opt/ml/model' },
    },
    ...spec,
  },
});

/** Waits until `condition` holds, by real time: for the automatic clock only. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (condition()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`never came: ${what}`);
}
