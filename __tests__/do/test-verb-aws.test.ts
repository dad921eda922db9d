import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog, type Target } from '../../lib/catalog/index.js';
import { makeProject, type RunResult, type TestProject } from '../support/project.js';
import { ModelAws } from './support/model-aws.js';
import { setRecords } from './support/pod-project.js';
import { setConfig } from './support/probe.js';

const targets = loadCatalog().targets.map(({ manifest }) => manifest);
const by = (invocation: string): Target['manifest'][] =>
  targets.filter((manifest) => manifest.invocation === invocation);

const CHAT = '{"choices":[{"message":{"content":"hello"}}]}';

let project: TestProject;
let aws: ModelAws;
const deployed = (manifest: Target['manifest'], records: Record<string, string>) => {
  project = makeProject({ answers: { deploymentTarget: manifest.target, awsRegion: 'eu-west-1' } });
  setConfig(project, { HF_MODEL_ID: 'org/model' });
  setRecords(project, manifest, { STATUS: manifest.success_status, ...records });
  aws = new ModelAws(project);
  aws.write('answer', CHAT);
};
afterEach(() => project.remove());
const run = (args: string[] = [], env: Record<string, string> = {}): RunResult =>
  project.run('do/test', args, {
    env: { PATH: aws.PATH, TMPDIR: project.home, MLCC_POLL_SECONDS: '0', ...env },
  });
/** What follows a flag in a call. */
const behind = (args: readonly string[] | undefined, flag: string) => args?.[args.indexOf(flag) + 1];

