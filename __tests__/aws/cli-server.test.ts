import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CliServer, startCliServer } from '../support/aws/cli-server.js';
import { type CliOptions, type CliRun, runWithCli } from './support/cli.js';
import { model, servingComponent } from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

describeWithCloud('The AWS CLI that is loaded once does what the installed one does', () => {
  let world: World;
  let server: CliServer;
  let folder: string;

  beforeAll(async () => {
    [world, server] = await Promise.all([startWorld(), startCliServer()]);
    folder = mkdtempSync(join(tmpdir(), 'mlcc-cli-test-'));
    await servingComponent(world);
    const Tags = [{ Key: 'größe', Value: 'très grand' }];
    await world.must('CreateModel', { ...model(), Tags });
    await world.aws.objects.createBucket('data');
    await world.aws.objects.write({ bucket: 'data', key: 'large' }, `${'x'.repeat(1023)}\n`.repeat(3000));
    const access = { endpoint: 'https://127.0.0.1:6443', certificateAuthority: 'PEM' };
    await world.aws.addEksCluster('k', access);
    mkdirSync(join(folder, 'home/.aws'), { recursive: true });
    writeFileSync(
      join(folder, 'home/.aws/config'),
      '[profile other]\nregion = eu-west-1\noutput = yaml-stream\n',
    );
  });
  afterAll(async () => {
    await server.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const both = (command: string[], options: CliOptions = {}): Promise<[CliRun, CliRun]> =>
    Promise.all([
      runWithCli(world.aws, command, { folder, ...options }),
      runWithCli(world.aws, command, { folder, ...options }, server.binFolder),
    ]);

  const modelArn = 'arn:aws:sagemaker:us-west-2:123456789012:model/m';
  const cases: [
    what: string,
    command: string,
    outcome: 'works' | 'fails',
    shown: string,
    options?: CliOptions,
  ][] = [
    ['its version', 'aws --version', 'works', 'aws-cli/'],
    [
      'a query, as text',
      "aws sagemaker describe-endpoint --endpoint-name e --query '[EndpointStatus,FailureReason]' --output text",
      'works',
      'InService\tNone',
    ],
    [
      'letters of other languages',
      `aws sagemaker list-tags --resource-arn ${modelArn} --output text`,
      'works',
      'TAGS\tgröße\ttrès grand',
    ],
    [
      'the C locale',
      `aws sagemaker list-tags --resource-arn ${modelArn} --output text`,
      'works',
      'größe',
      { environment: { LANG: 'C' } },
    ],
    [
      "a service's error",
      'aws sagemaker describe-model --model-name no',
      'fails',
      'An error occurred (ValidationException) when calling the DescribeModel operation: Could not find model',
    ],
    ['no such operation', 'aws sts get-nothing', 'fails', 'Invalid choice'],
    [
      'a request that is wrong',
      'aws sagemaker create-model --cli-input-json \'{"ModelName":1}\'',
      'fails',
      'Parameter validation failed',
    ],
    [
      'no region',
      'env -u AWS_DEFAULT_REGION aws sagemaker list-models',
      'fails',
      'You must specify a region',
    ],
    [
      'nobody there',
      'aws sts get-caller-identity',
      'fails',
      'Could not connect to the endpoint',
      { environment: { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' } },
    ],
    [
      'a value from standard input',
      'printf e | aws sagemaker describe-endpoint --endpoint-name file:///dev/stdin --query EndpointName',
      'works',
      '"e"',
    ],
    [
      'bytes from standard input, an answer to standard output',
      'printf body | aws sagemaker-runtime invoke-endpoint --endpoint-name e --inference-component-name ic --body fileb:///dev/stdin /dev/stdout | cat',
      'works',
      '"content":"body"',
    ],
    [
      'a stream in and out',
      'printf text | aws s3 cp - s3://data/key && aws s3 cp s3://data/key -',
      'works',
      'text',
    ],
    ['a large output', 'aws s3 cp s3://data/large - | md5sum', 'works', '  -'],
    [
      'a reader that goes away',
      'set -o pipefail; aws s3 cp s3://data/large - 2>/dev/null | head -c 3',
      'fails',
      'xxx',
    ],
    ['nowhere to write', 'aws sts get-caller-identity >&-', 'fails', ''],
    [
      'a configuration in the home folder',
      'env -u AWS_CONFIG_FILE -u AWS_DEFAULT_REGION aws configure get region --profile other',
      'works',
      'eu-west-1',
      { environment: { HOME: 'home' } },
    ],
    [
      'debug output goes to the same place',
      'aws --debug sts get-caller-identity 2>&1 >/dev/null | grep -c "Response body"',
      'works',
      '1',
    ],
  ];

  // (Rest parameters: a row without options must not make jest wait for a callback.)
  test.each(cases)('%s', async (...[, command, outcome, shown, options]: (typeof cases)[number]) => {
    const [real, fast] = await both(['bash', '-c', command], options);
    expect(fast).toEqual(real);
    expect(real.code === 0 ? 'works' : 'fails').toBe(outcome);
    expect(real.stdout + real.stderr).toContain(shown);
  });

  test('files in the working directory, with the modes that the umask leaves', async () => {
    const command = (file: string) =>
      `umask 027; aws eks update-kubeconfig --name k --alias a --kubeconfig ${file} && stat -c %a ${file}`;
    const real = await runWithCli(world.aws, ['bash', '-c', command('real')], { folder });
    const fast = await runWithCli(world.aws, ['bash', '-c', command('fast')], { folder }, server.binFolder);
    expect([fast.code, fast.stdout.replaceAll('fast', 'real')]).toEqual([0, real.stdout]);
    expect(readFileSync(join(folder, 'fast'), 'utf8')).toBe(readFileSync(join(folder, 'real'), 'utf8'));
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends by %s in the same way', async (signal) => {
    const interrupted = async (binFolder?: string): Promise<CliRun> => {
      const asked = new Promise<void>((resolve) => {
        world.aws.fault({ service: 'sts', fault: () => resolve() });
      });
      const remove = world.aws.fault({ service: 'sts', fault: 'hang' });
      const during = async (pid: number) => {
        await asked;
        process.kill(pid, signal);
      };
      const run = await runWithCli(world.aws, ['aws', 'sts', 'get-caller-identity'], { during }, binFolder);
      remove();
      return run;
    };
    const real = await interrupted();
    expect(await interrupted(server.binFolder)).toEqual(real);
    expect(real.signal ?? real.code).not.toBe(0);
  });

  test('a call ends with the client that is killed', async () => {
    const { promise: asked, resolve: ask } = withResolvers();
    const { promise: gone, resolve: go } = withResolvers();
    const silent = createServer((request) => {
      request.socket.once('close', go);
      ask();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const environment = { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
    const during = async (pid: number) => {
      await asked;
      process.kill(pid, 'SIGKILL');
    };
    const command = ['aws', 'sts', 'get-caller-identity'];
    const run = await runWithCli(world.aws, command, { environment, during }, server.binFolder);
    expect(run.signal).toBe('SIGKILL');
    await gone;
    silent.close();
  });

  test('many calls at once do not get in each other’s way', async () => {
    const names = Array.from({ length: 12 }, (_, number) => `n${number}`);
    const runs = await Promise.all(
      names.map((name) =>
        runWithCli(
          world.aws,
          ['aws', 'sagemaker', 'describe-model', '--model-name', name],
          {},
          server.binFolder,
        ),
      ),
    );
    expect(runs.map(({ stderr }) => /model\/(n\d+)"/.exec(stderr)?.[1])).toEqual(names);
  });
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
