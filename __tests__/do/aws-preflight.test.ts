import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeProject, type TestProject } from '../support/project.js';
import { fakeProgram } from './support/fake-program.js';
import { writeProbe } from './support/probe.js';

let project: TestProject;
beforeEach(() => {
  project = makeProject({ answers: { awsRegion: 'eu-west-1' } });
});
afterEach(() => project.remove());

const calls = () =>
  existsSync(join(project.home, 'calls')) ? readFileSync(join(project.home, 'calls'), 'utf8') : '';
const preflight = (aws: string, { args = '', set = [] as string[] } = {}) => {
  const PATH = fakeProgram(project, 'aws', `echo "$*" >>"$HOME/calls"\n${aws}`);
  const work = `. "$DO_DIR/lib/aws-preflight.sh"; _aws_preflight ${args}; _aws_preflight; bash -c 'echo "account $AWS_ACCOUNT_ID"'`;
  return project.run(writeProbe(project, { work }), set, { env: { PATH } });
};
const IDENTITY = `printf '123456789012\\tarn:aws:iam::123456789012:user/me'`;

test('good credentials are checked once, silently, and the account is exported', () => {
  expect(preflight(IDENTITY)).toEqual({ code: 0, stdout: 'account 123456789012\n', stderr: '' });
  expect(calls().match(/get-caller-identity/g)).toHaveLength(1);
});

test('--verbose says who this is', () => {
  const { stdout, stderr } = preflight(IDENTITY, { args: '--verbose' });
  expect(stdout).toBe('account 123456789012\n');
  expect(stderr).toContain('AWS account 123456789012 in eu-west-1 as arn:aws:iam::123456789012:user/me');
});

test.each([
  ['no credentials', `echo 'Unable to locate credentials' >&2; exit 253`, 'Unable to locate credentials'],
  [
    'an expired session',
    `echo 'An error occurred (ExpiredToken) when calling X: gone' >&2; exit 254`,
    'sign in again',
  ],
  ['an empty account', `printf 'None\\tNone'`, 'did not say which account'],
  ['no answer', ':', 'did not say which account'],
])('%s: exit 1 with guidance', (_title, aws, words) => {
  const { code, stdout, stderr } = preflight(aws);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr).toMatch(/^-> /m);
});

test('[C36] without a region nothing is called', () => {
  const { code, stdout, stderr } = preflight(IDENTITY, { set: ['--set', 'AWS_REGION='] });
  expect({ code, stdout, calls: calls() }).toEqual({ code: 1, stdout: '', calls: '' });
  expect(stderr).toMatch(/^Error: no AWS region is set\n.*\n-> .*AWS_REGION/);
});

test('without the AWS CLI one line says so', () => {
  const work = '. "$DO_DIR/lib/aws-preflight.sh"; PATH=/nonexistent _aws_preflight; echo passed';
  expect(project.run(writeProbe(project, { work }))).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('AWS CLI is not installed'),
  });
});
