import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { CloudCall } from '../support/aws/index.js';
import { describeWithAws, type EmulatedAws } from './support/emulated-aws.js';
import { image, type Subject, subject } from './support/sagemaker.js';
import { callService } from './support/service-call.js';
import { testSideBySide, type Work } from './support/side-by-side.js';
import { Stage } from './support/stage.js';

const TOKEN = 'hf_TheTokenThatNobodySees';

describeWithAws('The ways to deploy on SageMaker', () => {
  testSideBySide(2, [
    [
      'a heterogeneous endpoint has pools of instances by priority',
      withStage(subject('component', 'on several instance types'), isHeterogeneous),
    ],
    [
      'an endpoint of others gets a component and keeps all else',
      withStage(subject('component', 'on the endpoint of others'), isAttached),
    ],
    ['an asynchronous endpoint without a topic names none', withStage(subject('async'), tellsNobody)],
    [
      'an asynchronous endpoint with a topic names it for both outcomes',
      withStage(subject('async', 'with a topic'), tellsTheTopic),
    ],
    [
      '[C32] two batch jobs in one second have names of their own, the last one is recorded',
      withStage(subject('job'), isStartedTwice),
    ],
    [
      '[C27] an update: the endpoint is in service with the new config before the old one goes',
      withStage(subject('async'), isUpdatedInOrder),
    ],
    ['overlays reach their requests, at deploy and at update', withStage(subject('component'), isOverlaid)],
    [
      'a token in Secrets Manager reaches the container and nothing else',
      withStage(subject('async'), keepsTheSecret),
    ],
    [
      '[C36] without a region nothing is called; a region in one variable is the region of all calls',
      withStage(subject('job'), findsTheRegion),
    ],
    [
      '[C07] a failed look-up of the account stops the deploy before its first call that changes something',
      withStage(subject('async'), stopsWithoutAccount),
    ],
    [
      '[C35] an output path in a bucket that does not exist is refused before anything is made',
      withStage(subject('async'), needsItsBucket),
    ],
    [
      '[C34] an endpoint that is created for ever: a bounded wait, and clean waits until it can delete',
      withStage(subject('async'), isStuck),
    ],
    [
      'two projects of one target in one account do not touch each other',
      withStage(subject('component'), livesBesideAnother),
    ],
  ]);
});

function withStage(one: Subject, work: (stage: Stage) => Promise<void>): Work {
  return async (cloud: EmulatedAws) => {
    const stage = await Stage.set(cloud, one);
    try {
      await work(stage);
    } finally {
      stage.remove();
    }
  };
}

async function isHeterogeneous({ project, cloud }: Stage): Promise<void> {
  await project.must('deploy');
  expect(requests(cloud, 'CreateEndpointConfig')).toMatchObject([
    {
      ProductionVariants: [
        {
          InstancePools: [
            { InstanceType: 'ml.g6e.2xlarge', Priority: 1 },
            { InstanceType: 'ml.g5.2xlarge', Priority: 2 },
          ],
          ManagedInstanceScaling: { Status: 'ENABLED' },
        },
      ],
    },
  ]);
  expect(JSON.stringify(requests(cloud, 'CreateEndpointConfig'))).not.toContain(
    '"InstanceType":"ml.g5.xlarge"',
  );
}

async function isAttached(stage: Stage): Promise<void> {
  const { project, cloud, before } = stage;
  await project.must('deploy');
  expect(requests(cloud, 'CreateInferenceComponent')).toMatchObject([
    { EndpointName: 'theirs', VariantName: 'Theirs' },
  ]);
  await project.must('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]);
  await project.must('clean', ['--yes']);
  const owned = /Endpoint(Config)?$/;
  const changes = cloud.aws.calls.all.filter(({ operation }) => /^(Create|Update|Delete)/.test(operation));
  expect(changes.filter(({ operation }) => owned.test(operation))).toEqual([]);
  expect(await cloud.aws.snapshot()).toEqual(expect.arrayContaining([...before]));
}

async function tellsNobody({ project, cloud }: Stage): Promise<void> {
  await project.must('deploy');
  const [config] = requests(cloud, 'CreateEndpointConfig');
  expect(config).toMatchObject({
    AsyncInferenceConfig: { OutputConfig: { S3OutputPath: 's3://data/results/' } },
  });
  expect(JSON.stringify(config)).not.toContain('NotificationConfig');
  expect(cloud.aws.calls.names().filter((name) => name.startsWith('sns:'))).toEqual([]);
}

async function tellsTheTopic({ project, cloud, subject: { settings } }: Stage): Promise<void> {
  await project.must('deploy');
  const topic = settings.ASYNC_SNS_TOPIC;
  expect(requests(cloud, 'CreateEndpointConfig')).toMatchObject([
    {
      AsyncInferenceConfig: {
        OutputConfig: { NotificationConfig: { SuccessTopic: topic, ErrorTopic: topic } },
      },
    },
  ]);
  const another = `${topic}-that-is-not-there`;
  const { code, stderr } = await project.run('deploy', ['--async-sns-topic', another]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`the topic ${another} does not exist`),
  });
  expect(requests(cloud, 'CreateEndpointConfig')).toHaveLength(1);
}

