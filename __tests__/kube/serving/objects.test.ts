import { describe, expect, test } from '@jest/globals';
import { renderServing } from '../../../lib/kube/index.js';
import { pinByName } from '../run/fixture.js';
import { ARN, deployment, endpointConfig, type Looked, servingFaults, servingInput } from './fixture.js';

describe('a Deployment', () => {
  test('what its selectors say does not change with image, settings or replicas', async () => {
    const before = await deployment();
    const after = await deployment({
      settings: {
        ECR_IMAGE_URI: 'r.example.com/other:9',
        VLLM_X: 'y',
        HP_REPLICAS: '3',
        STAGED_MODEL_PATH: 's3://bucket/x',
      },
    });
    expect(after.workload.spec.selector).toEqual(before.workload.spec.selector);
    expect(after.service.spec.selector).toEqual(before.service.spec.selector);
    expect(after.workload.spec.template.metadata.labels).toEqual(before.workload.spec.selector.matchLabels);
    expect(after.service.spec.selector).toEqual(before.workload.spec.selector.matchLabels);
  });

  test('its pods are replaced when a setting changes, since a ConfigMap’s change reaches no running container', async () => {
    const hash = async (settings = {}) =>
      (await deployment({ settings })).workload.spec.template.metadata.annotations['mlcc/settings-hash'];
    expect(await hash({ VLLM_X: 'y' })).not.toBe(await hash());
    expect(await hash({ HP_REPLICAS: '3' })).toBe(await hash());
  });

  test('fetches staged weights before the server starts, and needs no token for them', async () => {
    const { pod, server } = await deployment({
      settings: { STAGED_MODEL_PATH: 's3://bucket/$(a)/b/', HF_TOKEN_ARN: ARN },
    });
    const [fetch] = pod.initContainers;
    expect(fetch.image).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(fetch.args).toEqual(['s3', 'sync', '--no-progress', 's3://bucket/$$(a)/b/', '/opt/ml/model']);
    expect(fetch.env).toEqual([{ name: 'AWS_REGION', value: 'eu-central-1' }]);
    expect(fetch.volumeMounts).toEqual([{ name: 'model', mountPath: '/opt/ml/model' }]);
    expect(server.volumeMounts).toContainEqual({ name: 'model', mountPath: '/opt/ml/model' });
    expect(server.env).toBeUndefined();
    expect((await deployment()).pod.initContainers).toBeUndefined();
  });

  test('an instance type keeps it on such nodes, however they spell it; none leaves it free', async () => {
    const types = (pod: Looked) =>
      pod.affinity?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]
        .matchExpressions[0].values;
    expect(types((await deployment()).pod)).toEqual(['g5.2xlarge', 'ml.g5.2xlarge']);
    expect(
      types((await deployment({ settings: { INSTANCE_TYPE: undefined, HP_GPU_COUNT: '0' } })).pod),
    ).toBeUndefined();
  });

  test('no GPU is asked for where there is none', async () => {
    const { server } = await deployment({ settings: { HP_GPU_COUNT: '0' } });
    expect(server.resources).toEqual({ requests: { cpu: '2', memory: '8Gi' } });
  });

  test('the pull secret, the platform and expansion are the profile’s', async () => {
    const profile =
      'expand = true\n[cluster]\nplatform = "linux/arm64"\n[image]\npull_secret = "pull"\n[env]\nB = "$(A)"\nA = "x"';
    const { pod, server } = await deployment({ profile });
    expect(pod.imagePullSecrets).toEqual([{ name: 'pull' }]);
    expect(pod.nodeSelector).toEqual({ 'kubernetes.io/arch': 'arm64', 'kubernetes.io/os': 'linux' });
    expect(server.env).toEqual([
      { name: 'A', value: 'x' },
      { name: 'B', value: '$(A)' },
    ]);
  });
});

describe('an InferenceEndpointConfig', () => {
  test('takes its model from staged weights, an s3:// model, or the hub', async () => {
    const source = async (settings: Record<string, string>) =>
      (await endpointConfig({ settings })).spec.modelSourceConfig;
    const s3Storage = { bucketName: 'bucket', region: 'eu-central-1' };
    expect(await source({ STAGED_MODEL_PATH: 's3://bucket/a/b/', HF_TOKEN_ARN: ARN })).toEqual({
      modelSourceType: 's3',
      modelLocation: 'a/b',
      s3Storage,
    });
    expect(await source({ MODEL_NAME: 's3://bucket' })).toEqual({ modelSourceType: 's3', s3Storage });
    expect(await source({ MODEL_NAME: 's3://bucket/a', HF_MODEL_ID: 'o/m' })).toEqual({
      modelSourceType: 'huggingface',
      huggingFaceModel: { modelId: 'o/m' },
    });
    expect(await source({ HF_TOKEN_ARN: ARN })).toMatchObject({
      huggingFaceModel: { modelId: 'Qwen/Qwen3-0.6B', tokenSecretRef: { key: 'HF_TOKEN' } },
    });
  });

  test('needs a region for staged weights, and an instance type of HyperPod’s', async () => {
    const settings = {
      AWS_REGION: undefined,
      STAGED_MODEL_PATH: 's3://bucket/a',
      INSTANCE_TYPE: 'g5.2xlarge',
    };
    expect(await servingFaults('inference-endpoint-config', { settings })).toEqual([
      'do/config:4: INSTANCE_TYPE `g5.2xlarge` is not one of HyperPod’s: write it as ml.g5.2xlarge',
      'do/config: set AWS_REGION: the staged weights are in it',
    ]);
    expect(
      await servingFaults('inference-endpoint-config', { settings: { STAGED_MODEL_PATH: '/local' } }),
    ).toEqual(['do/config:7: STAGED_MODEL_PATH `/local` is not s3://BUCKET/PREFIX']);
  });

  test('an instance group needs an affinity, which the resource takes instead of the type', async () => {
    const { spec } = await endpointConfig({ settings: { HP_INSTANCE_GROUP_NAME: 'group-a' } });
    expect(spec.instanceType).toBeUndefined();
    const [{ matchExpressions }] =
      spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
    expect(matchExpressions.map(({ values }: { values: string[] }) => values)).toEqual([
      ['ml.g5.2xlarge'],
      ['group-a'],
    ]);
  });

  test('has a SageMaker endpoint only where the descriptor says so', async () => {
    const input = servingInput('inference-endpoint-config');
    const [without] = (await renderServing(
      { ...input, target: { ...input.target, sagemaker_endpoint: false } },
      pinByName,
    )) as Looked[];
    expect(without?.spec.endpointName).toBeUndefined();
    const { spec, metadata } = await endpointConfig();
    expect(spec.endpointName).toBe(metadata.name);
  });
});
