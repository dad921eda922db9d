import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type KubeApi, startKubeApi, validateObject } from '../support/kube-api/index.js';
import { duplicateKeys } from '../support/kube-api/requests/duplicate-keys.js';
import {
  apply,
  configMap,
  create,
  deployment,
  endpointConfig,
  type Manifest,
  pathOf,
  pod,
  roleBinding,
  send,
} from './client.js';

let api: KubeApi;
beforeAll(async () => {
  api = await startKubeApi({ clock: 'manual' });
});
afterAll(() => api.stop());

/** A copy with the value at a dotted path set, or taken away where it is undefined. */
function withValue(object: Manifest, path: string, value: unknown): Manifest {
  const copy = structuredClone(object);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: walks a manifest of any kind
  let parent: any = copy;
  for (const key of keys) {
    parent[key] ??= {};
    parent = parent[key];
  }
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

describe('unknown and duplicate fields', () => {
  const misspelt = withValue(deployment('typo'), 'spec.template.spec.containers.0.imagePullPolcy', 'Always');

  test('Strict refuses an unknown field of a create, and names its path', async () => {
    const { code, body } = await create(api, misspelt);
    expect(code).toBe(400);
    expect(body.message).toContain(
      'strict decoding error: unknown field "spec.template.spec.containers[0].imagePullPolcy"',
    );
  });

  test('Warn drops it and says so; Ignore drops it silently', async () => {
    const warned = await create(api, misspelt, 'fieldValidation=Warn&dryRun=All');
    expect(warned.code).toBe(201);
    expect(warned.warnings).toContain('unknown field');
    expect(JSON.stringify(warned.body)).not.toContain('imagePullPolcy');
    const ignored = await create(api, misspelt, 'fieldValidation=Ignore&dryRun=All');
    expect([ignored.code, ignored.warnings]).toEqual([201, '']);
  });

  test('an apply cannot be merged with a field that the kind does not have, whatever the validation', async () => {
    const path = `${pathOf('Deployment')}/typo?fieldManager=alice&fieldValidation=Ignore`;
    const { code, body } = await send(api, 'PATCH', path, misspelt, { type: 'application/apply-patch+yaml' });
    expect(code).toBe(500);
    expect(body.message).toContain(
      '.spec.template.spec.containers[0].imagePullPolcy: field not declared in schema',
    );
  });

  test('the custom resource has no free fields either', async () => {
    const { body } = await apply(api, endpointConfig('m', { imagePullSecrets: [{ name: 'x' }] }));
    expect(body.message).toContain('.spec.imagePullSecrets: field not declared in schema');
  });

  test('Strict refuses a key that stands twice, in create and in apply', async () => {
    const text =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const created = await send(api, 'POST', `${pathOf('ConfigMap')}?fieldValidation=Strict`, text);
    expect([created.code, created.body.message]).toEqual([
      400,
      expect.stringContaining('duplicate field "data.a"'),
    ]);
    const path = `${pathOf('ConfigMap')}/twice?fieldManager=alice&fieldValidation=Strict`;
    const applied = await send(api, 'PATCH', path, text, { type: 'application/apply-patch+yaml' });
    expect([applied.code, applied.body.message]).toEqual([
      400,
      expect.stringContaining('duplicate field "data.a"'),
    ]);
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata:\n  a: x\n  a: y\n';
    const asYaml = await send(api, 'PATCH', path, yaml, { type: 'application/apply-patch+yaml' });
    expect(asYaml.code).toBe(400);
  });

  test('duplicate keys are found at any depth, and only there', () => {
    expect(duplicateKeys('{"a":[{"b":1,"b":2}],"c":{"d":"x:\\"{","d":3},"b":1}')).toEqual(['a[0].b', 'c.d']);
    expect(duplicateKeys('{"a":{"x":1},"b":{"x":1},"c":["a","a"],"d":"}"}')).toEqual([]);
    expect(duplicateKeys(' { } ')).toEqual([]);
  });

  test('an item that stands twice in a keyed list cannot be applied', async () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    const { code, body } = await apply(api, pod('twice', { env }));
    expect(code).toBe(500);
    expect(body.message).toContain('.spec.containers[name="main"].env: duplicate entries for key [name="A"]');
  });
});

