import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type CliServer, startCliServer } from '../support/aws/cli-server.js';
import { isEksToken } from '../support/aws/eks-token.js';
import { CREDENTIALS } from '../support/aws/index.js';
import { startKubeApi } from '../support/kube-api/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { runWithCli } from './support/cli.js';
import {
  component,
  endpoint,
  model,
  servingComponent,
  servingEndpoint,
  variant,
} from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

describeWithCloud('What is around SageMaker', () => {
  let world: World;
  let server: CliServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mlcc-services-'));
    [world, server] = await Promise.all([startWorld(), startCliServer()]);
  });
  afterEach(async () => {
    expect(world.aws.defects).toEqual([]);
    await world.aws.reset();
  });
  afterAll(async () => {
    await server.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const shell = (script: string) =>
    runWithCli(world.aws, ['bash', '-c', script], { folder }, server.binFolder);
  const read = async (key: string) =>
    (await world.aws.objects.read({ bucket: 'data', key }))?.toString('utf8');

  describe('invocations', () => {
    const invoke = (options: string) =>
      shell(
        `printf hello | aws sagemaker-runtime invoke-endpoint ${options} --body fileb:///dev/stdin out && cat out`,
      );

    test('reach the component that is named', async () => {
      await servingComponent(world);
      const { stdout } = await invoke('--endpoint-name e --inference-component-name ic');
      expect(stdout).toContain('"InvokedProductionVariant": "AllTraffic"');
      expect(stdout).toContain('"model":"ic"');
      expect(stdout).toContain('"content":"hello"');
    });

    test.each([
      ['--endpoint-name none', 'Endpoint none of account 123456789012 not found.'],
      ['--endpoint-name e', 'Inference Component Name header is required'],
      ['--endpoint-name e --inference-component-name no', 'Inference Component no of endpoint e not found'],
      ['--endpoint-name e --inference-component-name new', 'has no capacity'],
      ['--endpoint-name later --inference-component-name ic', 'is Creating'],
      ['--endpoint-name e_e', 'Member must satisfy regular expression pattern'],
    ])('are refused: %s', async (options, message) => {
      await servingComponent(world);
      await world.must('CreateInferenceComponent', component('new'));
      await world.must('CreateEndpoint', endpoint('later'));
      const { code, stderr } = await invoke(options);
      expect([code, stderr]).toEqual([expect.anything(), expect.stringContaining('(ValidationError)')]);
      expect(stderr).toContain(message);
    });

    test('have no more than six MiB', async () => {
      await servingComponent(world);
      const { stderr } = await shell(
        'head -c 6291457 /dev/zero | aws sagemaker-runtime invoke-endpoint --endpoint-name e --inference-component-name ic --body fileb:///dev/stdin out',
      );
      expect(stderr).toContain('more than 6291456 bytes');
    });

    test('give on what is wrong with the model', async () => {
      await servingComponent(world);
      world.aws.container(() => ({ status: 503, body: 'not loaded' }));
      const { stderr } = await invoke('--endpoint-name e --inference-component-name ic');
      expect(stderr).toContain('(ModelError)');
      expect(stderr).toContain('(503) from model with message "not loaded"');
    });
  });

  describe('asynchronous invocations', () => {
    const start = 'aws sagemaker-runtime invoke-endpoint-async --endpoint-name a --input-location';
    const topic = 'arn:aws:sns:us-west-2:123456789012:t';
    const prepare = async () => {
      await world.aws.objects.createBucket('data');
      await world.aws.objects.write({ bucket: 'data', key: 'in.json' }, 'hello');
      await world.must('CreateModel', model());
      await world.must('CreateEndpointConfig', {
        EndpointConfigName: 'ac',
        ProductionVariants: [variant({ ModelName: 'm' })],
        AsyncInferenceConfig: {
          OutputConfig: {
            S3OutputPath: 's3://data/out',
            S3FailurePath: 's3://data/failed',
            NotificationConfig: { SuccessTopic: topic, ErrorTopic: topic },
          },
        },
      });
      await world.must('CreateEndpoint', endpoint('a', 'ac'));
      await world.must('DescribeEndpoint', { EndpointName: 'a' });
      await shell('aws sns create-topic --name t');
    };
    const started = async (input = 's3://data/in.json') => {
      const { stdout, stderr } = await shell(`${start} ${input} --output json`);
      expect(stderr).toBe('');
      const { OutputLocation, FailureLocation } = JSON.parse(stdout) as Record<string, string>;
      return { output: OutputLocation ?? '', failure: FailureLocation ?? '' };
    };
    const isThere = async (uri: string) => (await shell(`aws s3 cp ${uri} - >/dev/null 2>&1`)).code === 0;

    test('put their answer into the bucket, after a look', async () => {
      await prepare();
      const { output } = await started();
      expect(output).toMatch(/^s3:\/\/data\/out\/.+\.out$/);
      expect(await isThere(output)).toBe(false);
      expect(await isThere(output)).toBe(true);
      expect(await read(output.slice('s3://data/'.length))).toContain('"content":"hello"');
      const published = await world.aws.snapshot();
      expect(published).toContain(`sns:topic ${topic}`);
    });

    test('put what went wrong beside it', async () => {
      await prepare();
      world.aws.container(() => ({ status: 500, body: 'oh no' }));
      const { output, failure } = await started();
      await world.aws.tick(2);
      expect(await isThere(output)).toBe(false);
      expect(await read(failure.slice('s3://data/'.length))).toContain('oh no');
      const missing = await started('s3://data/none.json');
      await world.aws.tick(2);
      expect(await read(missing.failure.slice('s3://data/'.length))).toContain('cannot be read');
    });

    test('may never come to an end', async () => {
      await prepare();
      world.aws.plan({ kind: 'async-inference', on: 'create', looks: Number.POSITIVE_INFINITY });
      const { output } = await started();
      await world.aws.tick(20);
      expect(await isThere(output)).toBe(false);
    });

    test('are the only ones on their endpoints, and only there', async () => {
      await prepare();
      const direct = await shell(
        'aws sagemaker-runtime invoke-endpoint --endpoint-name a --body fileb:///dev/null out',
      );
      expect(direct.stderr).toContain('is asynchronous');
      await servingEndpoint(world);
      const other = await shell(`${start.replace(' a ', ' e ')} s3://data/in.json`);
      expect(other.stderr).toContain('is not an asynchronous inference endpoint');
    });
  });

  test('containers write logs that the AWS CLI reads', async () => {
    await servingComponent(world);
    await world.aws.log('inference-component', 'ic', 'AllTraffic', ['one line more']);
    const logged = (name: string) =>
      shell(
        `aws logs filter-log-events --log-group-name /aws/sagemaker/InferenceComponents/${name} --output json`,
      );
    const { events } = JSON.parse((await logged('ic')).stdout) as { events: { message: string }[] };
    expect(events.map(({ message }) => message)).toEqual([
      'Starting the inference component ic',
      'The model server is ready',
      'one line more',
    ]);
    world.aws.plan({ kind: 'inference-component', on: 'create', fails: 'CUDA out of memory' });
    await world.must('CreateInferenceComponent', component('bad'));
    await world.must('DescribeInferenceComponent', { InferenceComponentName: 'bad' });
    expect((await logged('bad')).stdout).toContain('CUDA out of memory');
  });

  test('a snapshot names all resources of all services, but what the service itself leaves behind', async () => {
    const before = await world.aws.snapshot();
    expect(before).toEqual([]);
    await servingComponent(world);
    await shell('aws sns create-topic --name t; aws secretsmanager create-secret --name s --secret-string x');
    await shell(
      'aws ecr create-repository --repository-name repo; aws logs create-log-group --log-group-name mine',
    );
    await world.aws.objects.createBucket('data');
    await world.aws.objects.write({ bucket: 'data', key: 'a/b' }, '');
    await world.aws.addEksCluster('k', { endpoint: 'https://127.0.0.1:1', certificateAuthority: '' });
    expect(await world.aws.snapshot()).toEqual([
      'ecr:repository repo',
      'eks:cluster k',
      'logs:group mine',
      's3:bucket data',
      's3:object data/a/b',
      'sagemaker:endpoint us-west-2/e',
      'sagemaker:endpoint-config us-west-2/c',
      'sagemaker:inference-component us-west-2/ic',
      'secretsmanager:secret s',
      'sns:topic arn:aws:sns:us-west-2:123456789012:t',
    ]);
  });

  describeWithPrograms(['kubectl'], 'an EKS cluster', () => {
    test('leads kubectl to the tests’ API server, with a token that it checks', async () => {
      const tokens: [string, boolean][] = [];
      const kube = await startKubeApi({
        acceptToken: (token) => {
          const isAccepted = world.aws.acceptsEksToken(token, 'k');
          tokens.push([token, isAccepted]);
          return isAccepted;
        },
      });
      try {
        const access = { endpoint: kube.url, certificateAuthority: kube.certificateAuthority };
        await world.aws.addEksCluster('k', access);
        const { stdout, stderr } = await shell(
          'aws eks update-kubeconfig --name k --kubeconfig kc >/dev/null && kubectl --kubeconfig kc get namespace default -o name',
        );
        expect([stdout, stderr]).toEqual(['namespace/default\n', '']);
        const [token = ''] = tokens[0] ?? [];
        expect(world.aws.acceptsEksToken(token, 'other')).toBe(false);
        expect(world.aws.acceptsEksToken(`${token.slice(0, -4)}AAAA`, 'k')).toBe(false);
        expect(world.aws.acceptsEksToken('k8s-aws-v1.', 'k')).toBe(false);
        expect(isEksToken(token, 'k', CREDENTIALS, Date.now() + 16 * 60_000)).toBe(false);
        const elsewhere = await shell(
          'AWS_SECRET_ACCESS_KEY=other kubectl --kubeconfig kc get namespace default 2>&1',
        );
        expect(elsewhere.code).not.toBe(0);
        expect(tokens.at(-1)?.[1]).toBe(false);
      } finally {
        await kube.stop();
      }
    });
  });
});
