import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isolatedEnv, makeProject } from '../support/project.js';
import { setConfig } from './support/probe.js';

const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-1';
const ALWAYS = { MODEL_NAME: 'org/model', MODEL_SERVER: 'vllm' };

/** What the container gets from settings in do/config, and what else is in the environment of the scripts. */
function environment(settings: Record<string, string>, others: Record<string, string> = {}, secrets = '') {
  const held = makeProject();
  setConfig(held, { ...ALWAYS, ...settings });
  const { status, stdout, stderr } = spawnSync(
    'python3',
    [join(held.dir, 'do/lib/python/container_environment.py'), 'json'],
    {
      env: isolatedEnv(held.home, { ...ALWAYS, ...settings, ...others }),
      input: secrets,
      encoding: 'utf8',
    },
  );
  held.remove();
  return { code: status, stderr, variables: status === 0 ? (JSON.parse(stdout) as object) : {} };
}

describe('the container gets', () => {
  test('the model, the engine’s settings as they are, and IC_ENV_ without its prefix, which has the last word', () => {
    expect(
      environment({
        VLLM_DTYPE: 'auto',
        VLLM_SEED: '1',
        IC_ENV_VLLM_SEED: '2',
        IC_ENV_A: "it's $(x)",
        SGLANG_X: 'no',
      }).variables,
    ).toEqual({ MODEL_NAME: 'org/model', VLLM_DTYPE: 'auto', VLLM_SEED: '2', A: "it's $(x)" });
  });

  test('what one run overrides, but nothing that merely stands in the user’s shell', () => {
    expect(
      environment({}, { VLLM_MINE: 'x', IC_ENV_MINE: 'x', VLLM_SEED: '3', MLCC_SET_VLLM_SEED: '3' })
        .variables,
    ).toEqual({ MODEL_NAME: 'org/model', VLLM_SEED: '3' });
  });

  test('no empty setting', () => {
    expect(environment({ VLLM_DTYPE: '', IC_ENV_A: '' }).variables).toEqual({ MODEL_NAME: 'org/model' });
  });

  test.each([
    ['plain text', 'hf_1', 'hf_1'],
    ['a JSON object with its name', '{"OTHER": "x", "HF_TOKEN": "hf_2"}', 'hf_2'],
    ['a JSON object with one entry', '{"token": "hf_3"}', 'hf_3'],
    ['text that looks like JSON but is no object', '"hf_4"', '"hf_4"'],
  ])('a secret that is %s', (_, text, value) => {
    expect(environment({ HF_TOKEN_ARN: ARN }, {}, `HF_TOKEN\0${text}\0`).variables).toMatchObject({
      HF_TOKEN: value,
    });
  });

  test('a remark where a secret is not fetched, and no token for weights that are staged', () => {
    expect(environment({ IC_ENV_KEY_ARN: ARN }).variables).toMatchObject({ KEY: `(the text of ${ARN})` });
    expect(environment({ HF_TOKEN_ARN: ARN, STAGED_MODEL_PATH: 's3://b/w' }).variables).not.toHaveProperty(
      'HF_TOKEN',
    );
    expect(environment({ IC_ENV_ROLE_ARN: 'arn:aws:iam::1:role/r' }).variables).toMatchObject({
      ROLE_ARN: 'arn:aws:iam::1:role/r',
    });
  });
});

describe('is refused with exit 2', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`IC_ENV_V${at}`, 'x']));

  test('a 101st variable, not the hundredth', () => {
    expect(environment(many(99)).code).toBe(0);
    expect(environment(many(100))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('101 environment variables'),
    });
  });

  test('a value of 1025 characters, not of 1024', () => {
    expect(environment({ IC_ENV_A: 'x'.repeat(1024) }).code).toBe(0);
    expect(environment({ IC_ENV_A: 'x'.repeat(1025) })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the value of A has 1025 characters'),
    });
  });

  test('a name that no environment has, and a secret without a text of that name', () => {
    expect(environment({ IC_ENV_4K: 'x' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"4K"'),
    });
    expect(environment({ HF_TOKEN_ARN: ARN }, {}, 'HF_TOKEN\0{"a": "1", "b": "2"}\0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('without a text named HF_TOKEN'),
    });
  });
});