describe('types', () => {
  test.each([
    ['a number where text is meant', configMap('t', { a: 1 as unknown as string }), 'data.a'],
    ['text where a number is meant', withValue(deployment('t'), 'spec.replicas', '2'), 'spec.replicas'],
    ['a map where a list is meant', withValue(pod('t'), 'spec.containers', {}), 'spec.containers'],
    [
      'a fraction where a whole number is meant',
      withValue(deployment('t'), 'spec.replicas', 1.5),
      'spec.replicas',
    ],
    ['text where a truth value is meant', configMap('t', {}, { immutable: 'yes' }), 'immutable'],
  ])('%s is refused by create and apply', async (_, object, field) => {
    const created = await create(api, object);
    expect([created.code, created.body.message]).toEqual([400, expect.stringContaining(field)]);
    const applied = await apply(api, object);
    expect([applied.code, applied.body.message]).toEqual([
      500,
      expect.stringContaining(`.${field}: expected`),
    ]);
  });

  test('quantities may be numbers or text, and ports names or numbers', async () => {
    const container = {
      resources: { limits: { cpu: 2, memory: '1Gi' } },
      livenessProbe: { tcpSocket: { port: 'http' } },
    };
    expect((await create(api, pod('quantities', container))).code).toBe(201);
  });

  test('the version and kind must be those of the address', async () => {
    const { code } = await send(api, 'POST', pathOf('Pod'), configMap('x', {}));
    expect(code).toBe(400);
    const other = { ...configMap('x', {}), metadata: { name: 'x', namespace: 'other' } };
    expect((await create(api, other)).body.message).toContain('does not match the namespace');
    expect((await send(api, 'PUT', `${pathOf('ConfigMap')}/y`, configMap('x', {}))).body.message).toContain(
      '(x)',
    );
  });

  test('the binary form of a body is refused, not misread', async () => {
    const { code } = await send(api, 'POST', pathOf('ConfigMap'), 'k8s\0', {
      type: 'application/vnd.kubernetes.protobuf',
    });
    expect(code).toBe(415);
  });
});

const gpu = (limit: unknown, request?: unknown) => ({
  resources: {
    limits: { 'nvidia.com/gpu': limit },
    ...(request !== undefined && { requests: { 'nvidia.com/gpu': request } }),
  },
});

