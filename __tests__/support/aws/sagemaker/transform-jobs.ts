import { AwsError, validationException } from '../aws-error.js';
import { page } from './listing.js';
import { type Operations, text } from './operation.js';
import type { Json, Resource } from './resource.js';
import { arnOf } from './resources.js';
import { runTransform } from './transform-run.js';

const MOST_MB = 100;

export const transformJobOperations: Operations = {
  CreateTransformJob(input, context) {
    const { region, resources } = context;
    const name = text(input, 'TransformJobName');
    resources.get('model', region, text(input, 'ModelName'));
    checkPayload(input);
    if (resources.has('transform-job', region, name)) {
      const words =
        'Job name must be unique within an AWS account and region, and a job with this name already exists';
      throw new AwsError('ResourceInUse', `${words} (${arnOf('transform-job', region, name)})`);
    }
    const job = resources.add('transform-job', region, name, input, 'InProgress');
    const plan = resources.plans.take('transform-job', name, 'create');
    resources.begin(job, 'InProgress', plan.looks, async () => {
      end(job, ...(await runTransform(job, context, plan.fails)));
    });
    return { TransformJobArn: job.arn };
  },

  async DescribeTransformJob(input, { region, resources }) {
    const job = resources.get('transform-job', region, text(input, 'TransformJobName'));
    const description = described(job);
    await resources.looked(job);
    return description;
  },

  ListTransformJobs(input, { region, resources }) {
    const { found, next } = page(input, resources.list('transform-job', region));
    const TransformJobSummaries = found.map(
      ({ name, arn, status, reason, createdAt, modifiedAt, endedAt }) => ({
        TransformJobName: name,
        TransformJobArn: arn,
        TransformJobStatus: status,
        CreationTime: createdAt,
        LastModifiedTime: modifiedAt,
        ...(endedAt !== undefined && { TransformEndTime: endedAt }),
        ...(reason !== undefined && { FailureReason: reason }),
      }),
    );
    return { TransformJobSummaries, ...next };
  },

  StopTransformJob(input, { region, resources }) {
    const job = resources.get('transform-job', region, text(input, 'TransformJobName'));
    if (job.status !== 'InProgress') {
      throw validationException(
        `The request was rejected because the transform job is in status ${job.status}.`,
      );
    }
    const plan = resources.plans.take('transform-job', job.name, 'stop');
    resources.begin(job, 'Stopping', plan.looks, () =>
      end(job, plan.fails === undefined ? 'Stopped' : 'Failed', plan.fails),
    );
    return {};
  },
};

function end(job: Resource, status: string, reason?: string): void {
  job.status = status;
  job.endedAt = Date.now() / 1000;
  if (reason !== undefined) job.reason = reason;
}

function checkPayload(input: Json): void {
  const payload = Number(input.MaxPayloadInMB ?? 6);
  const concurrent = Number(input.MaxConcurrentTransforms ?? 1);
  if (payload > MOST_MB) throw validationException(`MaxPayloadInMB cannot be greater than ${MOST_MB} MB.`);
  if (input.MaxConcurrentTransforms !== undefined && payload * concurrent > MOST_MB) {
    throw validationException(`MaxConcurrentTransforms * MaxPayloadInMB cannot exceed ${MOST_MB} MB.`);
  }
}

function described(job: Resource): Json {
  const { name, arn, spec, status, reason, createdAt, endedAt } = job;
  return {
    ...spec,
    TransformJobName: name,
    TransformJobArn: arn,
    TransformJobStatus: status,
    CreationTime: createdAt,
    TransformStartTime: createdAt,
    ...(endedAt !== undefined && { TransformEndTime: endedAt }),
    ...(reason !== undefined && { FailureReason: reason }),
  };
}
