// Generated from targets.d/manifest.schema.json by npm run codegen. Do not edit.

/**
 * This interface was referenced by `TargetManifest`'s JSON-Schema
 * via the `definition` "targetName".
 */
export type TargetName = string;
/**
 * This interface was referenced by `TargetManifest`'s JSON-Schema
 * via the `definition` "variableName".
 */
export type VariableName = string;

/**
 * The descriptor of a deployment target: everything about the target that is not its deploy or clean script derives from it.
 */
export interface TargetManifest {
  /**
   * Lets an editor complete and check this file.
   */
  $schema?: string;
  /**
   * Canonical name; equals the folder's name.
   */
  target: string;
  /**
   * One line for menus, help and documentation.
   */
  summary?: string;
  /**
   * Older or shorter names that mean this target.
   */
  aliases: TargetName[];
  /**
   * State variable in do/config, written by the deploy and clean scripts.
   */
  status_var: string;
  /**
   * The camelCase form of status_var.
   */
  answer_key: string;
  /**
   * The value of status_var that means active.
   */
  success_status: 'InService' | 'Running' | 'Completed';
  /**
   * Where the deployment runs.
   */
  family: 'sagemaker-endpoint' | 'sagemaker-job' | 'kubernetes';
  /**
   * How one sends it work.
   */
  invocation: 'component' | 'async' | 'job' | 'pod';
  /**
   * The Kubernetes workload that is rendered for it.
   */
  workload: 'none' | 'deployment' | 'inference-endpoint-config';
  /**
   * Whether there is a SageMaker endpoint in front of the model.
   */
  sagemaker_endpoint: boolean;
  /**
   * The deploy script, relative to do/.
   */
  deploy_script: string;
  /**
   * The teardown script, relative to do/.
   */
  clean_script: string;
  /**
   * Variables that must not be empty before a deploy.
   */
  required_vars: VariableName[];
  /**
   * Variables that may be left out, each with its default.
   */
  optional_vars: {
    [k: string]: string;
  };
  /**
   * Variables that scripts write; regenerate preserves them. Contains status_var.
   */
  runtime_owned_vars: VariableName[];
  /**
   * Where the resolved SERVING_* values of the target come from.
   */
  serving_config_source: 'kubernetes' | 'sagemaker-ic';
  /**
   * For every target-restricted verb: whether it applies to this target.
   */
  verbs: {
    benchmark: boolean;
    optimize: boolean;
    adapter: boolean;
    'add-ic': boolean;
    ci: boolean;
    draft: boolean;
  };
  /**
   * Per refused verb: what to do instead.
   */
  verb_guidance?: {
    [k: string]: string;
  };
  /**
   * How a variable is asked for: drives prompts, flags, validation and documentation.
   */
  params?: {
    [k: string]: Param;
  };
}
/**
 * This interface was referenced by `TargetManifest`'s JSON-Schema
 * via the `definition` "param".
 */
export interface Param {
  /**
   * The flag without its dashes; absent: only set in do/config.
   */
  flag?: string;
  /**
   * The question; absent: never asked.
   */
  prompt?: string;
  /**
   * A variable whose value a new project proposes for this one, where there is no other default.
   */
  default_from?: string;
  /**
   * What a non-empty value must match.
   */
  pattern?: string;
  /**
   * The values allowed.
   *
   * @minItems 1
   */
  enum?: [string, ...string[]];
  /**
   * One line of help.
   */
  description: string;
}