async function isStartedTwice(stage: Stage): Promise<void> {
  const { project, cloud } = stage;
  // A clock that stands still, for every script.
  const env = { 'BASH_FUNC_date%%': '() { echo 261201120000; }' };
  await project.must('deploy', [], env);
  const first = project.record(stage.subject.target, 'JOB');
  await project.must('deploy', [], env);
  const second = project.record(stage.subject.target, 'JOB');
  // The model is the same, and so it stays.
  expect(requests(cloud, 'CreateModel')).toHaveLength(1);
  const names = requests(cloud, 'CreateTransformJob').map(({ TransformJobName }) => TransformJobName);
  expect(names).toEqual([first, second]);
  expect(first).not.toBe(second);
  for (const name of names) expect(name).toMatch(/^demo-batch-261201120000-[a-zA-Z0-9-]{1,40}$/);
}

async function isUpdatedInOrder(stage: Stage): Promise<void> {
  const {
    project,
    cloud,
    subject: { target },
  } = stage;
  await project.must('deploy');
  const old = [project.record(target, 'CONFIG'), project.record(target, 'MODEL')];
  cloud.aws.calls.clear();
  cloud.aws.plan({ kind: 'endpoint', on: 'update', looks: 4 });
  await project.must('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]);
  const names = cloud.aws.calls.names();
  expect(names.filter((name) => /:(Create|Update|Delete)/.test(name))).toEqual([
    'sagemaker:CreateModel',
    'sagemaker:CreateEndpointConfig',
    'sagemaker:UpdateEndpoint',
    'sagemaker:DeleteEndpointConfig',
    'sagemaker:DeleteModel',
  ]);
  const states = cloud.aws.calls
    .of('sagemaker', 'DescribeEndpoint')
    .map(({ response }) => (response as { EndpointStatus: string }).EndpointStatus);
  expect(states.slice(-2)).toEqual(['Updating', 'InService']);
  expect(names.lastIndexOf('sagemaker:DescribeEndpoint')).toBeLessThan(
    names.indexOf('sagemaker:DeleteEndpointConfig'),
  );
  expect([
    requests(cloud, 'DeleteEndpointConfig')[0]?.EndpointConfigName,
    requests(cloud, 'DeleteModel')[0]?.ModelName,
  ]).toEqual(old);
}

async function isOverlaid(stage: Stage): Promise<void> {
  const {
    project,
    cloud,
    subject: { target },
  } = stage;
  project.overlay(target.target, 'create-endpoint-config', {
    VpcConfig: { SecurityGroupIds: ['sg-1'], Subnets: ['subnet-1'] },
    Tags: [{ Key: 'team', Value: 'search' }],
  });
  project.overlay(target.target, 'update-inference-component', { DeploymentConfig: ROLLING });
  await project.must('deploy');
  await project.must('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]);
  const [config] = requests(cloud, 'CreateEndpointConfig');
  expect(config).toMatchObject({ VpcConfig: { Subnets: ['subnet-1'] } });
  const tags = (config?.Tags ?? []) as { Key: string }[];
  const keys = tags.map(({ Key }) => Key);
  expect(keys.sort()).toEqual(['mlcc:project', 'mlcc:target', 'team']);
  expect(requests(cloud, 'UpdateInferenceComponent')).toMatchObject([{ DeploymentConfig: ROLLING }]);
  project.overlay(target.target, 'create-cluster', {});
  const { code, stderr } = await project.run('deploy', ['--set', `ECR_IMAGE_URI=${image('c')}`]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('create-cluster') });
}

const ROLLING = {
  RollingUpdatePolicy: { MaximumBatchSize: { Type: 'COPY_COUNT', Value: 1 }, WaitIntervalInSeconds: 30 },
};

async function keepsTheSecret(stage: Stage): Promise<void> {
  const { project, cloud } = stage;
  const secret = { Name: 'own-hub', SecretString: TOKEN };
  const { ARN } = await callService(cloud.aws, 'secretsmanager', 'CreateSecret', secret);
  project.set({ HF_TOKEN_ARN: String(ARN) });
  const said = await project.must('deploy');
  expect(requests(cloud, 'CreateModel')).toMatchObject([
    { PrimaryContainer: { Environment: { HF_TOKEN: TOKEN } } },
  ]);
  expect(said + readFileSync(join(project.project.dir, 'do/config'), 'utf8')).not.toContain(TOKEN);
  cloud.aws.fault({ service: 'secretsmanager', times: Number.POSITIVE_INFINITY, fault: 'access-denied' });
  const { code, stderr } = await project.run('deploy');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('the secret for HF_TOKEN cannot be read'),
  });
  expect(requests(cloud, 'CreateModel')).toHaveLength(1);
}

