import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { AwsProject, image } from '../do/support/aws-project.js';
import type { AwsCall } from '../support/fake-aws/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { isolatedEnv } from '../support/project.js';

/** The requests of a deploy and its updates, one of each operation. */
function requestsOf(project: AwsProject, ...deploys: string[][]): AwsCall[] {
  project.aws.setState({ buckets: ['a-bucket'], topics: [TOPIC] });
  for (const args of deploys) project.deploy(...args);
  const calls = project.aws.takeCalls().filter(({ request }) => request !== null);
  project.remove();
  return [...new Map(calls.map((call) => [call.call, call])).values()];
}

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:news';
const OTHER_IMAGE = ['--set', `ECR_IMAGE_URI=${image('b')}`];
const INSTANCE = { INSTANCE_TYPE: 'ml.g5.12xlarge' };

describeWithPrograms(['aws'], 'the installed AWS CLI finds no fault with the requests', () => {
  test.each([
    [
      'of an endpoint with components',
      6,
      () =>
        requestsOf(
          new AwsProject(
            { invocation: 'component' },
            { ...INSTANCE, ENDPOINT_NAME: 'e', IC_CPU_COUNT: '0.5' },
          ),
          [],
          OTHER_IMAGE,
          ['--set', 'IC_COPY_COUNT=2', ...OTHER_IMAGE],
          ['--endpoint-strategy', 'heterogeneous', '--instance-types', 'ml.g6.12xlarge,ml.g5.12xlarge'],
        ),
    ],
    [
      'of an asynchronous endpoint',
      4,
      () =>
        requestsOf(
          new AwsProject(
            { invocation: 'async' },
            {
              ...INSTANCE,
              ASYNC_S3_OUTPUT_PATH: 's3://a-bucket/x',
              ASYNC_SNS_TOPIC: TOPIC,
              STAGED_MODEL_PATH: 's3://a-bucket/w',
            },
          ),
          [],
          [],
        ),
    ],
    [
      'of a batch job',
      2,
      () =>
        requestsOf(
          new AwsProject(
            { invocation: 'job' },
            {
              ...INSTANCE,
              BATCH_INPUT_PATH: 's3://a-bucket/x',
              BATCH_OUTPUT_PATH: 's3://a-bucket/y',
              STAGED_MODEL_PATH: 's3://a-bucket/w.tar.gz',
            },
          ),
          [],
        ),
    ],
  ])(
    '%s',
    (_, operations, requests) => {
      const calls = requests();
      expect(calls.map(({ call }) => call)).toHaveLength(operations);
      for (const { call, request } of calls) {
        // It checks a request before it connects: what fails is the connection, to a port where nobody listens.
        const { stderr } = spawnSync(
          'aws',
          [...call.split(' '), '--cli-input-json', JSON.stringify(request)],
          {
            env: isolatedEnv('/nonexistent', {
              AWS_DEFAULT_REGION: 'eu-west-1',
              AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
              AWS_ACCESS_KEY_ID: 'testing',
              AWS_SECRET_ACCESS_KEY: 'testing',
              AWS_MAX_ATTEMPTS: '1',
            }),
            encoding: 'utf8',
          },
        );
        expect({ call, stderr }).toEqual({
          call,
          stderr: expect.stringContaining('Could not connect to the endpoint'),
        });
      }
    },
    120_000,
  );
});