describe('422, with the field, for what breaks a rule of its kind', () => {
  const service = (spec: Record<string, unknown>, name = 'web'): Manifest => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec,
  });
  test.each<[string, Manifest, string]>([
    ['no selector', withValue(deployment('x'), 'spec.selector', undefined), 'spec.selector'],
    [
      'a selector that is not the template',
      deployment('x', {}, { selector: { matchLabels: { app: 'y' } } }),
      'spec.template.metadata.labels',
    ],
    ['no containers', withValue(pod('x'), 'spec.containers', []), 'spec.containers'],
    ['no image', pod('x', { image: '' }), 'spec.containers[0].image'],
    ['an image with a blank', pod('x', { image: ' a' }), 'spec.containers[0].image'],
    ['a container name with capitals', pod('x', { name: 'Main' }), 'spec.containers[0].name'],
    [
      'an unknown pull policy',
      pod('x', { imagePullPolicy: 'Sometimes' }),
      'spec.containers[0].imagePullPolicy',
    ],
    ['an unknown restart policy', pod('x', {}, { restartPolicy: 'Maybe' }), 'spec.restartPolicy'],
    [
      'a Deployment that never restarts',
      withValue(deployment('x'), 'spec.template.spec.restartPolicy', 'Never'),
      'spec.template.spec.restartPolicy',
    ],
    [
      '[C46] an environment name that starts with a digit',
      pod('x', { env: [{ name: '4K' }] }),
      'spec.containers[0].env[0].name',
    ],
    [
      '[C46] an environment name with a blank',
      pod('x', { env: [{ name: 'a b' }] }),
      'spec.containers[0].env[0].name',
    ],
    [
      'a value beside a reference',
      pod('x', { env: [{ name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      'spec.containers[0].env[0].valueFrom',
    ],
    [
      'a secret reference without its key',
      pod('x', { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: '' } } }] }),
      'spec.containers[0].env[0].valueFrom.secretKeyRef.key',
    ],
    ['[C47] a part of a GPU', pod('x', gpu('500m')), 'spec.containers[0].resources.limits[nvidia.com/gpu]'],
    [
      '[C47] a GPU request apart from its limit',
      pod('x', gpu(2, 1)),
      'spec.containers[0].resources.requests',
    ],
    [
      'a GPU request without its limit',
      pod('x', { resources: { requests: { 'nvidia.com/gpu': 1 } } }),
      'spec.containers[0].resources.limits[nvidia.com/gpu]',
    ],
    [
      '[C47] 10GB',
      pod('x', { resources: { limits: { memory: '10GB' } } }),
      'spec.containers[0].resources.limits.memory',
    ],
    [
      'a request above its limit',
      pod('x', { resources: { limits: { cpu: '1' }, requests: { cpu: '1500m' } } }),
      'spec.containers[0].resources.requests',
    ],
    [
      'a mount without its volume',
      pod('x', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      'spec.containers[0].volumeMounts[0].name',
    ],
    [
      'two volumes of one name',
      pod('x', {}, { volumes: [{ name: 'v' }, { name: 'v' }] }),
      'spec.volumes[1].name',
    ],
    [
      'a volume of two kinds',
      pod('x', {}, { volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'c' } }] }),
      'spec.volumes[0].configMap',
    ],
    [
      'a path out of its volume',
      pod(
        'x',
        {},
        { volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: 'k', path: '../k' }] } }] },
      ),
      'spec.volumes[0].configMap.items[0].path',
    ],
    ['port 0', pod('x', { ports: [{ containerPort: 0 }] }), 'spec.containers[0].ports[0].containerPort'],
    [
      'a port name of 16 letters',
      pod('x', { ports: [{ containerPort: 1, name: 'a'.repeat(16) }] }),
      'spec.containers[0].ports[0].name',
    ],
    [
      '[C43] a label value of 64 characters',
      { ...configMap('x', {}), metadata: { name: 'x', labels: { a: 'v'.repeat(64) } } },
      'metadata.labels',
    ],
    [
      '[C43] a label value with a plus',
      { ...configMap('x', {}), metadata: { name: 'x', labels: { a: '1.2.0+cu124' } } },
      'metadata.labels',
    ],
    ['a name with an underscore', configMap('a_b', {}), 'metadata.name'],
    ['a Service name that starts with a digit', service({ ports: [{ port: 80 }] }, '1web'), 'metadata.name'],
    ['a Service without ports', service({}), 'spec.ports'],
    ['two unnamed ports', service({ ports: [{ port: 80 }, { port: 81 }] }), 'spec.ports[0].name'],
    ['a data key with a slash', configMap('x', { 'a/b': '' }), 'data[a/b]'],
    ['more than 1 MiB of data', configMap('x', { a: 'x'.repeat(1024 * 1024 + 1) }), ''],
    [
      'a secret that is not base64',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, data: { a: 'no!' } },
      'data.a',
    ],
    ['a role of no kind', withValue(roleBinding('x', 'edit'), 'roleRef.kind', 'Rolle'), 'roleRef.kind'],
    [
      'a subject without its namespace',
      withValue(roleBinding('x', 'edit'), 'subjects', [{ kind: 'ServiceAccount', name: 'a' }]),
      'subjects[0].namespace',
    ],
  ])('%s', async (_, object, field) => {
    const { code, body } = await create(api, object);
    expect([code, body.reason]).toEqual([422, 'Invalid']);
    expect(body.details.causes.map((cause: { field: string }) => cause.field)).toContain(field);
    expect(validateObject(object).join('\n')).toContain(`${field}: `);
  });
});

