import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { catalog, EngineHome, engineNames, type StartRecord } from './support/engine-run.js';

const homes = new Map(engineNames.map((name) => [name, new EngineHome(name)]));
afterAll(() => Promise.all([...homes.values()].map((home) => home.remove())));

function homeOf(engine: string): EngineHome {
  const home = homes.get(engine);
  if (!home) throw new Error(`no engine ${engine}`);
  return home;
}

/** How each engine takes a setting: what it was started with beside the model and the address. */
const OPTIONS: Record<string, (record: StartRecord) => unknown> = {
  vllm: ({ argv }) => argv.slice(7),
  sglang: ({ argv }) => argv.slice(3, -4),
  'tensorrt-llm': ({ argv }) => {
    const file = argv.indexOf('--extra_llm_api_options');
    return file < 0
      ? argv.slice(2, -4)
      : [...argv.slice(2, file), load(readFileSync(argv[file + 1] ?? '', 'utf8'))];
  },
  lmi: ({ env }) => Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('OPTION_'))),
};

/** What a dimension's variable with the value 4 becomes. */
const DIMENSIONS: Record<string, Record<string, unknown>> = {
  vllm: {
    QUANTIZATION: ['--quantization', '4'],
    TENSOR_PARALLEL_SIZE: ['--tensor-parallel-size', '4'],
    MAX_MODEL_LEN: ['--max-model-len', '4'],
    KV_CACHE_DTYPE: ['--kv-cache-dtype', '4'],
  },
  sglang: {
    QUANTIZATION: ['--quantization', '4'],
    TP_SIZE: ['--tp-size', '4'],
    CONTEXT_LENGTH: ['--context-length', '4'],
    KV_CACHE_DTYPE: ['--kv-cache-dtype', '4'],
  },
  'tensorrt-llm': {
    DTYPE: [{ dtype: 4 }],
    TENSOR_PARALLEL_SIZE: ['--tp_size', '4'],
    MAX_INPUT_LEN: [{ max_input_len: 4 }],
  },
  lmi: {
    QUANTIZE: { OPTION_QUANTIZE: '4' },
    TENSOR_PARALLEL_DEGREE: { OPTION_TENSOR_PARALLEL_DEGREE: '4' },
    MAX_MODEL_LEN: { OPTION_MAX_MODEL_LEN: '4' },
  },
};

async function optionsFor(engine: string, env: Record<string, string>, args?: string[]): Promise<unknown> {
  const read = OPTIONS[engine];
  if (!read) throw new Error(`no expectation for ${engine}`);
  return read(await homeOf(engine).recordStart(env, args));
}

describe.each(catalog.engines.map(({ manifest }) => [manifest.engine, manifest] as const))(
  'serve of %s',
  (engine, manifest) => {
    test.each(Object.values(manifest.dimension_map ?? {}))('hands on the dimension %s', async (suffix) => {
      const base = engine === 'sglang' ? ['--enable-metrics'] : [];
      const expected = DIMENSIONS[engine]?.[suffix];
      const options = await optionsFor(engine, { [`${manifest.env_var_prefix}${suffix}`]: '4' });
      expect(options).toEqual(Array.isArray(expected) ? [...base, ...expected] : expected);
    });

    test('takes empty settings, its address and Kubernetes service links out of the environment', async () => {
      const prefix = manifest.env_var_prefix;
      const { argv, env } = await homeOf(engine).recordStart({
        [`${prefix}ANYTHING`]: '',
        [`${prefix}HOST`]: 'localhost',
        [`${prefix}SERVICE_HOST`]: '10.0.0.1',
        [`${prefix}SERVER_SERVICE_PORT_HTTP`]: '80',
        [`${prefix}PORT`]: 'tcp://10.0.0.1:8000',
        [`${prefix}PORT_8000_TCP_ADDR`]: '10.0.0.1',
        [`${prefix}A_PORT_53_UDP`]: 'udp://10.0.0.1:53',
      });
      expect(Object.keys(env).filter((name) => name.startsWith(prefix))).toEqual([]);
      expect(argv.join(' ')).not.toMatch(/10\.0\.0\.1|localhost|anything/i);
    });

    test('evaluates no value', async () => {
      const marker = join(homeOf(engine).folder, 'MARKER');
      const value = `$(touch '${marker}') \`touch '${marker}'\` ; touch '${marker}' & * ~ $HOME`;
      const suffix = Object.values(manifest.dimension_map ?? {})[0];
      const options = await optionsFor(engine, {
        [`${manifest.env_var_prefix}${suffix}`]: value,
        HF_MODEL_ID: value,
      });
      expect(JSON.stringify(options)).toContain(JSON.stringify(value).slice(1, -1));
      expect(homeOf(engine).started().env.HF_TOKEN).toBeUndefined();
      expect(existsSync(marker)).toBe(false);
    });

    test('gives the engine what follows `serve`, and refuses another command', async () => {
      const { argv } = await homeOf(engine).recordStart({}, ['serve', '--seed', '1 2']);
      expect(argv.join('|')).toContain('--seed|1 2');
      const alone = await homeOf(engine).recordStart({}, ['--seed', '3']);
      expect(alone.argv.join('|')).toContain('--seed|3');
      expect(await homeOf(engine).refusal({}, ['train'])).toEqual({
        status: 2,
        stderr: expect.stringContaining("unknown command 'train'"),
      });
    });

    test('leaves the Hugging Face token in the environment, and nowhere else', async () => {
      const { argv, env } = await homeOf(engine).recordStart({ HF_TOKEN: 'hf_secret' });
      expect(env.HF_TOKEN).toBe('hf_secret');
      expect(argv.join(' ')).not.toContain('hf_secret');
    });
  },
);

