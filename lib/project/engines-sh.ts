import type { Catalog, Engine } from '../catalog/index.js';
import { quoteShell } from '../shell/index.js';
import { generatedShell } from './generated-shell.js';

/** The dimensions of a serving configuration that engines have their own variables for. */
const DIMENSIONS = {
  quantization: '_ENGINE_QUANTIZATION',
  tensor_parallel_degree: '_ENGINE_TENSOR_PARALLEL',
  max_model_len: '_ENGINE_MAX_MODEL_LEN',
  kv_cache_dtype: '_ENGINE_KV_CACHE_DTYPE',
} as const;

/**
 * `do/lib/engines.sh`: sourced as `. engines.sh ENGINE`, it sets `_ENGINE_PREFIX` and, for each dimension, the name of the engine's
 * variable, empty where it has none. Unknown engine: all are empty.
 */
export function enginesSh({ engines }: Catalog): string {
  const none = ['_ENGINE_PREFIX', ...Object.values(DIMENSIONS)].map((name) => `${name}=''`);
  return generatedShell('serve.d', [none.join(' '), 'case ${1-} in', ...engines.flatMap(engineArm), 'esac']);
}

function engineArm({ manifest }: Engine): string[] {
  const prefix = manifest.env_var_prefix;
  const dimensions = Object.entries(DIMENSIONS).flatMap(([dimension, name]) => {
    const suffix = manifest.dimension_map?.[dimension as keyof typeof DIMENSIONS];
    return suffix ? [`    ${name}=${quoteShell(`${prefix}${suffix}`)}`] : [];
  });
  return [`  ${manifest.engine})`, `    _ENGINE_PREFIX=${quoteShell(prefix)}`, ...dimensions, '    ;;'];
}
