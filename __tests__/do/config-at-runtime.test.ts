import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { setConfig, writeProbe } from './support/probe.js';

let project: TestProject;
beforeEach(() => {
  project = makeProject({ answers: { awsRegion: 'eu-west-1' } });
});
afterEach(() => project.remove());

const configPath = () => join(project.dir, 'do/config');
const rewriteConfig = (change: (text: string) => string) =>
  writeFileSync(configPath(), change(readFileSync(configPath(), 'utf8')));

describe('[C11] a config with Windows line ends', () => {
  const manifest = loadCatalog().targets[0]?.manifest;
  if (!manifest) throw new Error('an empty catalogue');

  test.each([
    ['everywhere', (text: string) => text.replaceAll('\n', '\r\n')],
    ['on one appended line', (text: string) => `${text}export NOTE='x'\r\n`],
    ['without a last line end', (text: string) => text.replaceAll('\n', '\r\n').trimEnd()],
  ])('%s: works, and no value has a trailing byte', (_where, change) => {
    setConfig(project, {
      DEPLOYMENT_TARGET: manifest.target,
      [manifest.status_var]: manifest.success_status,
      NOTE: 'x',
    });
    rewriteConfig(change);
    const probe = writeProbe(project, {
      guard: 'deployment-active',
      work: 'printf "[%s]" "$AWS_REGION" "$AWS_DEFAULT_REGION" "$NOTE"',
    });
    expect(project.run(probe)).toEqual({ code: 0, stdout: '[eu-west-1][eu-west-1][x]', stderr: '' });
    const { code, stderr } = project.run('do/status', [], { env: { PATH: '/nonexistent' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('a carriage return inside a value stays', () => {
    rewriteConfig((text) => `${text}export NOTE='a\rb\r'\r\n`);
    expect(project.run(writeProbe(project, { work: 'printf %s "$NOTE"' })).stdout).toBe('a\rb\r');
  });
});

test('[C04] hostile values are data', () => {
  const values = [
    'pa$word',
    '$(touch MARKER)',
    '`touch MARKER`',
    "it's",
    '${HOME}',
    '\\',
    '!x',
    '; touch MARKER',
  ];
  const keys = values.map((_, index) => `NOTE_${index}`);
  setConfig(project, Object.fromEntries(values.map((value, index) => [`NOTE_${index}`, value])));
  const probe = writeProbe(project, { work: `printf '%s\\n' ${keys.map((key) => `"$${key}"`).join(' ')}` });
  expect(project.run(probe)).toEqual({ code: 0, stdout: `${values.join('\n')}\n`, stderr: '' });
  expect(existsSync(join(project.dir, 'MARKER'))).toBe(false);
});

describe('[C36] the region', () => {
  const shows =
    'printf "[%s]" "$AWS_REGION" "$AWS_DEFAULT_REGION" "${AWS_PAGER-unset}"; bash -c \'printf "[%s]" "$AWS_REGION" "$AWS_DEFAULT_REGION" "${AWS_PAGER-unset}"\'';
  const region = (env: Record<string, string>) =>
    project.run(writeProbe(project, { work: shows }), [], { env }).stdout;
  const both = (name: string) => `[${name}][${name}][]`.repeat(2);

  test('of do/config is exported under both names, whatever the environment says', () => {
    expect(region({})).toBe(both('eu-west-1'));
    expect(region({ AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-2', AWS_PAGER: 'less' })).toBe(
      both('eu-west-1'),
    );
  });

  test.each(['empty in do/config', 'absent from it'])(
    '%s: comes from either variable of the environment',
    (state) => {
      rewriteConfig((text) =>
        text.replace(
          "export AWS_REGION='eu-west-1'\n",
          state.startsWith('empty') ? "export AWS_REGION=''\n" : '',
        ),
      );
      expect(region({ AWS_REGION: 'us-east-1' })).toBe(both('us-east-1'));
      expect(region({ AWS_DEFAULT_REGION: 'us-east-2' })).toBe(both('us-east-2'));
      expect(region({ AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-2' })).toBe(both('us-east-1'));
      expect(region({})).toBe(both(''));
    },
  );

  test('can be overridden for one run', () => {
    const probe = writeProbe(project, { work: shows });
    expect(project.run(probe, ['--set', 'AWS_REGION=ap-south-1']).stdout).toBe(both('ap-south-1'));
  });
});

test('[C06] do/status works without any one of the settings', () => {
  const complete = readFileSync(configPath(), 'utf8');
  const lines = complete.split('\n').filter((line) => line.startsWith('export '));
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) {
    writeFileSync(configPath(), complete.replace(`${line}\n`, ''));
    const { code, stderr } = project.run('do/status');
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
  }
  writeFileSync(configPath(), '');
  for (const verb of ['do/status', 'do/export']) {
    expect(project.run(verb)).toMatchObject({ code: 0, stderr: '' });
  }
});
