/** What somebody says about a new target. What is left out comes from the kind of target. */
export interface TargetRequest {
  name: string;
  family?: string;
  invocation?: string;
  workload?: string;
  /** The part of the status variable between DEPLOYMENT_TARGET_ and _STATUS. */
  statusTag?: string;
  success?: string;
  aliases?: readonly string[];
  required?: readonly string[];
  /** `VARIABLE=DEFAULT` each. */
  optional?: readonly string[];
  servingSource?: string;
  /** `VERB=yes` or `VERB=no` each. */
  verbs?: readonly string[];
  /** An existing target whose descriptor and scripts are the start. */
  like?: string;
  summary?: string;
}