/** Values that a careless script would split, expand, drop or take for something else; each must arrive as it is. */
const AWKWARD = {
  SPACES: '  two  words ',
  QUOTES: `"double" 'single'`,
  JSON: '{"method": "eagle3", "list": [1, 2]}',
  EQUALS: 'a=b=c',
  GLOB: '*',
  BACKSLASH: 'C:\\new\\$x',
  EMOJI: '🚀',
  LINES: 'one\ntwo',
};

test('vLLM: every kind of value, sorted by name, as arguments', async () => {
  const env = Object.fromEntries(Object.entries(AWKWARD).map(([name, value]) => [`VLLM_X_${name}`, value]));
  const options = await optionsFor('vllm', {
    ...env,
    VLLM_A_HYPHEN: '-1',
    VLLM_ENFORCE_EAGER: 'true',
    VLLM_ENABLE_LORA: 'TRUE',
    VLLM_ENABLE_PREFIX_CACHING: 'False',
    VLLM_DISABLE_LOG_STATS: 'false',
    VLLM_TENSOR_PARALLEL_SIZE: '1',
    VLLM_LORA_MODULES: ' a=/x\tb=/y ',
    VLLM_SERVED_MODEL_NAME: 'one two',
  });
  expect(options).toEqual([
    '--a-hyphen=-1',
    '--enable-lora',
    '--no-enable-prefix-caching',
    '--enforce-eager',
    ...['--lora-modules', 'a=/x', 'b=/y'],
    ...['--served-model-name', 'one', 'two'],
    ...['--tensor-parallel-size', '1'],
    ...Object.keys(AWKWARD)
      .sort()
      .flatMap((name) => [`--x-${name.toLowerCase()}`, AWKWARD[name as keyof typeof AWKWARD]]),
  ]);
});

test('vLLM: JSON of an option that takes several words is one word', async () => {
  const value = '{"name": "a", "path": "/x"}';
  expect(await optionsFor('vllm', { VLLM_LORA_MODULES: value })).toEqual(['--lora-modules', value]);
});

test("vLLM: its own variables stay in the environment, as the installed version's envs.py has them", async () => {
  const own = {
    VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True',
    VLLM_LOGGING_LEVEL: 'DEBUG',
    VLLM_API_KEY: 'k',
    VLLM_PLUGINS: '',
    VLLM_PORT: '5000',
  };
  const home = new EngineHome('vllm');
  try {
    const known = await home.recordStart({ ...own, VLLM_NEW_IN_NEXT_VERSION: '1' });
    expect(known.argv.slice(7)).toEqual(['--new-in-next-version', '1']);
    expect(known.env).toMatchObject(own);
    expect(known.env.VLLM_NEW_IN_NEXT_VERSION).toBeUndefined();

    home.write('python/vllm/__init__.py', 'raise SystemExit("must not be imported")\n');
    home.write(
      'python/vllm/envs.py',
      'environment_variables = {\n    "VLLM_NEW_IN_NEXT_VERSION": lambda: 1,\n}\n',
    );
    const next = await home.recordStart({ VLLM_NEW_IN_NEXT_VERSION: '1', VLLM_ATTENTION_BACKEND: 'X' });
    expect(next.env.VLLM_NEW_IN_NEXT_VERSION).toBe('1');
    expect(next.argv.slice(7)).toEqual(['--attention-backend', 'X']);
  } finally {
    await home.remove();
  }
});

