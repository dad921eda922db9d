import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AwsCall } from '../support/fake-aws/index.js';
import { AwsProject, image, names } from './support/aws-project.js';

let project: AwsProject;
afterEach(() => project.remove());

describe('an asynchronous endpoint', () => {
  const ENDPOINT = 'demo-async';
  beforeEach(() => {
    project = new AwsProject(
      { invocation: 'async' },
      { INSTANCE_TYPE: 'ml.g5.xlarge', ENDPOINT_NAME: '', ASYNC_S3_OUTPUT_PATH: 's3://results/of/demo' },
    );
    project.aws.setState({ buckets: ['results'], topics: ['arn:aws:sns:eu-west-1:123456789012:news'] });
  });

  test('tells one topic of successes and errors, when there is one', () => {
    project.deploy('--async-sns-topic', 'arn:aws:sns:eu-west-1:123456789012:news');
    expect(project.takeChanges()[1]?.request?.AsyncInferenceConfig).toEqual({
      ClientConfig: { MaxConcurrentInvocationsPerInstance: 1 },
      OutputConfig: {
        S3OutputPath: 's3://results/of/demo/',
        S3FailurePath: 's3://results/of/demo/failures/',
        NotificationConfig: {
          SuccessTopic: 'arn:aws:sns:eu-west-1:123456789012:news',
          ErrorTopic: 'arn:aws:sns:eu-west-1:123456789012:news',
        },
      },
    });
  });

  test.each([
    ['[C35] bucket', { buckets: [] }, 'the bucket results does not exist'],
    ['topic', { buckets: ['results'] }, 'the topic arn:aws:sns:eu-west-1:123456789012:news does not exist'],
  ])('is not begun without its %s', (_, state, reason) => {
    project.aws.setState(state);
    const { code, stderr } = project.run('deploy', [
      '--async-sns-topic',
      'arn:aws:sns:eu-west-1:123456789012:news',
    ]);
    expect({ code, changes: project.takeChanges(), status: project.record('STATUS') }).toEqual({
      code: 1,
      changes: [],
      status: '',
    });
    expect(stderr).toContain(reason);
  });

  test('[C27] deployed twice: new names, the endpoint moves, is in service, and only then the old ones go', () => {
    project.deploy();
    const [oldModel, oldConfig] = [project.record('MODEL'), project.record('CONFIG')];
    project.aws.takeCalls();
    project.deploy();
    const calls = project.aws.takeCalls();
    const changes = calls.filter(({ call }) => /^sagemaker (create|update|delete)/.test(call));
    expect(names(changes)).toEqual([
      'create-model',
      'create-endpoint-config',
      'update-endpoint',
      'delete-endpoint-config',
      'delete-model',
    ]);
    expect(deleted(changes)).toEqual([oldConfig, oldModel]);
    const moved = calls.findIndex(({ call }) => call === 'sagemaker update-endpoint');
    const looks = calls.slice(moved).map(({ call }) => call);
    expect(looks.lastIndexOf('sagemaker describe-endpoint')).toBeLessThan(
      looks.indexOf('sagemaker delete-endpoint-config'),
    );
    expect(project.aws.leftovers()).toEqual([
      `model ${project.record('MODEL')}`,
      `endpoint-config ${project.record('CONFIG')}`,
      `endpoint ${ENDPOINT}`,
    ]);
  });

  test('whose update is killed after any of its calls is put in order by the next one', () => {
    project.deploy();
    const before = project.aws.state;
    const records = project.config;
    const { length } = changesOf(() => project.deploy('--set', `ECR_IMAGE_URI=${image('b')}`));
    expect(length).toBe(5);
    for (let done = 0; done < length; done++) {
      project.aws.setState(before);
      project.config = records;
      // The process that makes the call kills the script that waits for it.
      project.aws.setFaults({ call: 'sagemaker (create|update|delete).*', after: done, kill: true });
      expect(project.run('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]).code).not.toBe(0);
      project.aws.setFaults();
      project.deploy('--set', `ECR_IMAGE_URI=${image('c')}`);
      expect(project.aws.leftovers()).toEqual([
        `model ${project.record('MODEL')}`,
        `endpoint-config ${project.record('CONFIG')}`,
        `endpoint ${ENDPOINT}`,
      ]);
    }
    project.clean();
    expect(project.aws.leftovers()).toEqual([]);
  });

  test('that lost its endpoint is made anew by an update', () => {
    project.deploy();
    project.aws.setState({ ...project.aws.state, endpoint: {} });
    project.deploy();
    expect({ status: project.record('STATUS'), leftovers: project.aws.leftovers().length }).toEqual({
      status: 'InService',
      leftovers: 3,
    });
  });

  test.each([
    ['AccessDeniedException', /^/],
    ['ExpiredTokenException', /create-endpoint-config|describe-endpoint$/],
    ['InternalFailure', /create-endpoint$/],
  ])(
    'a first deploy that meets %s: what exists is recorded, the next deploy finishes, clean leaves nothing',
    (error, where) => {
      const before = project.aws.state;
      const records = project.config;
      project.deploy();
      const calls = new Set(project.aws.takeCalls().map(({ call }) => call));
      for (const call of [...calls].filter((name) => where.test(name))) {
        project.aws.setState(before);
        project.config = records;
        project.aws.setFaults({ call, error, times: 3 });
        const { code, stderr } = project.run('deploy');
        expect({ call, code, stderr }).toEqual({ call, code: 1, stderr: expect.stringContaining(error) });
        const known = ['MODEL', 'CONFIG', 'ENDPOINT'].map((what) => project.record(what));
        for (const leftover of project.aws.leftovers()) expect(known).toContain(leftover.split(' ')[1]);
        project.aws.setFaults();
        project.deploy();
        expect(project.aws.leftovers()).toHaveLength(3);
        project.clean();
        expect(project.aws.leftovers()).toEqual([]);
      }
    },
  );

  test('whose create was done, though its answer was an error, is recognised by its tags', () => {
    project.aws.setFaults(
      { call: 'sagemaker create-model', error: 'InternalFailure', afterwards: true },
      { call: 'sagemaker create-endpoint', error: 'InternalFailure', afterwards: true },
    );
    project.deploy();
    expect(project.aws.leftovers()).toHaveLength(3);
  });
});

describe('a batch job', () => {
  beforeEach(() => {
    project = new AwsProject(
      { invocation: 'job' },
      {
        INSTANCE_TYPE: 'ml.g5.xlarge',
        BATCH_INPUT_PATH: 's3://input/data',
        BATCH_OUTPUT_PATH: 's3://output/data',
      },
    );
    project.aws.setState({ buckets: ['input', 'output'] });
  });

  test('has the requests that the service wants', () => {
    project.deploy('--batch-strategy', 'SingleRecord', '--set', 'BATCH_JOIN_SOURCE=Input');
    expect(project.takeChanges()[1]?.request).toMatchObject({
      TransformJobName: project.record('JOB'),
      ModelName: project.record('MODEL'),
      TransformInput: {
        DataSource: { S3DataSource: { S3DataType: 'S3Prefix', S3Uri: 's3://input/data' } },
        SplitType: 'Line',
      },
      TransformOutput: { S3OutputPath: 's3://output/data', AssembleWith: 'Line' },
      TransformResources: { InstanceType: 'ml.g5.xlarge', InstanceCount: 1 },
      BatchStrategy: 'SingleRecord',
      MaxConcurrentTransforms: 1,
      MaxPayloadInMB: 6,
      DataProcessing: { JoinSource: 'Input' },
    });
  });

  test('[C32] again at the same time of another day: another name, within the limit, and the last one is recorded', () => {
    project.setClock('260101120000');
    project.deploy();
    const first = project.record('JOB');
    project.deploy();
    const second = project.record('JOB');
    expect(first).toMatch(/^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$/);
    expect(second).not.toBe(first);
    expect(Object.keys(project.aws.state['transform-job'] ?? {})).toEqual([first, second]);
    expect(names(project.takeChanges())).toEqual([
      'create-model',
      'create-transform-job',
      'create-transform-job',
    ]);
  });

  test('that takes longer than the wait is waited for by the next deploy, not started twice', () => {
    project.aws.setOutcome('InProgress transform-job', 'stuck');
    expect(project.run('deploy', ['--set', 'DEPLOY_TIMEOUT=6']).code).toBe(1);
    const job = project.record('JOB') ?? '';
    project.aws.release('transform-job', job, 'Completed');
    project.takeChanges();
    project.deploy();
    expect({ changes: names(project.takeChanges()), job: project.record('JOB') }).toEqual({
      changes: [],
      job,
    });
  });

  test('that runs with other settings is stopped before the next one, and by clean', () => {
    for (const ending of [() => project.deploy('--batch-strategy', 'SingleRecord'), () => project.clean()]) {
      project.aws.setOutcome('InProgress transform-job', 'stuck');
      expect(project.run('deploy', ['--set', 'DEPLOY_TIMEOUT=6']).code).toBe(1);
      project.takeChanges();
      ending();
      expect(names(project.takeChanges())[0]).toBe('stop-transform-job');
    }
    expect(project.aws.leftovers()).toEqual([]);
  });

  test('that fails says why', () => {
    project.aws.setOutcome('InProgress transform-job', { Status: 'Failed', Reason: 'no input was found' });
    const { code, stderr } = project.run('deploy');
    expect({ code, status: project.record('STATUS') }).toEqual({ code: 1, status: 'Failed' });
    expect(stderr).toContain('no input was found');
  });
});

function changesOf(work: () => void): AwsCall[] {
  project.aws.takeCalls();
  work();
  return project.takeChanges();
}

const deleted = (calls: readonly AwsCall[]) =>
  calls.filter(({ call }) => call.includes('delete')).map(({ arguments: [, name] }) => name);
