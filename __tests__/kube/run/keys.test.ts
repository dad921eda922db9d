import { describe, expect, test } from '@jest/globals';
import { diffLines } from 'diff';
import { keysOf, type SchemaKey } from '../schema-keys.js';
import {
  type Data,
  faultsOf,
  MANIFEST,
  PLAYBOOK,
  PROFILE,
  type RunOverrides,
  renderYaml,
  toml,
  withValue,
} from './fixture.js';
import { EFFECTS } from './key-effects.js';

const FILES = {
  profile: { name: 'profile.test.toml', data: PROFILE },
  manifest: { name: 'crucible.toml', data: MANIFEST },
};
type FileName = keyof typeof FILES;

/** What `*` stands for in the fixture, by the path before it. */
const PLACES: Record<string, string> = {
  env: 'RIG_SETTING',
  secret_env: '0',
  domain: 'pd-rollout',
  'domain.pd-rollout.env': 'DOMAIN_SETTING',
  'domain.pd-rollout.secret_env': '0',
  registries: 'registry.example.com',
  component: '0',
  'agent.env': 'AGENT_STYLE',
  deploy: 'engine',
  'deploy.env': 'SHARED_SETTING',
  'deploy.engine.env': 'ENGINE_SETTING',
};

/** The keys without which a mode cannot be rendered. */
const REQUIRED = {
  loop: [
    'cluster.loop_namespace',
    'cluster.rig_namespace',
    'cluster.service_account',
    'cluster.supervisor_image',
    'image.loop',
    'secrets.push_authfile',
    'agent.sandbox_image',
  ],
  playbook: ['cluster.loop_namespace', 'cluster.rig_namespace', 'cluster.service_account', 'image.loop'],
  /** Without which their own table is not whole. */
  table: [
    'secret_env.*.name',
    'secret_env.*.secret',
    'secret_env.*.key',
    'domain.*.secret_env.*.name',
    'domain.*.secret_env.*.secret',
    'domain.*.secret_env.*.key',
    'composite.name',
    'component.*.name',
    'component.*.dir',
  ],
};

const KEYS = (Object.keys(FILES) as FileName[]).flatMap((file) =>
  keysOf(file).map((key) => ({ file, key, name: key.path.join('.'), path: concrete(key) })),
);

function concrete({ path }: SchemaKey): string[] {
  const places: string[] = [];
  for (const part of path) places.push(part === '*' ? (PLACES[places.join('.')] ?? '?') : part);
  return places;
}

function changed(
  file: FileName,
  path: readonly string[],
  value: unknown,
): RunOverrides & { [file in FileName]?: Data } {
  const data = withValue(FILES[file].data, path, value);
  return { [file]: data };
}

describe.each(KEYS)('$file: $name', ({ file, key, name, path }) => {
  test('present: changes exactly the lines that depend on it', async () => {
    const example = key.schema.examples?.[0];
    // An overlay hides what it overlays.
    const hidden = name.startsWith('resources.') ? [['domain', 'pd-rollout', 'resources']] : [];
    const base = hidden.reduce((data, place) => withValue(data, place, undefined), FILES[file].data);
    const data = withValue(base, path, example);
    if (name === 'component.*.name') {
      // A component's [deploy] table goes with its name.
      const { engine, ...deploy } = MANIFEST.deploy as Data;
      data.deploy = { ...deploy, [example]: engine };
    }
    const [before, after] = await Promise.all([renderYaml({ [file]: base }), renderYaml({ [file]: data })]);
    expect({ [name]: changedLines(before, after) }).toEqual({ [name]: EFFECTS[name] });
  });

  test('absent: is left out, or asked for by its name', async () => {
    const isRequired = REQUIRED.loop.includes(name) || REQUIRED.table.includes(name);
    const faults = await faultsOf(changed(file, path, undefined));
    if (!isRequired) expect(faults).toEqual([]);
    else {
      expect(faults.length).toBeGreaterThan(0);
      expect(faults[0]).toMatch(new RegExp(`^${FILES[file].name.replaceAll('.', '\\.')}:[0-9]+: `));
      expect(faults[0]).toContain(`\`${key.path.at(-1)}\``);
    }
    const inPlaybook = await faultsOf({ ...changed(file, path, undefined), mode: PLAYBOOK });
    expect(inPlaybook.length > 0).toBe(REQUIRED.playbook.includes(name) || REQUIRED.table.includes(name));
  });

  test.each(wrongTypes(key))('wrong type: $value is refused at its line', async ({ value }) => {
    const overrides = changed(file, path, value);
    const faults = await faultsOf(overrides);
    expect(faults).toHaveLength(1);
    const [, at, line, message] = /^([^:]+):([0-9]+): (.*)$/.exec(faults[0] ?? '') ?? [];
    expect(at).toBe(FILES[file].name);
    const isIndex = /^[0-9]+$/.test(path.at(-1) ?? '');
    const shown = isIndex ? path.at(-2) : path.at(-1);
    expect(toml(overrides[file] ?? {}).split('\n')[Number(line) - 1]).toContain(shown);
    expect(message).toContain(shown);
  });

  if (key.siblings.length > 0) {
    test('unknown: a misspelt neighbour is refused with the nearest key', async () => {
      const last = path.at(-1) as string;
      const misspelt = `${last.slice(0, -1)}${last.endsWith('x') ? 'y' : 'x'}${last.at(-1)}`;
      const overrides = changed(file, [...path.slice(0, -1), misspelt], 'a');
      const faults = await faultsOf(overrides);
      expect(faults).toHaveLength(1);
      expect(faults[0]).toMatch(
        new RegExp(`^${FILES[file].name.replaceAll('.', '\\.')}:[0-9]+: unknown key \`[^\`]*${misspelt}\`; `),
      );
      expect(faults[0]).toContain(`did you mean \`${last}\`?`);
      const line = Number(/:([0-9]+):/.exec(faults[0] ?? '')?.[1]);
      expect(toml(overrides[file] ?? {}).split('\n')[line - 1]).toContain(misspelt);
    });
  }
});

test('every key has its effect described, and nothing else has', () => {
  expect(Object.keys(EFFECTS).sort()).toEqual(KEYS.map(({ name }) => name).sort());
});

function wrongTypes({ path, schema }: SchemaKey): { value: unknown }[] {
  const types = [schema.type].flat() as string[];
  const isEnvironmentValue = path.at(-2) === 'env';
  const candidates: [string, unknown][] = [
    ['string', 'words'],
    ['number', 7],
    ['number', 1.5],
    ['boolean', true],
    ['array', [1, 2]],
    ['object', { inner: 1 }],
  ];
  return candidates
    .filter(([type, value]) => !types.includes(type) && !(types.includes('integer') && value === 7))
    .filter(([type]) => !(isEnvironmentValue && ['number', 'boolean'].includes(type)))
    .map(([, value]) => ({ value }));
}

function changedLines(before: string, after: string): string[] {
  return diffLines(before, after).flatMap(({ added, removed, value }) =>
    added || removed
      ? value
          .trimEnd()
          .split('\n')
          .map((line) => `${added ? '+' : '-'} ${line.trim()}`)
      : [],
  );
}
