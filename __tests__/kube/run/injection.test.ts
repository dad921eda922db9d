import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toYaml } from '../../../lib/kube/index.js';
import { AWKWARD_TEXTS } from '../yaml/awkward.js';
import { readWithJsYaml } from '../yaml/readers.js';
import { containerOf, environmentOf, MANIFEST, PLAYBOOK, PROFILE, render, withValue } from './fixture.js';

/** What a container sees: Kubernetes' own expansion, by its documented rules. An unknown name is left as it is. */
function seen(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (match, name: string | undefined) => {
    if (match === '$$') return '$';
    return variables.get(name ?? '') ?? match;
  });
}

function environmentSeen(environment: readonly { name: string; value?: string }[]): Map<string, string> {
  const variables = new Map([['HOME', '/root']]);
  for (const { name, value } of environment) variables.set(name, seen(value ?? 'from-elsewhere', variables));
  return variables;
}

const HOSTILE = [
  '$(HOME)',
  '$$(HOME)',
  '$$$(HOME)',
  '$$',
  '$',
  '$$$',
  '$(',
  '$(POD_NAME)$(POD_NAME)',
  '`id`',
  '"; rm -rf / #',
  "' $(touch MARKER) '",
  'a\n---\nkind: Secret\n',
  '{{ .Values.x }}',
  '<%= x %>',
  '\n  key: value',
];

describe('values that invite injection are seen by the container as the same text', () => {
  // TOML has no NUL, and no other control characters outside of escapes, which stringify writes.
  const texts = [...HOSTILE, ...AWKWARD_TEXTS.filter((text) => !text.includes('\0'))];

  test('as environment of profile, manifest and broker, through YAML', async () => {
    const env = Object.fromEntries(texts.map((text, index) => [`V${index}`, text]));
    const objects = await render({
      profile: withValue(PROFILE, ['env'], env),
      manifest: withValue(
        withValue(MANIFEST, ['agent', 'env'], { AGENT: '$(HOME)' }),
        ['judge', 'measure_cmd'],
        'echo $(HOME) $$',
      ),
    });
    const { container } = containerOf(readWithJsYaml(toYaml(objects)) as typeof objects);
    const variables = environmentSeen(container.env ?? []);
    texts.forEach((text, index) => {
      expect([index, variables.get(`V${index}`)]).toEqual([index, text]);
    });
    expect(variables.get('AGENT')).toBe('$(HOME)');
    expect(variables.get('BROKER_MEASURE_CMD')).toBe('echo $(HOME) $$');
  });

  test('as arguments, through YAML', async () => {
    const params = texts.map((text, index) => `P${index}=${text}`);
    const objects = await render({ mode: { ...PLAYBOOK, kind: 'playbook', params } });
    const { container } = containerOf(readWithJsYaml(toYaml(objects)) as typeof objects);
    const variables = environmentSeen(container.env ?? []);
    const argumentsSeen = (container.args ?? []).map((text) => seen(text, variables));
    expect(argumentsSeen.filter((_, index, all) => all[index - 1] === '--param')).toEqual(params);
  });

  test('any text', async () => {
    const pieces = fc.array(fc.constantFrom('$', '$(', ')', '(', 'HOME', 'a', '\n', '"', "'"), {
      maxLength: 10,
    });
    const samples = fc.sample(
      pieces.map((parts) => parts.join('')),
      { numRuns: 500, seed: 8 },
    );
    const env = Object.fromEntries(samples.map((text, index) => [`V${index}`, text]));
    const objects = await render({ profile: withValue(PROFILE, ['env'], env) });
    const variables = environmentSeen(containerOf(objects).container.env ?? []);
    expect(samples.map((_, index) => variables.get(`V${index}`))).toEqual(samples);
  });
});

describe('expand = true', () => {
  const profile = withValue(withValue(PROFILE, ['expand'], true), ['env'], {
    A_URL: 'http://$(Z_HOST):$(PORT)/$(POD_NAME)/$$x',
    Z_HOST: '$(NAME).svc',
    NAME: 'engine',
    PORT: 8080,
  });

  test('literals refer to each other whatever their order, and to the renderer’s own', async () => {
    const objects = await render({ profile });
    const variables = environmentSeen(containerOf(objects).container.env ?? []);
    expect(variables.get('A_URL')).toBe('http://engine.svc:8080/from-elsewhere/$x');
  });

  test('the renderer’s own variables still mean what the manifest says', async () => {
    const manifest = withValue(MANIFEST, ['judge', 'measure_cmd'], 'echo $(PORT)');
    const variables = environmentSeen(containerOf(await render({ profile, manifest })).container.env ?? []);
    expect(variables.get('BROKER_MEASURE_CMD')).toBe('echo $(PORT)');
  });

  test('variables that refer to each other in a circle are all there, once', async () => {
    const circle = withValue(profile, ['env'], { A: '$(B)', B: '$(A)', C: '$(C)' });
    const environment = containerOf(await render({ profile: circle })).container.env ?? [];
    expect(environment.filter(({ name }) => name.length === 1).map(({ name }) => name)).toEqual([
      'B',
      'A',
      'C',
    ]);
  });
});

describe('a name never stands twice', () => {
  test('the profile’s literal replaces the renderer’s, the manifest’s and the secret’s variable', async () => {
    const env = { KUBECONFIG: '/mine', AGENT_STYLE: 'mine', HF_TOKEN: 'literal', BROKER_NAME: 'mine' };
    const objects = await render({ profile: withValue(PROFILE, ['env'], env) });
    const names = (containerOf(objects).container.env ?? []).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(environmentOf(objects)).toMatchObject(env);
  });

  test('a domain’s secret replaces the profile’s literal', async () => {
    const secret = { name: 'RIG_SETTING', secret: 's', key: 'k' };
    const objects = await render({
      profile: withValue(PROFILE, ['domain', 'pd-rollout', 'secret_env'], [secret]),
    });
    expect(environmentOf(objects).RIG_SETTING).toEqual({ secretKeyRef: { name: 's', key: 'k' } });
  });

  test('an overlay of another domain has no part in it', async () => {
    const profile = withValue(PROFILE, ['domain'], {
      other: (PROFILE.domain as Record<string, unknown>)['pd-rollout'],
    });
    const objects = await render({ profile });
    expect(environmentOf(objects)).not.toHaveProperty('DOMAIN_SETTING');
    expect(environmentOf(objects)).not.toHaveProperty('DOMAIN_TOKEN');
  });

  test('two secret_env entries of one name are refused', async () => {
    const twice = [1, 2].map((number) => ({ name: 'A', secret: `s${number}`, key: 'k' }));
    await expect(render({ profile: withValue(PROFILE, ['secret_env'], twice) })).rejects.toMatchObject({
      why: [expect.stringMatching(/^profile\.test\.toml:[0-9]+: secret_env names `A` twice$/)],
    });
  });
});