async function findsTheRegion(stage: Stage): Promise<void> {
  const { project, cloud } = stage;
  project.set({ AWS_REGION: '' });
  const none = { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined };
  const { code, stderr } = await project.run('deploy', [], none);
  expect({ code, stderr, status: stage.status }).toEqual({
    code: 1,
    stderr: expect.stringContaining('no AWS region is set'),
    status: '',
  });
  expect(cloud.aws.calls.all).toEqual([]);
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) {
    cloud.aws.calls.clear();
    await project.must('deploy', [], { ...none, [name]: 'eu-west-1' });
    const regions = cloud.aws.calls.all
      .filter(({ service }) => service === 'sagemaker')
      .map(({ region }) => region);
    expect(new Set(regions)).toEqual(new Set(['eu-west-1']));
    await project.must('clean', ['--yes'], { ...none, [name]: 'eu-west-1' });
  }
}

async function stopsWithoutAccount(stage: Stage): Promise<void> {
  const { project, cloud } = stage;
  cloud.aws.fault({ service: 'sts', times: Number.POSITIVE_INFINITY, fault: 'access-denied' });
  const { code, stderr } = await project.run('deploy');
  expect({ code, stderr, status: stage.status }).toEqual({
    code: 1,
    stderr: expect.stringContaining('the AWS credentials do not work'),
    status: '',
  });
  expect(cloud.aws.calls.names()).toEqual(['sts:GetCallerIdentity']);
}

async function needsItsBucket(stage: Stage): Promise<void> {
  const { project } = stage;
  const { code, stderr } = await project.run('deploy', ['--async-output-path', 's3://not-there/results']);
  expect({ code, stderr, status: stage.status, added: await stage.added() }).toEqual({
    code: 1,
    stderr: expect.stringContaining('the bucket not-there does not exist'),
    status: '',
    added: [],
  });
}

async function isStuck(stage: Stage): Promise<void> {
  const { project, cloud } = stage;
  cloud.aws.plan({ kind: 'endpoint', on: 'create', looks: Number.POSITIVE_INFINITY });
  const limit = ['--set', 'DEPLOY_TIMEOUT=6'];
  const { code, stderr } = await project.run('deploy', limit);
  expect({ code, stderr, status: stage.status }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/the endpoint demo: still Creating after /),
    status: 'Failed',
  });
  const cleaned = await project.run('clean', ['--yes', ...limit]);
  expect({ code: cleaned.code, status: stage.status }).toEqual({ code: 1, status: 'Deleting' });
  // What an endpoint is made of stays until the endpoint is gone.
  expect(cloud.aws.calls.names().filter((name) => name.includes('Delete'))).toEqual([]);
  stage.release();
  await project.must('clean', ['--yes']);
  expect(await stage.added()).toEqual([]);
}

async function livesBesideAnother(stage: Stage): Promise<void> {
  const { cloud } = stage;
  const other = await Stage.set(cloud, stage.subject, 'another-demo');
  try {
    await stage.project.must('deploy');
    const alone = await cloud.aws.snapshot();
    await other.project.must('deploy');
    await other.project.must('clean', ['--yes']);
    expect(await cloud.aws.snapshot()).toEqual(alone);
    await stage.project.must('test');
    // A name that is taken is refused before anything is made.
    const { code, stderr } = await other.project.run('deploy', ['--endpoint-name', 'demo']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('there is an endpoint demo already'),
    });
    expect(await cloud.aws.snapshot()).toEqual(alone);
  } finally {
    other.remove();
  }
}

/** The requests of all calls of that operation. */
function requests({ aws }: EmulatedAws, operation: string): Record<string, unknown>[] {
  return aws.calls
    .of('sagemaker', operation)
    .map(({ request }: CloudCall) => request as Record<string, unknown>);
}
