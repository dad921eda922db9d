import { describe, expect, test } from '@jest/globals';
import { renderServing, secretsOfServing, toYaml } from '../../../lib/kube/index.js';
import { isDnsLabel } from '../../../lib/kube/names.js';
import { validateObject } from '../../support/kube-api/index.js';
import { pinByName } from '../run/fixture.js';
import { ARN, CATALOG, environmentOf, type Looked, servingInput, WORKLOADS } from './fixture.js';

test.each(CATALOG.targets.map(({ manifest }) => manifest).filter(({ workload }) => workload === 'none'))(
  '$target has no workload to render, and that is said',
  async (target) => {
    await expect(renderServing({ ...servingInput('deployment'), target }, pinByName)).rejects.toMatchObject({
      exit: 2,
    });
  },
);

describe.each(WORKLOADS)('%s', (workload) => {
  test.each([
    {},
    { HF_TOKEN_ARN: ARN, IC_ENV_A: 'b' },
    { STAGED_MODEL_PATH: 's3://bucket/a/b' },
    { HP_QUEUE: 'q' },
    { HP_INSTANCE_GROUP_NAME: 'g' },
  ])('fits the published schema: %j', async (settings) => {
    const objects = await renderServing(servingInput(workload, { settings }), pinByName);
    expect(objects.flatMap(validateObject)).toEqual([]);
  });

  test('its environment: the engine’s own settings, IC_ENV_ without the prefix, secrets by reference, nothing else', async () => {
    const settings = {
      HF_TOKEN_ARN: ARN,
      VLLM_MAX_MODEL_LEN: '8192',
      VLLM_EMPTY: '',
      SGLANG_CONTEXT_LENGTH: '1',
      IC_ENV_PLAIN: 'it\'s $(HOME) $$ "x" `id`',
      IC_ENV_VLLM_MAX_MODEL_LEN: '4096',
      IC_ENV_KEY_ARN: ARN,
      IC_ENV_TOPIC_ARN: 'arn:aws:sns:eu-central-1:111122223333:topic',
      OTHER: 'x',
    };
    const reference = (key: string) => ({
      secretKeyRef: { name: expect.stringMatching(/^chat-.*-tokens$/), key },
    });
    expect(await environmentOf(workload, { settings })).toEqual({
      MODEL_NAME: 'Qwen/Qwen3-0.6B',
      VLLM_MAX_MODEL_LEN: '4096',
      PLAIN: 'it\'s $(HOME) $$ "x" `id`',
      TOPIC_ARN: 'arn:aws:sns:eu-central-1:111122223333:topic',
      KEY: reference('KEY'),
      HF_TOKEN: reference('HF_TOKEN'),
    });
  });

  test('tensor parallelism follows the GPUs, unless it is set', async () => {
    const name = 'VLLM_TENSOR_PARALLEL_SIZE';
    expect(await environmentOf(workload, { settings: { INSTANCE_TYPE: 'ml.g5.12xlarge' } })).toHaveProperty(
      [name],
      '4',
    );
    expect(
      await environmentOf(workload, { settings: { INSTANCE_TYPE: 'ml.g5.12xlarge', [name]: '2' } }),
    ).toHaveProperty([name], '2');
    expect(await environmentOf(workload, {})).not.toHaveProperty([name]);
  });

  test('adapters: what the engine needs for them, once they are chosen', async () => {
    const required =
      CATALOG.engines.find(({ manifest }) => manifest.engine === 'vllm')?.manifest.adapter_api
        ?.required_env ?? {};
    expect(Object.keys(required).length).toBeGreaterThan(0);
    expect(await environmentOf(workload, { settings: { HP_LORA_ENABLED: 'true' } })).toMatchObject(required);
    for (const name of Object.keys(required))
      expect(await environmentOf(workload, {})).not.toHaveProperty([name]);
  });

  test('the profile’s variables replace the settings’ ones, and a name never stands twice', async () => {
    const profile = `
[env]
MODEL_NAME = "mine"
[[secret_env]]
name = "PLAIN"
secret = "s"
key = "k"
[domain.chat.env]
HF_TOKEN = "literal"
[domain.other.env]
NOT_MINE = "x"
`;
    const settings = { IC_ENV_PLAIN: 'x', HF_TOKEN_ARN: ARN };
    expect(await environmentOf(workload, { settings, profile })).toEqual({
      MODEL_NAME: 'mine',
      PLAIN: { secretKeyRef: { name: 's', key: 'k' } },
      HF_TOKEN: 'literal',
    });
    expect(secretsOfServing(servingInput(workload, { settings, profile }))).toEqual([
      { namespace: 'default', secret: 's', key: 'k', neededBy: 'secret_env PLAIN' },
    ]);
    const yaml = toYaml(await renderServing(servingInput(workload, { settings, profile }), pinByName));
    expect(yaml.match(/MODEL_NAME/g)).toHaveLength(1);
  });

  test('namespace, resources, platform and overrides', async () => {
    const profile =
      '[cluster]\nserving_namespace = "serving"\n[resources]\ngpu = 2\ncpu_limit = 12\nmem_request = "20Gi"';
    const input = servingInput(workload, { profile, overrides: { HP_CPU_REQUEST: '3', HP_REPLICAS: '4' } });
    for (const object of (await renderServing(input, pinByName)) as Looked[]) {
      expect(object.metadata.namespace).toBe('serving');
      const container = object.spec?.template?.spec.containers[0] ?? object.spec?.worker;
      if (!container) continue;
      expect(object.spec.replicas).toBe(4);
      expect(container.resources).toEqual({
        requests: { cpu: '3', memory: '20Gi', 'nvidia.com/gpu': '2' },
        limits: { cpu: '12', 'nvidia.com/gpu': '2' },
      });
    }
  });

  test('[C43] names of long projects are valid in every place, also the recorded ones', async () => {
    for (const project of ['p'.repeat(63), 'p'.repeat(56), `${'ab-'.repeat(20)}c`, 'x']) {
      const settings = { PROJECT_NAME: project, HF_TOKEN_ARN: ARN };
      const objects = await renderServing(servingInput(workload, { settings }), pinByName);
      expect(objects.flatMap(validateObject)).toEqual([]);
      const [name = ''] = objects.map(({ metadata }) => metadata.name);
      const tag = servingInput(workload).target.status_var.replace(/STATUS$/, '');
      const recorded = { ...settings, [`${tag}NAME`]: name, [`${tag}SECRET`]: `${name}-tokens` };
      expect(await renderServing(servingInput(workload, { settings: recorded }), pinByName)).toEqual(objects);
      for (const { metadata } of objects) {
        expect(isDnsLabel(metadata.name)).toBe(true);
        expect(metadata.name).toMatch(/^[a-z]/);
      }
    }
  });

  test('the secrets of a deploy are listed with where their values come from', () => {
    const settings = { HF_TOKEN_ARN: ARN, IC_ENV_KEY_ARN: ARN };
    expect(secretsOfServing(servingInput(workload, { settings }))).toEqual(
      [
        ['HF_TOKEN', 'HF_TOKEN_ARN'],
        ['KEY', 'IC_ENV_KEY_ARN'],
      ].map(([key, neededBy]) => ({
        namespace: 'default',
        secret: expect.stringMatching(/-tokens$/),
        key,
        neededBy,
        arn: ARN,
      })),
    );
  });
});
