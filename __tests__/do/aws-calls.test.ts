import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AwsProject } from './support/aws-project.js';
import { fakeProgram } from './support/fake-program.js';
import { writeProbe } from './support/probe.js';

let project: AwsProject;
beforeEach(() => {
  project = new AwsProject({ invocation: 'component' }, {});
});
afterEach(() => project.remove());

const LIBRARY = '_active_target; . "$DO_DIR/lib/aws.sh"\n';

/** Runs shell text behind the library, with the fake AWS or with an `aws` that the test scripts. */
function shell(work: string, program?: string) {
  const verb = writeProbe(project.project, { work: LIBRARY + work });
  if (program === undefined) return project.run('probe');
  const path = fakeProgram(project.project, 'aws', program);
  return project.project.run(verb, [], {
    env: { ...project.aws.env, PATH: `${path.split(':')[0]}:${project.aws.bin}:${process.env.PATH}` },
  });
}

describe('a failed call is named', () => {
  const operation = (code: string, words = 'words') =>
    `An error occurred (${code}) when calling the DescribeEndpoint operation: ${words}`;

  test.each([
    ['access-denied', operation('AccessDeniedException')],
    ['access-denied', operation('403', 'Forbidden')],
    ['bad-credentials', operation('UnrecognizedClientException')],
    [
      'bad-credentials',
      'Unable to locate credentials. You can configure credentials by running "aws configure".',
    ],
    ['bad-credentials', 'The config profile (x) could not be found'],
    ['expired-token', operation('ExpiredTokenException')],
    ['expired-token', operation('ExpiredToken')],
    ['expired-token', 'Error when retrieving token from sso: Token has expired and refresh failed'],
    [
      'no-region',
      'You must specify a region. You can also configure your region by running "aws configure".',
    ],
    [
      'not-found',
      operation('ValidationException', 'Could not find endpoint "arn:aws:sagemaker:eu-west-1:1:endpoint/x".'),
    ],
    ['not-found', operation('ResourceNotFound')],
    ['not-found', operation('404', 'Not Found')],
    ['exists', operation('ValidationException', 'Cannot create already existing endpoint "x".')],
    ['exists', operation('ResourceInUse', 'Job name must be unique')],
    ['busy', operation('ValidationException', 'Cannot update in-progress endpoint "x".')],
    ['limit', operation('ResourceLimitExceeded')],
    ['validation', operation('ValidationException', '1 validation error detected')],
    ['validation', 'Parameter validation failed:\nUnknown parameter in input: "X"'],
    ['throttled', operation('ThrottlingException', 'Rate exceeded')],
    ['service', operation('InternalFailure')],
    ['service', operation('500', 'Internal Server Error')],
    ['connection', 'Could not connect to the endpoint URL: "https://api.sagemaker.eu-west-1.amazonaws.com/"'],
    ['connection', 'Connect timeout on endpoint URL: "https://sts.eu-west-1.amazonaws.com/"'],
    ['other', 'a cosmic ray'],
  ])('%s: %s', (error, words) => {
    const { stdout } = shell(
      '_aws sagemaker describe-endpoint || printf "%s|%s" "$_AWS_ERROR" "$_AWS_MESSAGE"',
      `printf '\\n%s\\n' '${words}' >&2; exit 254`,
    );
    expect(stdout).toBe(`${error}|${words}`);
  });

  test('an absent AWS CLI', () => {
    const { stdout } = shell('PATH=/nowhere; hash -r; _aws sts x || printf %s "$_AWS_ERROR"');
    expect(stdout).toBe('no-cli');
  });

  test('and explained: what, the words of the service, what to type next', () => {
    const { code, stderr } = shell(
      '_aws sagemaker x || _aws_failed "the endpoint could not be made"',
      `echo "${operation('AccessDeniedException', 'not authorized to perform: sagemaker:CreateEndpoint')}" >&2; exit 254`,
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /Error: the endpoint could not be made\n.*not authorized to perform: sagemaker:CreateEndpoint\n-> give your AWS identity/,
    );
  });

  test('[C07] and a look-up that fails ends the script there', () => {
    const { code, stdout } = shell('_aws sts get-caller-identity; echo went on', 'exit 255');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

describe('tries', () => {
  test.each([
    ['ThrottlingException', 5, 0, ['1', '2', '4', '8', '16']],
    ['ThrottlingException', 6, 1, ['1', '2', '4', '8', '16']],
    ['InternalFailure', 2, 0, ['1', '2']],
    ['InternalFailure', 3, 1, ['1', '2']],
    ['AccessDeniedException', 1, 1, []],
  ])('%s %d times: exit %d after pauses that grow', (error, times, code, pauses) => {
    project.aws.setFaults({ call: 'sts .*', error, times });
    const result = shell('_aws sts get-caller-identity; printf "%s" "$_AWS_OUT"');
    expect({ code: result.code, pauses: project.aws.takePauses() }).toEqual({ code, pauses });
    expect(result.stdout.includes('Account')).toBe(code === 0);
  });

  test('what the CLI warns of is no part of its output', () => {
    const { stdout } = shell(
      '_aws x y; printf "[%s]" "$_AWS_OUT"',
      'echo "a warning" >&2; printf "a\\tb\\nc"',
    );
    expect(stdout).toBe('[a\tb\nc]');
  });
});

describe('a request', () => {
  const REQUEST = `_ENVIRONMENT='{"TOKEN": "it'\\''s $(secret)"}'
    _aws_request sagemaker create-model ModelName=m Tags[0].Key=a Tags[0].Value=b 'PrimaryContainer.Environment@_ENVIRONMENT'`;

  test('goes out typed and whole, its secret member through a pipe', () => {
    expect(shell(REQUEST)).toMatchObject({ code: 0 });
    const [call] = project.aws.takeCalls();
    expect(call?.request).toEqual({
      ModelName: 'm',
      Tags: [{ Key: 'a', Value: 'b' }],
      PrimaryContainer: { Environment: { TOKEN: "it's $(secret)" } },
    });
    expect(call?.arguments.join(' ')).not.toContain('secret');
  });

  test('an overlay reaches its request, and a dry run shows it without a call', () => {
    project.overlay(
      'create-model',
      '{"VpcConfig": {"Subnets": ["s-1"]}, "PrimaryContainer": {"Mode": "SingleModel"}}',
    );
    const shown = shell(`DRY_RUN=yes\n${REQUEST}`);
    const [first = '', ...json] = shown.stdout.split('\n');
    expect({ first, calls: project.aws.takeCalls() }).toEqual({
      first: 'aws sagemaker create-model',
      calls: [],
    });
    shell(REQUEST);
    const sent = project.aws.takeCalls()[0]?.request;
    expect(sent).toMatchObject({
      VpcConfig: { Subnets: ['s-1'] },
      PrimaryContainer: { Mode: 'SingleModel' },
    });
    expect(JSON.parse(json.join('\n'))).toEqual(sent);
  });

  test.each([
    ['not JSON', '{"VpcConfig": ', 'not JSON'],
    ['no object', '[]', 'not a JSON object'],
    ['that renames what is recorded', '{"ModelName": "mine"}', 'ModelName cannot be set by an overlay'],
  ])('an overlay %s is refused, nothing is sent', (_, text, reason) => {
    project.overlay('create-model', text);
    const { code, stderr } = shell(REQUEST);
    expect({ code, calls: project.aws.takeCalls() }).toEqual({ code: 2, calls: [] });
    expect(stderr).toContain(reason);
  });

  test('an overlay that no call reads is found before the first call', () => {
    project.set({ INSTANCE_TYPE: 'ml.g5.xlarge', ENDPOINT_NAME: 'e' });
    project.overlay('create-endpont', '{}');
    const { code, stderr } = project.run('deploy');
    expect({ code, calls: project.aws.takeCalls() }).toEqual({ code: 2, calls: [] });
    expect(stderr).toContain('did you mean "create-endpoint"?');
  });

  test('stands for itself: the digest changes with any field, the environment and the overlay', () => {
    const digest = (value: string) =>
      shell(
        `_ENVIRONMENT='{"A": "${value}"}'; _aws_request_digest create-model A=b 'X.E@_ENVIRONMENT'; printf %s "$_DIGEST"`,
      ).stdout;
    const one = digest('1');
    expect(one).toMatch(/^[0-9a-f]{8}$/);
    expect(digest('1')).toBe(one);
    expect(digest('2')).not.toBe(one);
    project.overlay('create-model', '{"Y": 1}');
    expect(digest('1')).not.toBe(one);
  });
});

describe('[C36] the region', () => {
  test.each([
    ['do/config', { AWS_REGION: 'eu-west-1' }, {}, 'eu-west-1'],
    ['AWS_REGION alone', { AWS_REGION: '' }, { AWS_REGION: 'us-west-2' }, 'us-west-2'],
    ['AWS_DEFAULT_REGION alone', { AWS_REGION: '' }, { AWS_DEFAULT_REGION: 'us-east-2' }, 'us-east-2'],
  ])('from %s reaches every call under both names', (_, settings, env, region) => {
    project.set({ ...settings, INSTANCE_TYPE: 'ml.g5.xlarge', ENDPOINT_NAME: 'e' });
    expect(project.run('deploy', [], env).code).toBe(0);
    const regions = project.aws
      .takeCalls()
      .map(({ environment }) => [environment.AWS_REGION, environment.AWS_DEFAULT_REGION].join());
    expect(new Set(regions)).toEqual(new Set([`${region},${region}`]));
  });

  test('that nobody names is said before any call', () => {
    project.set({ AWS_REGION: '', INSTANCE_TYPE: 'ml.g5.xlarge', ENDPOINT_NAME: 'e' });
    const { code, stderr } = project.run('deploy');
    expect({ code, calls: project.aws.takeCalls() }).toEqual({ code: 1, calls: [] });
    expect(stderr).toContain('no AWS region is set');
  });
});

test('a deploy writes the token neither to do/config nor to any argument list', () => {
  project.aws.setState({
    secrets: { 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hub': 'hf_Secret' },
  });
  project.set({
    INSTANCE_TYPE: 'ml.g5.xlarge',
    ENDPOINT_NAME: 'e',
    HF_TOKEN_ARN: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hub',
  });
  const { code, stdout, stderr } = project.run('deploy');
  expect(code).toBe(0);
  const calls = project.aws.takeCalls();
  expect(calls.some(({ request }) => JSON.stringify(request).includes('"HF_TOKEN":"hf_Secret"'))).toBe(true);
  expect(JSON.stringify(calls.map((call) => call.arguments))).not.toContain('hf_Secret');
  expect(stdout + stderr + readFileSync(join(project.project.dir, 'do/config'), 'utf8')).not.toContain(
    'hf_Secret',
  );
});
