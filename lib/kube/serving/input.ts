import type { EngineManifest, TargetManifest } from '../../catalog/index.js';
import type { SourceFile } from '../toml/document.js';

/** What the renderer reads of a target's descriptor. */
export type ServingTarget = Pick<
  TargetManifest,
  'target' | 'status_var' | 'workload' | 'sagemaker_endpoint' | 'optional_vars'
>;

/** What the renderer reads of a serving engine's manifest. */
export type ServingEngine = Pick<
  EngineManifest,
  'env_var_prefix' | 'dimension_map' | 'metrics_endpoint' | 'adapter_api'
>;

/** Everything that a serving workload is rendered from. */
export interface ServingInput {
  /** The project's `do/config`. */
  config: SourceFile;
  /** Settings of this one run, which win over the config; an empty one takes the config's away. */
  overrides: ReadonlyMap<string, string>;
  target: ServingTarget;
  /** Undefined for a server that has no manifest. */
  engine?: ServingEngine;
  /** The table of accelerators by instance type, `do/lib/accelerators.txt`. */
  accelerators: string;
  /** Absent: everything comes from the config. */
  profile?: SourceFile;
}