describe('InferenceEndpointConfig', () => {
  const good = endpointConfig('m');

  test('a good one is taken, in both served versions', async () => {
    expect((await create(api, good)).code).toBe(201);
    const older = { ...endpointConfig('older'), apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1' };
    const path = pathOf('InferenceEndpointConfig').replace('/v1/', '/v1alpha1/');
    const { code, body } = await send(api, 'POST', path, older);
    expect([code, body.apiVersion]).toEqual([201, older.apiVersion]);
    const asV1 = await send(api, 'GET', `${pathOf('InferenceEndpointConfig')}/older`);
    expect(asV1.body.apiVersion).toBe('inference.sagemaker.aws.amazon.com/v1');
  });

  test.each([
    'modelName',
    'modelSourceConfig.modelSourceType',
    'worker.image',
    'worker.resources',
    'worker.modelInvocationPort.containerPort',
    'worker.modelVolumeMount.name',
  ])('%s is required', async (path) => {
    const { code, body } = await create(api, withValue(good, `spec.${path}`, undefined));
    expect(code).toBe(422);
    expect(body.details.causes).toEqual([
      expect.objectContaining({ reason: 'FieldValueRequired', field: `spec.${path}` }),
    ]);
  });

  test.each<[string, string, unknown, string]>([
    [
      'an unknown source',
      'modelSourceConfig.modelSourceType',
      'ftp',
      'spec.modelSourceConfig.modelSourceType',
    ],
    [
      'a source without its section',
      'modelSourceConfig',
      { modelSourceType: 'fsx' },
      'spec.modelSourceConfig.fsxStorage',
    ],
    [
      'a bucket without its region',
      'modelSourceConfig.s3Storage',
      { bucketName: 'b' },
      'spec.modelSourceConfig.s3Storage.region',
    ],
    ['an instance type that is none', 'instanceType', 'g5.2xlarge', 'spec.instanceType'],
    ['an endpoint name of 64 characters', 'endpointName', 'e'.repeat(64), 'spec.endpointName'],
    [
      'a token reference without its key',
      'modelSourceConfig',
      { modelSourceType: 'huggingface', huggingFaceModel: { modelId: 'a/b', tokenSecretRef: { name: 't' } } },
      'spec.modelSourceConfig.huggingFaceModel.tokenSecretRef.key',
    ],
    [
      'port 70000',
      'worker.modelInvocationPort.containerPort',
      70000,
      'spec.worker.modelInvocationPort.containerPort',
    ],
    [
      'an unknown routing',
      'loadBalancer',
      { routingAlgorithm: 'dice' },
      'spec.loadBalancer.routingAlgorithm',
    ],
    ['replicas below zero', 'replicas', -1, 'spec.replicas'],
    ['text as replicas', 'replicas', '1', 'spec.replicas'],
  ])('%s is refused', async (_, path, value, field) => {
    const { code, body } = await create(api, withValue(good, `spec.${path}`, value));
    expect(code).toBe(422);
    expect(body.details.causes.map((cause: { field: string }) => cause.field)).toContain(field);
  });

  test.each<[string, Record<string, unknown>]>([
    ['none', { instanceType: undefined }],
    ['two', { instanceTypes: ['ml.g5.2xlarge'] }],
  ])('of instanceType, instanceTypes and nodeAffinity, %s is not one', async (_, spec) => {
    const { code, body } = await create(api, endpointConfig('m', spec));
    expect([code, body.message]).toEqual([
      422,
      expect.stringContaining('must validate one and only one schema (oneOf)'),
    ]);
  });

  test('its status is written through the status sub-resource only', async () => {
    const path = `${pathOf('InferenceEndpointConfig')}/m`;
    const status = { state: 'DeploymentComplete' };
    const type = 'application/merge-patch+json';
    expect((await send(api, 'PATCH', path, { status }, { type })).body.status).toBeUndefined();
    const changed = { status, spec: { modelName: 'other' } };
    const { body } = await send(api, 'PATCH', `${path}/status`, changed, { type });
    expect([body.status.state, body.spec.modelName]).toEqual(['DeploymentComplete', 'm']);
    const wrong = await send(api, 'PATCH', `${path}/status`, { status: { state: 'Done' } }, { type });
    expect(wrong.code).toBe(422);
  });
});
