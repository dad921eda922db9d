import { createHash } from 'node:crypto';
import type { MotoClient } from './moto-client.js';

const TARGET = 'Logs_20140328';

/** CloudWatch logs, as the service's containers write them. */
export class LogWriter {
  /** The log groups that the service made, not a user: they stay when the resource goes. */
  readonly groups = new Set<string>();

  constructor(readonly moto: MotoClient) {}

  /** Adds lines to a stream; makes the group and the stream when they are not there. */
  async write(region: string, group: string, stream: string, lines: readonly string[]): Promise<void> {
    await this.#create(region, 'CreateLogGroup', { logGroupName: group });
    this.groups.add(group);
    await this.#create(region, 'CreateLogStream', { logGroupName: group, logStreamName: stream });
    const now = Date.now();
    const logEvents = lines.map((message, index) => ({ timestamp: now + index, message }));
    const input = { logGroupName: group, logStreamName: stream, logEvents };
    await this.moto.json('logs', `${TARGET}.PutLogEvents`, input, region);
  }

  async #create(region: string, operation: string, input: object): Promise<void> {
    try {
      await this.moto.json('logs', `${TARGET}.${operation}`, input, region);
    } catch (error) {
      if (!String(error).includes('ResourceAlreadyExists')) throw error;
    }
  }
}

/** The log group of a resource. */
export function logGroup(kind: string, name: string): string {
  switch (kind) {
    case 'endpoint':
      return `/aws/sagemaker/Endpoints/${name}`;
    case 'inference-component':
      return `/aws/sagemaker/InferenceComponents/${name}`;
    case 'transform-job':
      return '/aws/sagemaker/TransformJobs';
    case 'ai-benchmark-job':
      return '/aws/sagemaker/AIBenchmarkJobs';
    default:
      return '/aws/sagemaker/AIRecommendationJobs';
  }
}

/** The log stream of the machine that works for a resource: a variant's, a component's or a job's. */
export function logStream(owner: string, name: string): string {
  return `${owner}/i-${createHash('sha256').update(name).digest('hex').slice(0, 17)}`;
}
