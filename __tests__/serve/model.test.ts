import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EngineHome, engineNames, type StartRecord } from './support/engine-run.js';

/** Which model each engine was told to load, under which name, and the variable that says so first. */
const MODEL: Record<string, { of: (record: StartRecord) => string | undefined; explicit: string }> = {
  vllm: { of: ({ argv }) => argv[2], explicit: 'VLLM_MODEL' },
  sglang: { of: ({ argv }) => argv[2], explicit: 'SGLANG_MODEL_PATH' },
  'tensorrt-llm': { of: ({ argv }) => argv[1], explicit: 'TRTLLM_MODEL' },
  lmi: { of: ({ env }) => env.HF_MODEL_ID, explicit: 'OPTION_MODEL_ID' },
};

let home: EngineHome;
afterEach(() => home.remove());

describe.each(engineNames)('the model of %s', (engine) => {
  beforeEach(() => {
    home = new EngineHome(engine);
  });
  const modelOf = async (env: Record<string, string>): Promise<string | undefined> =>
    MODEL[engine]?.of(await home.recordStart(env));

  test('its own variable, then staged weights, then HF_MODEL_ID, then MODEL_NAME', async () => {
    const explicit = MODEL[engine]?.explicit ?? '';
    expect(await modelOf({ HF_MODEL_ID: '', MODEL_NAME: 'org/named' })).toBe('org/named');
    expect(await modelOf({ HF_MODEL_ID: 'org/hub', MODEL_NAME: 'org/named' })).toBe('org/hub');
    mkdirSync(join(home.modelFolder, 'lost+found'));
    expect(await modelOf({ HF_MODEL_ID: 'org/hub' })).toBe('org/hub');
    home.write('model/config.json', '{}');
    expect(await modelOf({ HF_MODEL_ID: 'org/hub' })).toBe(home.modelFolder);
    expect(await modelOf({ HF_MODEL_ID: 'org/hub', [explicit]: 'org/explicit' })).toBe('org/explicit');
    expect(home.started().env[explicit]).toBeUndefined();
  });

  test('is refused when there is none, or one that would be an option', async () => {
    expect(await home.refusal({ HF_MODEL_ID: '' })).toEqual({
      status: 1,
      stderr: expect.stringContaining('set HF_MODEL_ID, or put the weights in'),
    });
    expect((await home.refusal({ HF_MODEL_ID: '--help' })).status).toBe(2);
    expect(home.wasStarted).toBe(false);
  });

  test('in S3 is for an engine that fetches it; for the others the weights are missing', async () => {
    const env = { HF_MODEL_ID: '', MODEL_NAME: 's3://bucket/models/m/' };
    if (engine === 'lmi') expect(await modelOf(env)).toBe('s3://bucket/models/m/');
    else
      expect(await home.refusal(env)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('is empty'),
      });
  });

  test('is not asked from a port that is none', async () => {
    const { status, stderr } = await home.refusal({ SAGEMAKER_BIND_TO_PORT: '80 80' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('give a port number')]);
  });
});

test.each(['vllm', 'sglang'])('%s serves staged weights under the name that clients know', async (engine) => {
  home = new EngineHome(engine);
  home.write('model/config.json', '{}');
  const servedName = async (env: Record<string, string>): Promise<string | undefined> => {
    const { argv } = await home.recordStart({ HF_MODEL_ID: '', ...env });
    return argv.includes('--served-model-name') ? argv[argv.indexOf('--served-model-name') + 1] : undefined;
  };
  expect(await servedName({ HF_MODEL_ID: 'org/hub' })).toBe('org/hub');
  expect(await servedName({ MODEL_NAME: 's3://bucket/models/llama/' })).toBe('llama');
  expect(await servedName({})).toBeUndefined();
  const prefix = engine === 'vllm' ? 'VLLM' : 'SGLANG';
  expect(await servedName({ HF_MODEL_ID: 'org/hub', [`${prefix}_SERVED_MODEL_NAME`]: 'mine' })).toBe('mine');
});

test('vLLM listens on every address, on 8080 unless SageMaker says otherwise', async () => {
  home = new EngineHome('vllm');
  const { argv } = await home.recordStart({ SAGEMAKER_BIND_TO_PORT: '' });
  expect(argv).toEqual(['vllm', 'serve', 'org/model', '--host', '0.0.0.0', '--port', '8080']);
  const bound = await home.recordStart({ SAGEMAKER_BIND_TO_PORT: '9001' });
  expect(bound.argv.slice(5)).toEqual(['--port', '9001']);
});
