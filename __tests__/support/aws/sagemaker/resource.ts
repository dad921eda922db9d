/** Input and output of an operation of the JSON protocol. */
export type Json = Record<string, unknown>;

export type Kind =
  | 'model'
  | 'endpoint-config'
  | 'endpoint'
  | 'inference-component'
  | 'transform-job'
  | 'ai-workload-config'
  | 'ai-benchmark-job'
  | 'ai-recommendation-job'
  | 'cluster';

export interface Tag {
  Key: string;
  Value: string;
}

/** What comes after a state that ends by itself. */
export interface Step {
  /** How many looks (or ticks of the clock) the state still lasts. */
  looks: number;
  then: () => void | Promise<void>;
}

/** One resource of the service. */
export interface Resource {
  kind: Kind;
  name: string;
  region: string;
  arn: string;
  status: string;
  reason?: string;
  tags: Tag[];
  /** What it was made of, and for some kinds changed to: members as in the request. */
  spec: Json;
  /** Seconds since the epoch, with fractions. */
  createdAt: number;
  modifiedAt: number;
  endedAt?: number;
  /** For how many looks it is not there yet. */
  unseen: number;
  steps: Step[];
}

/** How the service names each kind in an ARN and in its messages. */
export const KIND_WORDS: Record<Kind, { arn: string; words: string }> = {
  model: { arn: 'model', words: 'model' },
  'endpoint-config': { arn: 'endpoint-config', words: 'endpoint configuration' },
  endpoint: { arn: 'endpoint', words: 'endpoint' },
  'inference-component': { arn: 'inference-component', words: 'inference component' },
  'transform-job': { arn: 'transform-job', words: 'transform job' },
  'ai-workload-config': { arn: 'ai-workload-config', words: 'AI workload config' },
  'ai-benchmark-job': { arn: 'ai-benchmark-job', words: 'AI benchmark job' },
  'ai-recommendation-job': { arn: 'ai-recommendation-job', words: 'AI recommendation job' },
  cluster: { arn: 'cluster', words: 'cluster' },
};

/** Whether a state ends by itself. */
export function isChanging(resource: Resource): boolean {
  return CHANGING.has(resource.status);
}

const CHANGING = new Set([
  'Creating',
  'Updating',
  'SystemUpdating',
  'RollingBack',
  'Deleting',
  'InProgress',
  'Stopping',
]);
