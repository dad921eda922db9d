import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parseConfig } from '../../lib/config/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { setConfig } from './support/probe.js';

interface Exported {
  settings: Record<string, string>;
  serving: Record<string, string>;
  withheld: string[];
}

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

const exported = (args: readonly string[] = [], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = project.run('do/export', args, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return { ...(JSON.parse(stdout) as Exported), text: stdout };
};

test('every setting of do/config, byte for byte', () => {
  const hostile = [
    'a "b"',
    'C:\\notes\\repo',
    "it's",
    '$(touch MARKER)',
    'tab\there',
    'é 😀',
    '\u0001\u001f\u007f',
    '',
    ' x ',
  ];
  setConfig(project, Object.fromEntries(hostile.map((value, index) => [`NOTE_${index}`, value])));
  const values = parseConfig(readFileSync(join(project.dir, 'do/config'), 'utf8')).values();
  expect(exported().settings).toEqual(Object.fromEntries(values));
  expect(Object.keys(exported().settings).length).toBeGreaterThan(hostile.length + 10);
});

test('what a run sees: overrides and the region of the environment', () => {
  const { settings, serving } = exported(['--set', 'MODEL_NAME=models/other', '--set', 'NEW=1'], {
    AWS_DEFAULT_REGION: 'eu-west-3',
  });
  expect(settings).toMatchObject({ MODEL_NAME: 'models/other', NEW: '1', AWS_REGION: 'eu-west-3' });
  expect(serving.SERVING_MODEL_NAME).toBe('other');
  expect(Object.keys(settings).filter((name) => name.startsWith('SERVING_'))).toEqual([]);
});

test.each([
  ['HF_TOKEN', 'abc'],
  ['hf_token', 'abc'],
  ['IC_ENV_DB_PASSWORD', 'abc'],
  ['AWS_SECRET_ACCESS_KEY', 'abc'],
  ['HF_TOKEN_ARN', 'abc'],
  ['NOTE', 'hf_abcdefghijklmnop'],
  ['NOTE', 'nvapi-abc'],
  ['NOTE', 'https://x:ghp_0123456789abcdef0123@github.com'],
])('the secret in %s is withheld', (name, value) => {
  setConfig(project, { [name]: value });
  const { settings, withheld, text } = exported();
  expect(withheld).toEqual([name]);
  expect(settings).not.toHaveProperty(name);
  expect(text).not.toContain(value === 'abc' ? '"abc"' : value);
});

test.each([
  ['HF_TOKEN_ARN', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hf'],
  ['IC_ENV_DB_PASSWORD_ARN', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:db'],
  ['HF_TOKEN', ''],
  ['MAX_TOKENS', '4096'],
])('%s names a secret, or is none: it is shown', (name, value) => {
  setConfig(project, { [name]: value });
  expect(exported()).toMatchObject({ settings: { [name]: value }, withheld: [] });
});

test('an argument is refused', () => {
  expect(project.run('do/export', ['x'])).toMatchObject({ code: 2, stdout: '' });
});
