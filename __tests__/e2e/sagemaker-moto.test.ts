import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { parseConfig } from '../../lib/config/index.js';
import { image, ROLE, targetWith } from '../do/support/aws-project.js';
import { setConfig } from '../do/support/probe.js';
import { describeWithMoto, type Moto, startMoto } from '../support/moto.js';
import { isolatedEnv, makeProject, type TestProject } from '../support/project.js';

const TOKEN = 'hf_TheTokenThatNobodySees';
const REGION = 'eu-west-1';

describeWithMoto(['aws'], 'the real AWS CLI against moto', () => {
  let moto: Moto;
  let project: TestProject;

  beforeAll(async () => {
    moto = await startMoto();
  }, 90_000);
  afterAll(() => moto?.stop());
  beforeEach(async () => {
    await moto.reset();
    project = makeProject();
    setConfig(project, {
      AWS_REGION: REGION,
      ROLE_ARN: ROLE,
      ECR_IMAGE_URI: image('a'),
      INSTANCE_TYPE: 'ml.g4dn.xlarge',
    });
  });
  afterEach(() => project.remove());

  const env = () => ({
    AWS_ENDPOINT_URL: moto.url,
    AWS_ACCESS_KEY_ID: 'testing',
    AWS_SECRET_ACCESS_KEY: 'testing',
    MLCC_POLL_SECONDS: '0.1',
  });

  /** A call of our own, in the way of the scripts' calls. */
  const aws = (...args: string[]): string =>
    execFileSync('aws', ['--region', REGION, '--output', 'json', ...args], {
      env: isolatedEnv(project.home, env()),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const list = (operation: string, query: string): string[] =>
    JSON.parse(aws('sagemaker', operation, '--query', query)) as string[];

  /** Every resource that SageMaker bills or keeps, and every object. */
  const inventory = () => ({
    models: list('list-models', 'Models[].ModelName'),
    configs: list('list-endpoint-configs', 'EndpointConfigs[].EndpointConfigName'),
    endpoints: list('list-endpoints', 'Endpoints[].EndpointName'),
    running: list(
      'list-transform-jobs',
      "TransformJobSummaries[?TransformJobStatus=='InProgress'].TransformJobName",
    ),
    objects: aws('s3api', 'list-objects-v2', '--bucket', 'data-bucket', '--query', 'Contents[].Key'),
  });

  const run = (verb: string, ...args: string[]) => {
    const { code, stdout, stderr } = project.run(`do/${verb}`, args, { env: env() });
    if (code !== 0) throw new Error(`do/${verb} ended with ${code}:\n${stdout}${stderr}`);
    return stdout + stderr;
  };
  const endpointName = () =>
    config().get(targetWith({ invocation: 'async' }).status_var.replace(/STATUS$/, 'ENDPOINT'));
  const config = () => parseConfig(readFileSync(join(project.dir, 'do/config'), 'utf8'));

  test('an asynchronous endpoint: deployed with a token that is stored nowhere, its status after each step, cleaned twice', () => {
    const { target, status_var } = targetWith({ invocation: 'async' });
    const status = () => config().get(status_var);
    aws(
      's3api',
      'create-bucket',
      '--bucket',
      'data-bucket',
      '--create-bucket-configuration',
      `LocationConstraint=${REGION}`,
    );
    aws('s3api', 'put-object', '--bucket', 'data-bucket', '--key', 'results/earlier');
    const { ARN: secret } = JSON.parse(
      aws(
        'secretsmanager',
        'create-secret',
        '--name',
        'hub',
        '--secret-string',
        JSON.stringify({ HF_TOKEN: TOKEN }),
      ),
    ) as { ARN: string };
    const { TopicArn: topic } = JSON.parse(aws('sns', 'create-topic', '--name', 'news')) as {
      TopicArn: string;
    };
    setConfig(project, { HF_TOKEN_ARN: secret });
    const before = inventory();

    const said = run(
      'deploy',
      '--target',
      target,
      '--async-output-path',
      's3://data-bucket/results',
      '--async-sns-topic',
      topic,
    );
    expect(status()).toBe('InService');
    expect(inventory()).toMatchObject({ endpoints: [endpointName()], objects: before.objects });
    const [model = ''] = inventory().models;
    expect(JSON.parse(aws('sagemaker', 'describe-model', '--model-name', model))).toMatchObject({
      ExecutionRoleArn: ROLE,
      PrimaryContainer: {
        Image: image('a'),
        Environment: { HF_TOKEN: TOKEN, MODEL_NAME: 'Qwen/Qwen3-0.6B' },
      },
    });
    expect(said + readFileSync(join(project.dir, 'do/config'), 'utf8')).not.toContain(TOKEN);

    run('clean', '--yes');
    expect({ status: status(), inventory: inventory() }).toEqual({ status: '', inventory: before });
    expect(run('clean', '--yes')).toContain('nothing is recorded');
  }, 300_000);

  test('batch jobs: one after the other under names of their own, the model kept while it is the same, cleaned twice', () => {
    const { target, status_var } = targetWith({ invocation: 'job' });
    const status = () => config().get(status_var);
    const job = () => config().get(status_var.replace(/STATUS$/, 'JOB'));
    aws(
      's3api',
      'create-bucket',
      '--bucket',
      'data-bucket',
      '--create-bucket-configuration',
      `LocationConstraint=${REGION}`,
    );
    aws('s3api', 'put-object', '--bucket', 'data-bucket', '--key', 'in/1.jsonl');
    const before = inventory();

    run(
      'deploy',
      '--target',
      target,
      '--batch-input-path',
      's3://data-bucket/in',
      '--batch-output-path',
      's3://data-bucket/out',
    );
    const first = job();
    expect({ status: status(), models: inventory().models.length }).toEqual({
      status: 'Completed',
      models: 1,
    });
    run('deploy');
    expect(inventory().models).toHaveLength(1);
    expect(list('list-transform-jobs', 'TransformJobSummaries[].TransformJobName').sort()).toEqual(
      [first, job()].sort(),
    );

    run('clean', '--yes');
    expect({ status: status(), inventory: inventory() }).toEqual({ status: '', inventory: before });
    expect(run('clean', '--yes')).toContain('nothing is recorded');
  }, 300_000);

  test('the first call that is refused leaves nothing behind but what it says', () => {
    const { target, status_var } = targetWith({ invocation: 'async' });
    const { code, stderr } = project.run(
      'do/deploy',
      ['--target', target, '--async-output-path', 's3://data-bucket/results'],
      { env: env() },
    );
    expect({ code, status: config().get(status_var) }).toEqual({ code: 1, status: '' });
    expect(stderr).toContain('the bucket data-bucket does not exist');
  }, 120_000);
});
