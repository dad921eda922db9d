import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type CliServer, startCliServer } from '../support/aws/cli-server.js';
import { AwsError } from '../support/aws/index.js';
import { runWithCli } from './support/cli.js';
import { model } from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

describeWithCloud('Calls are recorded, and go wrong by rule', () => {
  let world: World;
  let server: CliServer;
  beforeAll(async () => {
    [world, server] = await Promise.all([startWorld(), startCliServer()]);
  });
  afterEach(async () => {
    expect(world.aws.defects).toEqual([]);
    await world.aws.reset();
  });
  afterAll(async () => {
    await server.stop();
    await world.stop();
  });

  const cli = (command: string, environment: Record<string, string> = {}) =>
    runWithCli(world.aws, ['aws', ...command.split(' ')], { environment }, server.binFolder);
  const names = (input: Record<string, unknown>) =>
    (input.Models as { ModelName: string }[]).map((one) => one.ModelName);

  test('services and operations are known by their protocol: JSON, query, REST', async () => {
    await cli('sagemaker list-models');
    await cli('sts get-caller-identity');
    await cli(
      's3api create-bucket --bucket bucket --create-bucket-configuration LocationConstraint=us-west-2',
    );
    await cli('s3api head-bucket --bucket bucket');
    await cli('s3api list-objects-v2 --bucket bucket');
    await cli('s3api put-object --bucket bucket --key k/l');
    await cli('s3api get-object-tagging --bucket bucket --key k/l');
    await cli('s3api copy-object --bucket bucket --key k2 --copy-source bucket/k/l');
    await cli('s3api list-buckets');
    await cli('sns create-topic --name t');
    await cli('eks describe-cluster --name none');
    await cli('eks list-clusters');
    await cli('secretsmanager list-secrets');
    await cli('logs describe-log-groups');
    await cli('sagemaker-runtime invoke-endpoint --endpoint-name none --body fileb:///dev/null /dev/null');
    expect(world.aws.calls.names()).toEqual([
      'sagemaker:ListModels',
      'sts:GetCallerIdentity',
      's3:CreateBucket',
      's3:HeadBucket',
      's3:ListObjectsV2',
      's3:PutObject',
      's3:GetObjectTagging',
      's3:CopyObject',
      's3:ListBuckets',
      'sns:CreateTopic',
      'eks:DescribeCluster',
      'eks:ListClusters',
      'secretsmanager:ListSecrets',
      'logs:DescribeLogGroups',
      'sagemaker-runtime:InvokeEndpoint',
    ]);
    const { all } = world.aws.calls;
    expect(all.map(({ status }) => status)).toEqual([
      ...[200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 404, 200, 200, 200, 400],
    ]);
    expect(all[10]).toMatchObject({ error: 'ResourceNotFoundException', region: 'us-west-2' });
  });

  test('requests and answers are kept', async () => {
    await world.must('CreateModel', model());
    await world.call('DescribeModel', { ModelName: 'no' });
    expect(world.aws.calls.all).toMatchObject([
      { request: model(), status: 200, response: { ModelArn: expect.stringContaining('model/m') } },
      { request: { ModelName: 'no' }, status: 400, error: 'ValidationException' },
    ]);
    expect(world.aws.calls.of('sagemaker', 'DescribeModel')).toHaveLength(1);
  });

  describe.each([
    [
      'sagemaker list-models',
      'AccessDeniedException',
      'ThrottlingException',
      'ExpiredTokenException',
      'InternalFailure',
    ],
    ['sts get-caller-identity', 'AccessDenied', 'Throttling', 'ExpiredToken', 'InternalFailure'],
    ['s3api list-buckets', 'AccessDenied', 'SlowDown', 'ExpiredToken', 'InternalError'],
    [
      'eks list-clusters',
      'AccessDeniedException',
      'ThrottlingException',
      'ExpiredTokenException',
      'ServerException',
    ],
    [
      'secretsmanager list-secrets',
      'AccessDeniedException',
      'ThrottlingException',
      'ExpiredTokenException',
      'InternalFailure',
    ],
    ['sns list-topics', 'AuthorizationError', 'Throttling', 'ExpiredToken', 'InternalFailure'],
  ])('%s', (command, denied, throttled, expired, broken) => {
    test('fails in the words of its service', async () => {
      const kinds = ['access-denied', 'throttling', 'expired-token', 'internal-error'] as const;
      const codes: (string | undefined)[] = [];
      for (const fault of kinds) {
        world.aws.fault({ fault });
        const { code, stderr } = await cli(command);
        expect(code).not.toBe(0);
        codes.push(/An error occurred \((\w+)\)/.exec(stderr)?.[1]);
      }
      expect(codes).toEqual([denied, throttled, expired, broken]);
      expect((await cli(command)).code).toBe(0);
    });
  });

  test('a HEAD has no body to say it in', async () => {
    world.aws.fault({ fault: 'access-denied' });
    expect((await cli('s3api head-bucket --bucket bucket')).stderr).toContain(
      '(403) when calling the HeadBucket operation',
    );
  });

  test('an error of a test’s own', async () => {
    world.aws.fault({ fault: new AwsError('ResourceLimitExceeded', 'The account-level limit is 0.') });
    expect(await world.call('ListModels')).toMatchObject({ code: 'ResourceLimitExceeded', status: 400 });
  });

  test('only the calls that a rule names, from the nth on, so many times', async () => {
    const remove = world.aws.fault({
      service: 'sagemaker',
      operation: 'DescribeModel',
      nth: 2,
      times: 2,
      fault: 'throttling',
    });
    await world.must('CreateModel', model());
    const codes: string[] = [];
    for (let number = 0; number < 4; number += 1) {
      await world.must('ListModels');
      codes.push((await world.call('DescribeModel', { ModelName: 'm' })).code);
    }
    expect(codes).toEqual(['', 'ThrottlingException', 'ThrottlingException', '']);
    remove();
    const end = world.aws.fault({ fault: 'throttling', times: Number.POSITIVE_INFINITY });
    expect((await world.call('ListModels')).code).toBe('ThrottlingException');
    end();
    await world.must('ListModels');
  });

  test('a client that retries gets through when the throttling ends', async () => {
    world.aws.fault({ operation: 'ListModels', times: 2, fault: 'throttling' });
    expect((await cli('sagemaker list-models', { AWS_MAX_ATTEMPTS: '3' })).code).toBe(0);
    expect(world.aws.calls.of('sagemaker', 'ListModels').map(({ status }) => status)).toEqual([
      400, 400, 200,
    ]);
  });

  test('before, the operation is not carried out; after, it is, and the client does not learn it', async () => {
    world.aws.fault({ operation: 'CreateModel', fault: 'internal-error' });
    await world.call('CreateModel', model('before'));
    world.aws.fault({ operation: 'CreateModel', when: 'after', fault: 'internal-error' });
    expect((await world.call('CreateModel', model('after'))).status).toBe(500);
    expect(names(await world.must('ListModels'))).toEqual(['after']);
  });

  test('connections are reset', async () => {
    world.aws.fault({ fault: 'reset' });
    expect((await cli('sts get-caller-identity')).stderr).toMatch(
      /Connection was closed|Connection reset|Could not connect/,
    );
    expect(world.aws.calls.all[0]).not.toHaveProperty('status');
  });

  test('connections are refused from a call on, until somebody listens again', async () => {
    world.aws.fault({ nth: 2, fault: 'refused' });
    expect((await cli('sts get-caller-identity')).code).toBe(0);
    await cli('sts get-caller-identity');
    expect((await cli('sts get-caller-identity')).stderr).toContain('Could not connect to the endpoint URL');
    await world.aws.plugIn();
    expect((await cli('sts get-caller-identity')).code).toBe(0);
  });

  test('a call hangs until its client gives up', async () => {
    world.aws.fault({ fault: 'hang' });
    expect((await cli('sts get-caller-identity --cli-read-timeout 1')).stderr).toContain(
      'Read timeout on endpoint URL',
    );
  });

  test('a test does something between two calls', async () => {
    const seen: unknown[] = [];
    world.aws.fault({ nth: 2, fault: ({ operation }) => void seen.push(operation, 'before') });
    world.aws.fault({ nth: 2, when: 'after', fault: ({ operation }) => void seen.push(operation, 'after') });
    await world.must('ListModels');
    await world.must('ListEndpoints');
    expect(seen).toEqual(['ListEndpoints', 'before', 'ListEndpoints', 'after']);
  });

  test('a reset forgets calls, rules, plans and resources, and listens again', async () => {
    await world.must('CreateModel', model());
    await world.aws.objects.createBucket('bucket');
    world.aws.fault({ nth: 2, times: 99, fault: 'throttling' });
    world.aws.progress('manual');
    world.aws.container(() => ({ body: '' }));
    await world.aws.unplug();
    await world.aws.reset();
    expect(world.aws.calls.all).toEqual([]);
    expect(await world.aws.snapshot()).toEqual([]);
    await world.must('ListModels');
    await world.must('ListModels');
  });
});
