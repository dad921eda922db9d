// Generated from targets.d/variables.schema.json by npm run codegen. Do not edit.

/**
 * The variables of do/config that belong to no single target or engine.
 */
export interface SharedVariables {
  $schema?: string;
  variables: {
    [k: string]: SharedVariable;
  };
}
/**
 * This interface was referenced by `SharedVariables`'s JSON-Schema
 * via the `definition` "sharedVariable".
 */
export interface SharedVariable {
  /**
   * template-owned: rendered from answers. runtime-owned: written by scripts, preserved by regenerate.
   */
  lifecycle: 'template-owned' | 'runtime-owned';
  /**
   * The answer that the variable round-trips with; absent: none.
   */
  answer?: string;
  /**
   * Initial value; absent: the line is written only once there is a value.
   */
  default?: string;
  /**
   * The flag without its dashes; absent: only set in do/config.
   */
  flag?: string;
  /**
   * The question; absent: never asked.
   */
  prompt?: string;
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
