import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { loadCatalog, type Target } from '../../lib/catalog/index.js';
import { model, servingComponent, transformJob, variant } from '../aws/support/requests.js';
import { describeWithCloud, startWorld, type World } from '../aws/support/world.js';
import { type CliServer, startCliServer } from '../support/aws/cli-server.js';
import { REGION } from '../support/aws/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { setRecords } from './support/pod-project.js';
import { startScript } from './support/run-async.js';

const withInvocation = (invocation: string): Target['manifest'] => {
  const found = loadCatalog().targets.find(({ manifest }) => manifest.invocation === invocation);
  if (!found) throw new Error(`no target is invoked as ${invocation}`);
  return found.manifest;
};

describeWithCloud('do/test and do/logs with the real AWS CLI', () => {
  let world: World;
  let cli: CliServer;
  let project: TestProject;
  beforeAll(async () => {
    [world, cli] = await Promise.all([startWorld(), startCliServer()]);
  });
  afterEach(async () => {
    project.remove();
    expect(world.aws.defects).toEqual([]);
    await world.aws.reset();
  });
  afterAll(() => Promise.all([world.stop(), cli.stop()]));

  const deployed = (invocation: string, records: Record<string, string>) => {
    const manifest = withInvocation(invocation);
    project = makeProject({ answers: { deploymentTarget: manifest.target, awsRegion: REGION } });
    setRecords(project, manifest, { STATUS: manifest.success_status, ...records });
  };
  const run = (verb: string, ...args: string[]) => {
    const PATH = `${cli.binFolder}:${process.env.PATH}`;
    return startScript(project, `do/${verb}`, args, {
      PATH,
      MLCC_POLL_SECONDS: '0.1',
      ...world.aws.environment,
    }).ended;
  };

  test('[C26] a component gets the body byte for byte, and its answer comes back', async () => {
    await servingComponent(world);
    deployed('component', { ENDPOINT: 'e', COMPONENT: 'ic' });
    const body = '{"inputs":"hi é \\u00e9"}';
    world.aws.container(({ kind, name, contentType, body: sent }) => ({
      body: JSON.stringify([kind, name, contentType, sent.toString('utf8') === body]),
    }));
    expect(await run('test', '--body', body)).toMatchObject({
      code: 0,
      stdout: '["inference-component","ic","application/json",true]\n',
    });
  });

  test('[C25] what the container of a component answers instead is shown, and it is asked once', async () => {
    await servingComponent(world);
    deployed('component', { ENDPOINT: 'e', COMPONENT: 'ic' });
    let requests = 0;
    world.aws.container(() => {
      requests += 1;
      return { status: 500, body: 'CUDA out of memory' };
    });
    const { code, stdout, stderr } = await run('test');
    expect([code, stdout, requests]).toEqual([1, '', 1]);
    expect(stderr).toContain('(500)');
    expect(stderr).toContain('CUDA out of memory');
  });

  const asynchronous = async () => {
    await world.aws.objects.createBucket('results');
    await world.must('CreateModel', model());
    await world.must('CreateEndpointConfig', {
      EndpointConfigName: 'c',
      ProductionVariants: [variant({ ModelName: 'm' })],
      AsyncInferenceConfig: {
        OutputConfig: { S3OutputPath: 's3://results/demo/', S3FailurePath: 's3://results/demo/failures/' },
      },
    });
    await world.must('CreateEndpoint', { EndpointName: 'e', EndpointConfigName: 'c' });
    await world.must('DescribeEndpoint', { EndpointName: 'e' });
    deployed('async', { ENDPOINT: 'e', OUTPUT_PATH: 's3://results/demo' });
  };

  test('[C35] an asynchronous endpoint is asked by way of S3, and its result is waited for', async () => {
    await asynchronous();
    const { code, stdout } = await run('test', '--prompt', 'hello there');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).choices[0].message.content).toContain('hello there');
  });

  test('[C35] the failure object of an asynchronous endpoint is reported', async () => {
    await asynchronous();
    world.aws.container(() => ({ status: 400, body: 'prompt too long' }));
    const { code, stdout, stderr } = await run('test');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('prompt too long');
    expect(stderr).toContain('s3://results/demo/failures/');
  });

  test('the records that a job wrote are read', async () => {
    await world.must('CreateModel', model());
    await world.aws.objects.createBucket('data');
    await world.aws.objects.write({ bucket: 'data', key: 'in/x.jsonl' }, '{"a":1}\n{"a":2}\n');
    await world.must('CreateTransformJob', transformJob());
    deployed('job', { JOB: 'j', OUTPUT_PATH: 's3://data/out' });
    await world.must('DescribeTransformJob', { TransformJobName: 'j' });
    const { code, stdout, stderr } = await run('test');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('out/x.jsonl.out') });
    expect(stdout).toContain('choices');
  });

  test.each([
    ['component', 'inference-component', 'ic', 'AllTraffic', { COMPONENT: 'ic' }],
    ['async', 'endpoint', 'e', 'AllTraffic', { ENDPOINT: 'e' }],
    ['job', 'transform-job', 'j', 'j', { JOB: 'j' }],
  ] as const)(
    'the logs of a deployment that is invoked as %s are read',
    async (invocation, kind, name, owner, records) => {
      deployed(invocation, records);
      const silent = await run('logs');
      expect(silent).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no lines') });
      await world.aws.log(kind, name, owner, ['loading\tweights', 'CUDA: "out of memory"\nsecond line']);
      // All jobs have one log group, of which moto does not tell streams by their prefix.
      if (kind !== 'transform-job') await world.aws.log(kind, 'other', 'other', ['of another']);
      const { code, stdout } = await run('logs');
      expect(code).toBe(0);
      expect(stdout.replace(/^\S+ \[\S+\] /gm, '> ')).toBe(
        '> loading\tweights\n> CUDA: "out of memory"\nsecond line\n',
      );
    },
  );
});
