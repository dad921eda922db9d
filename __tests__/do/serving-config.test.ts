import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { makeProject, type TestProject } from '../support/project.js';

const catalog = loadCatalog();
const engines = catalog.engines.map(({ manifest }) => manifest);
const targets = catalog.targets.map(({ manifest }) => manifest);
const sources = ['kubernetes', 'sagemaker-ic'] as const;

let project: TestProject;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

/** Sources the resolver twice, alone, under strict settings, with these variables and no others. */
function resolve(variables: Record<string, string>): Record<string, string> {
  const script = `set -euo pipefail
. "$1"; . "$1"
for name in \${!SERVING_*}; do printf '%s=%s\\n' "$name" "\${!name}"; done`;
  const library = join(project.dir, 'do/lib/resolve-serving-config.sh');
  const { status, stdout, stderr } = spawnSync('/bin/bash', ['-c', script, 'bash', library], {
    env: variables,
    encoding: 'utf8',
    // With a socket as its input bash would take itself for a remote shell and read ~/.bashrc.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
}

const targetOf = (source: (typeof sources)[number]) => {
  const found = targets.find((manifest) => manifest.serving_config_source === source);
  if (!found) throw new Error(`no target with the source ${source}`);
  return found.target;
};

test('nothing set: the neutral values', () => {
  expect(resolve({})).toEqual({
    SERVING_DEPLOYMENT_TARGET: '',
    SERVING_INSTANCE_TYPE: '',
    SERVING_KV_CACHE_DTYPE: 'auto',
    SERVING_MAX_MODEL_LEN: '',
    SERVING_MODEL_NAME: '',
    SERVING_QUANTIZATION: 'none',
    SERVING_TENSOR_PARALLEL: '1',
  });
});

test.each(targets.flatMap(({ target, aliases }) => [target, ...aliases].map((name) => ({ name, target }))))(
  'the target $name is $target',
  ({ name, target }) => {
    expect(resolve({ DEPLOYMENT_TARGET: name }).SERVING_DEPLOYMENT_TARGET).toBe(target);
  },
);

/** The four dimensions: key in the engine's manifest, resolved variable, a value, and what stands for none. */
const dimensions = [
  {
    key: 'quantization',
    name: 'SERVING_QUANTIZATION',
    value: 'fp8',
    none: 'none',
    kubernetesTakesIcEnv: false,
  },
  {
    key: 'tensor_parallel_degree',
    name: 'SERVING_TENSOR_PARALLEL',
    value: '4',
    none: '1',
    kubernetesTakesIcEnv: false,
  },
  {
    key: 'max_model_len',
    name: 'SERVING_MAX_MODEL_LEN',
    value: '8192',
    none: '',
    kubernetesTakesIcEnv: true,
  },
  {
    key: 'kv_cache_dtype',
    name: 'SERVING_KV_CACHE_DTYPE',
    value: 'fp8_e5m2',
    none: 'auto',
    kubernetesTakesIcEnv: true,
  },
] as const;

const matrix = engines.flatMap((engine) =>
  sources.flatMap((source) =>
    dimensions.map((dimension) => ({ ...dimension, engine: engine.engine, manifest: engine, source })),
  ),
);

describe.each(matrix)(
  '$name of $engine from the source $source',
  ({ key, name, value, none, kubernetesTakesIcEnv, engine, manifest, source }) => {
    const base = { MODEL_SERVER: engine, DEPLOYMENT_TARGET: targetOf(source) };
    const suffix = manifest.dimension_map?.[key];
    const variable = `${manifest.env_var_prefix}${suffix}`;
    const takesIcEnv = source === 'sagemaker-ic' || kubernetesTakesIcEnv;

    if (suffix === undefined) {
      test('is neutral, because the engine has no variable for it', () => {
        expect(resolve({ ...base, IC_ENV_: value, [manifest.env_var_prefix]: value })[name]).toBe(none);
      });
      return;
    }

    test("is the engine's variable", () => {
      expect(resolve({ ...base, [variable]: value })[name]).toBe(value);
      expect(resolve(base)[name]).toBe(none);
    });

    test(
      takesIcEnv ? "the container's own value goes first" : "the container's own value does not count",
      () => {
        expect(resolve({ ...base, [variable]: value, [`IC_ENV_${variable}`]: '2' })[name]).toBe(
          takesIcEnv ? '2' : value,
        );
        expect(resolve({ ...base, [`IC_ENV_${variable}`]: '2' })[name]).toBe(takesIcEnv ? '2' : none);
      },
    );

    test("another engine's variable does not count", () => {
      for (const other of engines) {
        const theirs = `${other.env_var_prefix}${other.dimension_map?.[key]}`;
        if (other.engine !== engine) expect(resolve({ ...base, [theirs]: value })[name]).toBe(none);
      }
    });
  },
);

test('tensor parallelism on Kubernetes falls back to the accelerators; what is no number is 1', () => {
  const kubernetes = { MODEL_SERVER: engines[0]?.engine ?? '', DEPLOYMENT_TARGET: targetOf('kubernetes') };
  expect(resolve({ ...kubernetes, HP_GPU_COUNT: '8' }).SERVING_TENSOR_PARALLEL).toBe('8');
  expect(resolve({ ...kubernetes, HP_GPU_COUNT: 'auto' }).SERVING_TENSOR_PARALLEL).toBe('1');
  const sagemaker = { ...kubernetes, DEPLOYMENT_TARGET: targetOf('sagemaker-ic') };
  expect(resolve({ ...sagemaker, HP_GPU_COUNT: '8' }).SERVING_TENSOR_PARALLEL).toBe('1');
});

test.each(['0', '-1', 'auto', '4k', ''])('a model length of "%s" is none', (value) => {
  const [engine] = engines;
  const variable = `${engine?.env_var_prefix}${engine?.dimension_map?.max_model_len}`;
  expect(resolve({ MODEL_SERVER: engine?.engine ?? '', [variable]: value }).SERVING_MAX_MODEL_LEN).toBe('');
});

test.each([
  [{ HF_MODEL_ID: 'org/model', MODEL_NAME: 's3://b/x' }, 'org/model'],
  [{ MODEL_NAME: 'org/model' }, 'org/model'],
  [{ MODEL_NAME: 's3://bucket/models/llama/' }, 'llama'],
  [{ MODEL_NAME: 's3://bucket/path/llama' }, 'path/llama'],
  [{ MODEL_NAME: 'models/llama' }, 'llama'],
])('the model of %j is %s', (variables, name) => {
  expect(resolve(variables as Record<string, string>).SERVING_MODEL_NAME).toBe(name);
});

test('the instance type: what was measured or deployed, by source', () => {
  const all = {
    INSTANCE_TYPE: 'i',
    HP_INSTANCE_TYPE: 'h',
    BENCHMARK_INSTANCE_TYPE: 'b',
    DEPLOYED_INSTANCE_TYPE: 'd',
  };
  const kubernetes = { ...all, DEPLOYMENT_TARGET: targetOf('kubernetes') };
  expect(resolve(kubernetes).SERVING_INSTANCE_TYPE).toBe('b');
  expect(resolve({ ...kubernetes, BENCHMARK_INSTANCE_TYPE: '' }).SERVING_INSTANCE_TYPE).toBe('h');
  expect(
    resolve({ ...kubernetes, BENCHMARK_INSTANCE_TYPE: '', HP_INSTANCE_TYPE: '' }).SERVING_INSTANCE_TYPE,
  ).toBe('i');
  const sagemaker = { ...all, DEPLOYMENT_TARGET: targetOf('sagemaker-ic') };
  expect(resolve(sagemaker).SERVING_INSTANCE_TYPE).toBe('d');
  expect(resolve({ ...sagemaker, DEPLOYED_INSTANCE_TYPE: '' }).SERVING_INSTANCE_TYPE).toBe('i');
});
