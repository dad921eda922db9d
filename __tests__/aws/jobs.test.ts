import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { model, ROLE_ARN, servingComponent, transformJob } from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

describeWithCloud('Jobs and clusters', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterEach(async () => {
    expect(world.aws.defects).toEqual([]);
    await world.aws.reset();
  });
  afterAll(() => world.stop());

  const refused = async (operation: string, input: object, message: string, code = 'ValidationException') => {
    const { code: given, message: said } = await world.call(operation, input);
    expect([given, said]).toEqual([code, expect.stringContaining(message)]);
  };

  describe('transform jobs', () => {
    const described = () => world.must('DescribeTransformJob', { TransformJobName: 'j' });
    const read = async (key: string) =>
      (await world.aws.objects.read({ bucket: 'data', key }))?.toString('utf8');
    const prepare = async (input = '{"a":1}\n{"a":2}\n') => {
      await world.must('CreateModel', model());
      await world.aws.objects.createBucket('data');
      await world.aws.objects.write({ bucket: 'data', key: 'in/sub/x.jsonl' }, input);
    };

    test('need a model, and a name that no job has ever had', async () => {
      await refused('CreateTransformJob', transformJob(), 'Could not find model');
      await prepare();
      await world.must('CreateTransformJob', transformJob());
      await refused(
        'CreateTransformJob',
        transformJob(),
        'a job with this name already exists',
        'ResourceInUse',
      );
    });

    test('put one output object for each input object into the bucket, after they ran', async () => {
      await prepare();
      await world.must('CreateTransformJob', transformJob());
      expect(await described()).toMatchObject({ TransformJobStatus: 'InProgress', ModelName: 'm' });
      expect(await described()).toMatchObject({ TransformJobStatus: 'Completed' });
      const output = (await read('out/sub/x.jsonl.out')) ?? '';
      expect(JSON.parse(output).choices[0].message.content).toBe('{"a":1}\n{"a":2}');
    });

    test('send a record alone, and join it with its answer, when they are told to', async () => {
      await prepare();
      world.aws.container(({ body }) => ({
        body: JSON.stringify({ b: JSON.parse(body.toString()).a * 10 }),
      }));
      const joined = { BatchStrategy: 'SingleRecord', DataProcessing: { JoinSource: 'Input' } };
      await world.must('CreateTransformJob', transformJob('j', joined));
      await described();
      expect(await read('out/sub/x.jsonl.out')).toBe(
        '{"a":1,"SageMakerOutput":{"b":10}}\n{"a":2,"SageMakerOutput":{"b":20}}\n',
      );
    });

    test('have no more in one request than the payload may have', async () => {
      const line = JSON.stringify('x'.repeat(600_000));
      await prepare([line, line, line].join('\n'));
      const sizes: number[] = [];
      world.aws.container(({ body }) => {
        sizes.push(body.toString().split('\n').length);
        return { body: '{}' };
      });
      await world.must('CreateTransformJob', transformJob('j', { MaxPayloadInMB: 1 }));
      await described();
      expect(sizes).toEqual([1, 1, 1]);
    });

    test('fail without input, and when the container fails', async () => {
      await prepare();
      world.aws.container(() => ({ status: 500, body: 'oh' }));
      await world.must('CreateTransformJob', transformJob());
      await described();
      expect(await described()).toMatchObject({
        TransformJobStatus: 'Failed',
        FailureReason: expect.stringContaining('See job logs'),
      });
      const source = { DataSource: { S3DataSource: { S3DataType: 'S3Prefix', S3Uri: 's3://data/none' } } };
      await world.must('CreateTransformJob', transformJob('empty', { TransformInput: source }));
      await world.must('DescribeTransformJob', { TransformJobName: 'empty' });
      const { FailureReason } = await world.must('DescribeTransformJob', { TransformJobName: 'empty' });
      expect(FailureReason).toContain('No S3 objects found under S3 URL "s3://data/none"');
    });

    test('fail for a reason that a test gives', async () => {
      await prepare();
      world.aws.plan({ kind: 'transform-job', on: 'create', fails: 'AlgorithmError: no' });
      await world.must('CreateTransformJob', transformJob());
      await described();
      expect(await described()).toMatchObject({ FailureReason: 'AlgorithmError: no' });
    });

    test('are stopped while they run, and leave no output', async () => {
      await prepare();
      await world.must('CreateTransformJob', transformJob());
      await world.must('StopTransformJob', { TransformJobName: 'j' });
      expect(await described()).toMatchObject({ TransformJobStatus: 'Stopping' });
      expect(await described()).toMatchObject({ TransformJobStatus: 'Stopped' });
      expect(await read('out/sub/x.jsonl.out')).toBeUndefined();
      await refused('StopTransformJob', { TransformJobName: 'j' }, 'the transform job is in status Stopped');
      const { TransformJobSummaries } = await world.must('ListTransformJobs', { StatusEquals: 'Stopped' });
      expect(TransformJobSummaries).toMatchObject([{ TransformJobName: 'j' }]);
    });

    test.each<[string, object, string]>([
      ['one payload', { MaxPayloadInMB: 101 }, 'greater than 100 MB'],
      ['all payloads', { MaxPayloadInMB: 51, MaxConcurrentTransforms: 2 }, 'cannot exceed 100 MB'],
      ['the payload that it has by itself', { MaxConcurrentTransforms: 17 }, 'cannot exceed 100 MB'],
    ])('are not larger than the service takes: %s', async (_what, changes, message) => {
      await world.must('CreateModel', model());
      await refused('CreateTransformJob', transformJob('j', changes), message);
    });
  });

  describe('AI jobs', () => {
    const workload = {
      AIWorkloadConfigName: 'w',
      AIWorkloadConfigs: { WorkloadSpec: { Inline: 'benchmark: {}' } },
    };
    const benchmark = (changes: object = {}) => ({
      AIBenchmarkJobName: 'b',
      BenchmarkTarget: { Endpoint: { Identifier: 'e', InferenceComponents: [{ Identifier: 'ic' }] } },
      OutputConfig: { S3OutputLocation: 's3://data/benchmarks' },
      AIWorkloadConfigIdentifier: 'w',
      RoleArn: ROLE_ARN,
      ...changes,
    });
    const recommendation = (changes: object = {}) => ({
      AIRecommendationJobName: 'r',
      ModelSource: { S3: { S3Uri: 's3://data/model' } },
      OutputConfig: { S3OutputLocation: 's3://data/r' },
      AIWorkloadConfigIdentifier: 'w',
      PerformanceTarget: { Constraints: [{ Metric: 'ttft-ms' }] },
      RoleArn: ROLE_ARN,
      ...changes,
    });

    test('a benchmark needs its workload, an endpoint and components in service', async () => {
      await refused('CreateAIBenchmarkJob', benchmark(), 'ai-workload-config/w', 'ResourceNotFound');
      await world.must('CreateAIWorkloadConfig', workload);
      await refused('CreateAIBenchmarkJob', benchmark(), 'endpoint/e', 'ResourceNotFound');
      await servingComponent(world);
      const other = { Endpoint: { Identifier: 'e', InferenceComponents: [{ Identifier: 'no' }] } };
      await refused('CreateAIBenchmarkJob', benchmark({ BenchmarkTarget: other }), '/no', 'ResourceNotFound');
      await refused('CreateAIBenchmarkJob', benchmark({ BenchmarkTarget: {} }), 'exactly one member');
      await world.must('DeleteInferenceComponent', { InferenceComponentName: 'ic' });
      await refused('CreateAIBenchmarkJob', benchmark(), 'it is Deleting');
    });

    test('a benchmark runs, and is deleted when it has ended', async () => {
      await world.must('CreateAIWorkloadConfig', workload);
      await refused('CreateAIWorkloadConfig', workload, 'already exists', 'ResourceInUse');
      await servingComponent(world);
      await world.must('CreateAIBenchmarkJob', benchmark());
      await refused('CreateAIBenchmarkJob', benchmark(), 'already exists', 'ResourceInUse');
      await refused('DeleteAIBenchmarkJob', { AIBenchmarkJobName: 'b' }, 'in-progress');
      await refused('DeleteAIWorkloadConfig', { AIWorkloadConfigName: 'w' }, 'in use', 'ResourceInUse');
      const described = () => world.must('DescribeAIBenchmarkJob', { AIBenchmarkJobName: 'b' });
      expect(await described()).toMatchObject({ AIBenchmarkJobStatus: 'InProgress' });
      expect(await described()).toMatchObject({ AIBenchmarkJobStatus: 'Completed' });
      await refused('StopAIBenchmarkJob', { AIBenchmarkJobName: 'b' }, 'in status Completed');
      await world.must('DeleteAIBenchmarkJob', { AIBenchmarkJobName: 'b' });
      await world.must('DeleteAIWorkloadConfig', { AIWorkloadConfigName: 'w' });
      await refused('DescribeAIWorkloadConfig', { AIWorkloadConfigName: 'w' }, '/w', 'ResourceNotFound');
    });

    test('a recommendation can be stopped, and fail', async () => {
      await world.must('CreateAIWorkloadConfig', workload);
      await refused('CreateAIRecommendationJob', recommendation({ ModelSource: {} }), 'exactly one member');
      await world.must('CreateAIRecommendationJob', recommendation());
      await world.must('StopAIRecommendationJob', { AIRecommendationJobName: 'r' });
      const described = (AIRecommendationJobName = 'r') =>
        world.must('DescribeAIRecommendationJob', { AIRecommendationJobName });
      expect(await described()).toMatchObject({ AIRecommendationJobStatus: 'Stopping' });
      expect(await described()).toMatchObject({ AIRecommendationJobStatus: 'Stopped' });
      world.aws.plan({ kind: 'ai-recommendation-job', on: 'create', fails: 'no instance fits' });
      await world.must('CreateAIRecommendationJob', recommendation({ AIRecommendationJobName: 'r2' }));
      await described('r2');
      expect(await described('r2')).toMatchObject({ FailureReason: 'no instance fits' });
      const { AIRecommendationJobs } = await world.must('ListAIRecommendationJobs', {
        StatusEquals: 'Failed',
      });
      expect(AIRecommendationJobs).toMatchObject([{ AIRecommendationJobName: 'r2' }]);
    });
  });

  test('a HyperPod cluster tells which EKS cluster it runs on', async () => {
    const ClusterArn = 'arn:aws:eks:us-west-2:123456789012:cluster/k';
    const group = {
      InstanceGroupName: 'g',
      InstanceType: 'ml.g5.xlarge',
      InstanceCount: 2,
      ExecutionRole: ROLE_ARN,
      LifeCycleConfig: { SourceS3Uri: 's3://sagemaker-b/l', OnCreate: 'on.sh' },
    };
    const cluster = { ClusterName: 'hp', InstanceGroups: [group], Orchestrator: { Eks: { ClusterArn } } };
    const arn = (await world.must('CreateCluster', cluster)).ClusterArn;
    await refused('CreateCluster', cluster, 'already exists', 'ResourceInUse');
    const described = (ClusterName: unknown) => world.must('DescribeCluster', { ClusterName });
    expect(await described('hp')).toMatchObject({ ClusterStatus: 'Creating' });
    expect(await described(arn)).toMatchObject({
      ClusterStatus: 'InService',
      Orchestrator: { Eks: { ClusterArn } },
      InstanceGroups: [{ CurrentCount: 2, TargetCount: 2 }],
    });
    await world.must('DeleteCluster', { ClusterName: 'hp' });
    await described('hp');
    await refused('DescribeCluster', { ClusterName: 'hp' }, 'does not exist', 'ResourceNotFound');
  });
});
