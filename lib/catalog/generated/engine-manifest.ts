// Generated from serve.d/manifest.schema.json by npm run codegen. Do not edit.

/**
 * A serving engine, described once: what the rest of the product knows about it is derived from here. What an engine lacks is stated (false, [], {}), never left out of the required fields.
 */
export type EngineManifest = {
  /**
   * Lets editors complete and check the file.
   */
  $schema?: string;
  /**
   * Canonical name, equal to the folder's name.
   */
  engine: string;
  /**
   * One line for menus, help and documentation.
   */
  summary?: string;
  /**
   * Variables with this prefix are the engine's settings; its `serve` turns them into the engine's own options.
   */
  env_var_prefix: string;
  /**
   * Whether the engine can decode speculatively.
   */
  speculative_decoding: boolean;
  /**
   * Speculative algorithms by the product's names.
   */
  supported_algorithms: Algorithm[];
  /**
   * Each supported algorithm -> the engine's own name for it.
   */
  algorithm_map: {
    [k: string]: string;
  };
  /**
   * Whether adapters can be loaded and unloaded while the engine serves.
   */
  hot_reload: boolean;
  /**
   * The engine's routes for adapters, and the environment without which they do not work.
   */
  adapter_api?: {
    load: Route;
    unload: Route;
    list: Route;
    required_env: {
      [k: string]: string;
    };
  };
  /**
   * Where the running container reports its metrics.
   */
  metrics_endpoint?: {
    path: Route;
    port: number;
    format: 'prometheus';
  };
  /**
   * The benchmarked dimensions -> the suffix that, after the prefix, names the engine's variable.
   */
  dimension_map?: {
    quantization?: Variable;
    tensor_parallel_degree?: Variable;
    max_model_len?: Variable;
    kv_cache_dtype?: Variable;
  };
  /**
   * The public image that a project's image starts from when its answers name none; with a tag or a digest.
   */
  base_image?: string;
  /**
   * The oldest version of the engine whose options and routes `serve` relies on.
   */
  min_version?: string;
  /**
   * A feature -> the first version of the engine that has it, where that is later than min_version.
   */
  version_features?: {
    [k: string]: Version;
  };
  /**
   * Files of templates/serve that this engine's `serve` needs beside it; they are put into the project's code/ folder.
   */
  helpers?: string[];
};
/**
 * This interface was referenced by `undefined`'s JSON-Schema
 * via the `definition` "algorithm".
 */
export type Algorithm = string;
/**
 * This interface was referenced by `undefined`'s JSON-Schema
 * via the `definition` "route".
 */
export type Route = string;
/**
 * This interface was referenced by `undefined`'s JSON-Schema
 * via the `definition` "variable".
 */
export type Variable = string;
/**
 * This interface was referenced by `undefined`'s JSON-Schema
 * via the `definition` "version".
 */
export type Version = string;
