import { AwsError, validationException } from '../aws-error.js';
import { logGroup, logStream } from '../logs.js';
import { page } from './listing.js';
import { type Context, type Operation, type Operations, structures, text } from './operation.js';
import { isChanging, type Json, type Resource } from './resource.js';
import { arnOf } from './resources.js';

type JobKind = 'ai-benchmark-job' | 'ai-recommendation-job';

export const aiOperations: Operations = {
  CreateAIWorkloadConfig(input, context) {
    const name = text(input, 'AIWorkloadConfigName');
    refuseExisting('ai-workload-config', name, context);
    const { resources, region } = context;
    return { AIWorkloadConfigArn: resources.add('ai-workload-config', region, name, input, 'Present').arn };
  },

  DescribeAIWorkloadConfig(input, context) {
    const { name, arn, spec, createdAt } = named('ai-workload-config', input.AIWorkloadConfigName, context);
    return { ...spec, AIWorkloadConfigName: name, AIWorkloadConfigArn: arn, CreationTime: createdAt };
  },

  ListAIWorkloadConfigs(input, { region, resources }) {
    const { found, next } = page(input, resources.list('ai-workload-config', region));
    const AIWorkloadConfigs = found.map(({ name, arn, createdAt }) => ({
      AIWorkloadConfigName: name,
      AIWorkloadConfigArn: arn,
      CreationTime: createdAt,
    }));
    return { AIWorkloadConfigs, ...next };
  },

  DeleteAIWorkloadConfig(input, context) {
    const config = named('ai-workload-config', input.AIWorkloadConfigName, context);
    const { resources, region } = context;
    const jobs = [
      ...resources.list('ai-benchmark-job', region),
      ...resources.list('ai-recommendation-job', region),
    ];
    const user = jobs.find(
      (job) => isChanging(job) && nameIn(job.spec.AIWorkloadConfigIdentifier) === config.name,
    );
    if (user)
      throw new AwsError(
        'ResourceInUse',
        `The AI workload config "${config.arn}" is in use by "${user.arn}".`,
      );
    resources.remove(config);
    return { AIWorkloadConfigArn: config.arn };
  },

  ...jobOperations('ai-benchmark-job', 'AIBenchmarkJob', (input, context) => {
    const endpoint = (input.BenchmarkTarget as Json).Endpoint as Json | undefined;
    if (!endpoint) throw validationException('BenchmarkTarget needs exactly one member.');
    mustServe('endpoint', endpoint.Identifier, context);
    for (const { Identifier } of structures(endpoint.InferenceComponents)) {
      mustServe('inference-component', Identifier, context);
    }
  }),
  ...jobOperations('ai-recommendation-job', 'AIRecommendationJob', (input) => {
    if ((input.ModelSource as Json).S3 === undefined) {
      throw validationException('ModelSource needs exactly one member.');
    }
  }),
};

/** The five operations of a kind of jobs; `check` refuses what a new one must not ask for. */
function jobOperations(
  kind: JobKind,
  noun: string,
  check: (input: Json, context: Context) => void,
): Operations {
  const jobName = `${noun}Name`;
  const jobArn = `${noun}Arn`;
  const get = (input: Json, context: Context) => named(kind, input[jobName], context);
  const create: Operation = (input, context) => {
    const name = text(input, jobName);
    refuseExisting(kind, name, context);
    named('ai-workload-config', input.AIWorkloadConfigIdentifier, context);
    check(input, context);
    const { resources, region } = context;
    const job = resources.add(kind, region, name, input, 'InProgress');
    const plan = resources.plans.take(kind, name, 'create');
    resources.begin(job, 'InProgress', plan.looks, () => end(job, context, plan.fails));
    return { [jobArn]: job.arn };
  };
  const summary = ({ name, arn, status, createdAt, endedAt }: Resource) => ({
    [jobName]: name,
    [jobArn]: arn,
    [`${noun}Status`]: status,
    CreationTime: createdAt,
    ...(endedAt !== undefined && { EndTime: endedAt }),
  });
  return {
    [`Create${noun}`]: create,
    [`Describe${noun}`]: async (input, context) => {
      const job = get(input, context);
      const { spec, reason, createdAt } = job;
      const failure = reason === undefined ? {} : { FailureReason: reason };
      const description = { ...spec, ...summary(job), StartTime: createdAt, ...failure };
      await context.resources.looked(job);
      return description;
    },
    [`List${noun}s`]: (input, { region, resources }) => {
      const { found, next } = page(input, resources.list(kind, region));
      return { [`${noun}s`]: found.map(summary), ...next };
    },
    [`Stop${noun}`]: (input, context) => {
      const job = get(input, context);
      if (job.status !== 'InProgress') {
        throw validationException(`The request was rejected because the job is in status ${job.status}.`);
      }
      const plan = context.resources.plans.take(kind, job.name, 'stop');
      context.resources.begin(job, 'Stopping', plan.looks, () => {
        job.status = 'Stopped';
        job.endedAt = Date.now() / 1000;
      });
      return { [jobArn]: job.arn };
    },
    [`Delete${noun}`]: (input, context) => {
      const job = get(input, context);
      if (isChanging(job)) throw validationException(`Cannot delete in-progress job "${job.arn}".`);
      context.resources.remove(job);
      return { [jobArn]: job.arn };
    },
  };
}

async function end(job: Resource, { region, effects }: Context, fails?: string): Promise<void> {
  job.status = fails === undefined ? 'Completed' : 'Failed';
  job.endedAt = Date.now() / 1000;
  if (fails !== undefined) job.reason = fails;
  const lines = [`Starting the job ${job.name}`, fails ?? 'The job is done'];
  await effects.logs.write(region, logGroup(job.kind, job.name), logStream(job.name, job.name), lines);
}

function mustServe(kind: 'endpoint' | 'inference-component', identifier: unknown, context: Context): void {
  const { arn, status } = named(kind, identifier, context);
  if (status !== 'InService') throw validationException(`"${arn}" must be InService; it is ${status}.`);
}

/** These operations take a name or an ARN, and have an error of their own for what is not there. */
function named(kind: Resource['kind'], identifier: unknown, { region, resources }: Context): Resource {
  const resource = resources.find(kind, region, nameIn(identifier));
  if (!resource)
    throw new AwsError('ResourceNotFound', `Could not find "${arnOf(kind, region, nameIn(identifier))}".`);
  return resource;
}

function nameIn(identifier: unknown): string {
  const written = String(identifier);
  return written.slice(written.lastIndexOf('/') + 1);
}

function refuseExisting(kind: Resource['kind'], name: string, { region, resources }: Context): void {
  if (!resources.has(kind, region, name)) return;
  throw new AwsError('ResourceInUse', `"${arnOf(kind, region, name)}" already exists.`);
}