test('SGLang: every kind of value as arguments; its own variables stay', async () => {
  const home = homeOf('sglang');
  home.write('python/sglang/srt/environ.py', 'class Envs:\n    SGLANG_NEW = EnvBool(False)\n');
  const env = Object.fromEntries(Object.entries(AWKWARD).map(([name, value]) => [`SGLANG_X_${name}`, value]));
  const record = await home.recordStart({
    ...env,
    SGLANG_ENABLE_TORCH_COMPILE: 'true',
    SGLANG_DISABLE_RADIX_CACHE: 'false',
    SGLANG_ENABLE_METRICS: 'false',
    SGLANG_LORA_PATHS: 'a=/x b=/y',
    SGLANG_NEW: 'true',
    SGLANG_USE_MODELSCOPE: 'true',
  });
  expect(record.argv).toEqual([
    'sglang.launch_server',
    ...['--model-path', 'org/model'],
    '--enable-torch-compile',
    ...['--lora-paths', 'a=/x', 'b=/y'],
    ...Object.keys(AWKWARD)
      .sort()
      .flatMap((name) => [`--x-${name.toLowerCase()}`, AWKWARD[name as keyof typeof AWKWARD]]),
    ...['--host', '127.0.0.1', '--port', expect.stringMatching(/^\d+$/)],
  ]);
  expect(record.env).toMatchObject({ SGLANG_NEW: 'true', SGLANG_USE_MODELSCOPE: 'true' });
});

test('TensorRT-LLM: flags where there is one, typed YAML for the rest, after a file of the user', async () => {
  const home = homeOf('tensorrt-llm');
  const file = home.write('mine.yaml', 'kv_cache_config:\n  enable_block_reuse: false\nseed: 5');
  const env = Object.fromEntries(Object.entries(AWKWARD).map(([name, value]) => [`TRTLLM_X_${name}`, value]));
  const options = await optionsFor('tensorrt-llm', {
    ...env,
    TRTLLM_EXTRA_LLM_API_OPTIONS: file,
    TRTLLM_MAX_BATCH_SIZE: '8',
    TRTLLM_TRUST_REMOTE_CODE: 'true',
    TRTLLM_FAIL_FAST_ON_ATTENTION_WINDOW_TOO_LARGE: 'false',
    TRTLLM_ENABLE_CHUNKED_PREFILL: 'True',
    TRTLLM_DTYPE: 'bfloat16',
    TRTLLM_ON: '1.5',
    TRTLLM_Z_UNPRINTABLE: 'a\u007f\u0085\u2028b',
    TRTLLM_ENABLE_PDL: '1',
  });
  const { JSON: json, ...texts } = AWKWARD;
  expect(options).toEqual([
    ...['--max_batch_size', '8', '--trust_remote_code'],
    {
      kv_cache_config: { enable_block_reuse: false },
      seed: 5,
      dtype: 'bfloat16',
      enable_chunked_prefill: true,
      on: 1.5,
      x_json: JSON.parse(json),
      z_unprintable: 'a\u007f\u0085\u2028b',
      ...Object.fromEntries(Object.entries(texts).map(([name, value]) => [`x_${name.toLowerCase()}`, value])),
    },
  ]);
  expect(home.started().env.TRTLLM_ENABLE_PDL).toBe('1');
  const clash = await home.refusal({ TRTLLM_EXTRA_LLM_API_OPTIONS: file, TRTLLM_SEED: '6' });
  expect(clash).toEqual({ status: 1, stderr: expect.stringContaining('keep one of them') });
});

test('LMI: the variables reach DJL Serving as they are; another port goes into a copy of its configuration', async () => {
  const env = Object.fromEntries(Object.entries(AWKWARD).map(([name, value]) => [`OPTION_${name}`, value]));
  const record = await homeOf('lmi').recordStart({ ...env, SAGEMAKER_BIND_TO_PORT: '9001' });
  expect(record.env).toMatchObject(env);
  expect(record.argv).toEqual(['djl-serving', 'serve', '-f', expect.any(String)]);
  expect(readFileSync(record.argv[3] ?? '', 'utf8')).toBe(
    'inference_address=http://0.0.0.0:9001\nmanagement_address=http://0.0.0.0:9001\nmodel_store=/opt/ml/model\n',
  );
  const standard = await homeOf('lmi').recordStart({ SAGEMAKER_BIND_TO_PORT: '' });
  expect(standard.argv).toEqual(['djl-serving', 'serve']);
});
