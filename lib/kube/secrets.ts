/** A key of a secret that must be in the cluster before a workload starts. */
export interface NeededSecret {
  namespace: string;
  secret: string;
  key: string;
  /** What needs it: the profile's key, the setting or the variable. */
  neededBy: string;
  /** Where a deploy gets its value from, in Secrets Manager; absent: a person or an operator provides it. */
  arn?: string;
}