describe.each(by('component'))('a component ($target)', (manifest) => {
  beforeEach(() => deployed(manifest, { ENDPOINT: 'my-endpoint', COMPONENT: 'my-component' }));

  test('is asked for a chat completion, by the recorded names', () => {
    const configBefore = readFileSync(join(project.dir, 'do/config'), 'utf8');
    expect(run()).toMatchObject({ code: 0, stdout: `${CHAT}\n` });
    const [call, ...others] = aws.calls('invoke-endpoint');
    expect(others).toEqual([]);
    expect(behind(call?.args, '--endpoint-name')).toBe('my-endpoint');
    expect(behind(call?.args, '--inference-component-name')).toBe('my-component');
    expect(behind(call?.args, '--content-type')).toBe('application/json');
    expect(behind(call?.args, '--cli-read-timeout')).toBe('300');
    expect(JSON.parse(aws.read('body'))).toEqual({
      model: 'org/model',
      messages: [{ role: 'user', content: expect.stringMatching(/./) }],
      max_tokens: expect.any(Number),
    });
    expect(readFileSync(join(project.dir, 'do/config'), 'utf8')).toBe(configBefore);
    expect(readdirSync(project.home).filter((name) => name.startsWith('mlcc.'))).toEqual([]);
  });

  test('[C26] any body reaches it byte for byte, in the one form that both generations of the CLI take', () => {
    aws.write('request.json', '{"inputs":"hi \\u00e9 é"}\n');
    for (const [argument, body] of [
      ['{"inputs":"hi"}', '{"inputs":"hi"}'],
      [`@${join(project.home, 'request.json')}`, '{"inputs":"hi \\u00e9 é"}\n'],
    ] as const) {
      expect(run(['--body', argument])).toMatchObject({ code: 0 });
      expect(aws.read('body')).toBe(body);
    }
    expect(aws.calls('invoke-endpoint').map(({ args }) => behind(args, '--body'))).toEqual([
      expect.stringMatching(/^fileb:\/\//),
      expect.stringMatching(/^fileb:\/\//),
    ]);
  });

  test('a prompt is said as it is', () => {
    const prompt = 'say "hi" to\n$HOME `id` \\n ü';
    expect(run([`--prompt=${prompt}`])).toMatchObject({ code: 0 });
    expect(JSON.parse(aws.read('body')).messages).toEqual([{ role: 'user', content: prompt }]);
  });

  test('a model without a name is asked without one', () => {
    setConfig(project, { HF_MODEL_ID: '', MODEL_NAME: '' });
    expect(run()).toMatchObject({ code: 0 });
    expect(JSON.parse(aws.read('body'))).not.toHaveProperty('model');
  });

  test('[C25] what the model answered instead is shown, and it is asked once', () => {
    aws.fail(
      'invoke-endpoint',
      'ModelError',
      'Received client error (500) from primary with message "CUDA out of memory".',
    );
    const { code, stdout, stderr } = run();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('(500)');
    expect(stderr).toContain('CUDA out of memory');
    expect(stderr).toContain('do/logs');
    expect(aws.calls('invoke-endpoint')).toHaveLength(1);
  });

  test('a request that took too long or broke down is not made again', () => {
    aws.write('fails/invoke-endpoint', 'Read timeout on endpoint URL: "https://x"\n');
    expect(run(['--timeout', '7'])).toMatchObject({ code: 1 });
    const calls = aws.calls('invoke-endpoint');
    expect(calls).toHaveLength(1);
    expect(behind(calls[0]?.args, '--cli-read-timeout')).toBe('7');
    expect(calls[0]?.attempts).toBe('1');
  });

  test.each([
    ['{"error":{"message":"no","code":500}}', 'no'],
    ['{"object":"error","message":"context too long"}', 'context too long'],
    ['{"choices":[{"finish_reason":"error"}]}', 'finish_reason'],
    ['{"outputs":[]}', 'no choices'],
    ['<html>sign in</html>', 'sign in'],
    ['', 'empty'],
  ])('[C25] a success with %s in the body is a failure', (body, word) => {
    aws.write('answer', body);
    const { code, stdout, stderr } = run();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('answered 200');
    expect(stderr).toContain(word);
  });

  test.each([
    ['{"outputs":[1]}', 0],
    ['plain text', 0],
    ['{"error":null,"outputs":[1]}', 0],
    ['data: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: [DONE]\n', 0],
    ['data: {"choices":[]}\n\ndata: {"error":{"message":"broke off"}}\n', 1],
    ['{"errors":["bad"]}', 1],
  ])('the answer %s to a body of one`s own ends with %i', (body, exit) => {
    aws.write('answer', body);
    expect(run(['--body', '{"inputs":"x"}']).code).toBe(exit);
  });

  test('control characters of an answer do not reach the terminal', () => {
    aws.write('answer', '{"error":"\u001b[2Jgone"}\u001b]0;title\u0007');
    expect(run().stderr).not.toContain('\u001b]');
  });

  test('[C07] an AWS call that fails ends the script with its reason', () => {
    aws.write('fails/get-caller-identity', 'Unable to locate credentials\n');
    const { code, stderr } = run();
    expect([code, aws.calls('invoke-endpoint')]).toEqual([1, []]);
    expect(stderr).toContain('Unable to locate credentials');
  });
});

describe.each(by('async'))('an asynchronous endpoint ($target)', (manifest) => {
  const OUTPUT = 's3://results/of demo/abc.out';
  const FAILURE = 's3://results/of demo/failures/abc-error.out';
  beforeEach(() => {
    deployed(manifest, { ENDPOINT: 'my-endpoint', OUTPUT_PATH: 's3://results/of demo/' });
    aws.write('locations', `${OUTPUT}\t${FAILURE}\n`);
  });

  test('[C35] gets a request beside its output path; the result is waited for', () => {
    aws.write('s3/results/of demo/abc.out', CHAT);
    aws.write('looks', '5');
    expect(run()).toMatchObject({ code: 0, stdout: `${CHAT}\n`, stderr: expect.stringContaining(OUTPUT) });
    const input = behind(aws.calls('invoke-endpoint-async')[0]?.args, '--input-location') ?? '';
    expect(input).toMatch(/^s3:\/\/results\/of demo\/requests\/test-[0-9]{12}-[0-9a-f]{8}\.json$/);
    expect(JSON.parse(aws.read(input.replace('s3://', 's3/')))).toMatchObject({ model: 'org/model' });
    expect(aws.calls('get-object').length).toBeGreaterThan(3);
  });

  test('[C35] the text of a failure object is reported', () => {
    aws.write('s3/results/of demo/failures/abc-error.out', 'Received server error (500): out of memory');
    const { code, stdout, stderr } = run();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('(500): out of memory');
    expect(stderr).toContain(FAILURE);
  });

  test('[C35] an older CLI that does not name the failure object finds it all the same', () => {
    aws.write('locations', `${OUTPUT}\tNone\n`);
    aws.write('s3/results/of demo/failures/abc-error.out', 'out of memory');
    expect(run()).toMatchObject({ code: 1, stderr: expect.stringContaining('out of memory') });
  });

  test('[C35] a result that never comes is waited for no longer than --timeout', () => {
    const { code, stderr } = run(['--timeout', '1']);
    expect(code).toBe(1);
    expect(stderr).toContain(OUTPUT);
    expect(stderr).toContain('--timeout SECONDS');
    expect(stderr).not.toContain('DEPLOY_TIMEOUT');
  });

  test('a result that may not be seen is told from one that is not there', () => {
    aws.fail('get-object', 'AccessDenied', 'Access Denied');
    expect(run()).toMatchObject({ code: 1, stderr: expect.stringContaining('s3:ListBucket') });
  });

  test('[C25] an error in the result is a failure', () => {
    aws.write('s3/results/of demo/abc.out', '{"error":"bad prompt"}');
    expect(run()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('bad prompt') });
  });

  test.each(['put-object', 'invoke-endpoint-async'])('%s that fails ends the test', (operation) => {
    aws.fail(operation, 'AccessDenied', `you may not ${operation}`);
    expect(run()).toMatchObject({ code: 1, stderr: expect.stringContaining(`you may not ${operation}`) });
    expect(aws.calls('get-object')).toEqual([]);
  });
});

describe.each(by('job'))('a job ($target)', (manifest) => {
  const listing = (...rows: [string, string][]) =>
    aws.write('listing', rows.map((row) => `${row.join('\t')}\n`).join(''));
  beforeEach(() => {
    deployed(manifest, { JOB: 'my-job', OUTPUT_PATH: 's3://results/of/demo' });
    aws.write('job', 'Completed\t1767225600.5\tNone\n');
    aws.write('s3/results/of/demo/a.jsonl.out', '{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n');
  });

  // Both ways in which the generations of the CLI print times: 2026-01-01T00:00:00Z and a half.
  test.each([
    ['1767225600.5', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T01:00:00.500000+01:00', '2026-01-01T00:00:00+00:00'],
  ])('shows the first records of what it wrote (times as %s)', (created, modified) => {
    aws.write('job', `Completed\t${created}\tNone\n`);
    listing([modified, 'of/demo/a.jsonl.out']);
    expect(run()).toMatchObject({ code: 0, stdout: '{"a":1}\n{"a":2}\n{"a":3}\n' });
  });

  test.each([
    ['nothing at all', []],
    ['what an earlier job left', [['2025-12-31T23:59:59Z', 'of/demo/a.jsonl.out']]],
    ['files of a folder that only begins like its own', [['2026-01-02T00:00:00Z', 'of/demonstration/a.out']]],
  ] as [string, [string, string][]][])('without output is a failure: %s', (_, rows) => {
    listing(...rows);
    const { code, stdout, stderr } = run();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('my-job has no output');
  });

  test.each(['{"error":"bad"}', '{"input":"x","SageMakerOutput":{"error":"bad"}}'])(
    '[C25] a record %s is a failure',
    (record) => {
      listing(['2026-01-02T00:00:00Z', 'of/demo/a.jsonl.out']);
      aws.write('s3/results/of/demo/a.jsonl.out', `{"a":1}\n${record}\n`);
      expect(run()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(record) });
    },
  );

  test('that has not completed is a failure with the service`s reason', () => {
    aws.write('job', 'Failed\t1767225600.5\tno capacity\n');
    expect(run()).toMatchObject({ code: 1, stderr: expect.stringMatching(/my-job is Failed\nno capacity/) });
  });

  test.each([['--prompt', 'x'] as const, ['--body', '{}'] as const])('takes no %s', (...args) => {
    expect(run([...args])).toMatchObject({ code: 2, stdout: '' });
    expect(aws.calls()).toEqual([]);
  });
});
