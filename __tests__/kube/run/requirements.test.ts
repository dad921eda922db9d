import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../../lib/package/index.js';
import {
  containerOf,
  environmentOf,
  faultsOf,
  LOOP,
  MANIFEST,
  PLAYBOOK,
  PROFILE,
  render,
  withValue,
} from './fixture.js';

const SMALLEST_PROFILE = {
  cluster: { loop_namespace: 'loops', rig_namespace: 'rig', service_account: 'runner' },
  image: { loop: 'registry.example.com/loop:v1' },
};

describe('a playbook', () => {
  test('needs no [deploy], no sandbox image, no supervisor and no secret', async () => {
    const objects = await render({
      manifest: { workflow: { type: 'loop' } },
      profile: SMALLEST_PROFILE,
      mode: PLAYBOOK,
    });
    expect(objects.map(({ kind }) => kind)).toEqual(['RoleBinding', 'Pod']);
    expect(containerOf(objects).container.args).toEqual([
      '/opt/crucible/domains/rollout',
      '',
      '',
      '',
      'plan',
      'run',
      '--manifest',
      '/opt/crucible/domains/rollout/crucible.toml',
      '--max-cost',
      '5',
      '--max-time',
      '90m',
      '--param',
      'MODEL=small',
      '--param',
      'ROUNDS=3',
    ]);
  });

  test('is one-shot: no state volume and no restart under a profile that names a claim', async () => {
    const { spec, container } = containerOf(await render({ mode: PLAYBOOK }));
    expect(spec.restartPolicy).toBe('Never');
    expect(spec.volumes.map(({ name }) => name)).not.toContain('state');
    expect(container.args).not.toContain('--resume');
  });

  test('its sandbox image is pinned when it declares one', async () => {
    const { container } = containerOf(await render({ mode: PLAYBOOK }));
    expect(container.args?.[2]).toMatch(/^registry\.example\.com\/crucible\/sandbox:v7@sha256:[0-9a-f]{64}$/);
  });

  test('says which flags are missing, all at once', async () => {
    const mode = { kind: 'playbook', params: ['NO_VALUE', '=x', 'A=1', 'A=2'] } as const;
    expect(await faultsOf({ mode })).toEqual([
      '--max-cost: say what the run may cost, in US dollars',
      '--max-time: say how long the playbook may run, such as 90m',
      '--param: `NO_VALUE` is not KEY=VALUE',
      '--param: `=x` is not KEY=VALUE',
      '--param: `A` is given twice',
    ]);
  });

  test.each(['', '90', '1.5h', 'h', '0m', '-1h', '1 h'])('--max-time %p is no duration', async (maxTime) => {
    expect(await faultsOf({ mode: { ...PLAYBOOK, kind: 'playbook', params: [], maxTime } })).toEqual([
      expect.stringContaining('--max-time'),
    ]);
  });
});

describe('the loop', () => {
  test('says everything that is missing at once, before any image is looked up', async () => {
    const faults = await faultsOf({ manifest: {}, profile: {}, mode: { kind: 'loop' } });
    expect(faults).toEqual([
      'profile.test.toml: set `loop_namespace` in [cluster]: the run’s Pod lives there',
      'profile.test.toml: set `rig_namespace` in [cluster]: the run changes the rig there',
      'profile.test.toml: set `service_account` in [cluster]: the run acts as it',
      'profile.test.toml: set `loop` in [image]: the run’s image',
      'profile.test.toml: set `supervisor_image` in [cluster]: the loop’s sandbox needs it',
      'crucible.toml: set `sandbox_image` in [agent]: the loop’s agent works in it',
      'crucible.toml: [deploy] is missing: the loop builds and deploys (registry, dockerfile, base_ref, deploy_name, env)',
      '--iterations: say how many iterations the loop may run',
      '--max-cost: say what the run may cost, in US dollars',
    ]);
  });

  test.each(['env', 'registry', 'constructor'])(
    'a domain called %s is a name like any other',
    async (folder) => {
      const { composite: _, component: __, ...manifest } = MANIFEST;
      const deploy = { registry: 'r.example.com', env: { SHARED_SETTING: 'one' } };
      const objects = await render({ manifest: { ...manifest, deploy }, folder });
      expect(environmentOf(objects)).toMatchObject({
        FORGE_REGISTRY: 'r.example.com',
        SHARED_SETTING: 'one',
      });
      expect(Object.keys(environmentOf(objects)).filter((name) => /^\d/.test(name))).toEqual([]);
      expect(await faultsOf({ manifest: { ...manifest, deploy: undefined }, folder })).toEqual([
        expect.stringContaining('[deploy] is missing'),
      ]);
    },
  );

  test('resumes from its state claim, and without one neither restarts nor resumes', async () => {
    const kept = containerOf(await render());
    expect(kept.spec.restartPolicy).toBe('OnFailure');
    expect(kept.container.args).toContain('--resume');
    expect(kept.container.volumeMounts).toContainEqual({
      name: 'state',
      mountPath: '/opt/domains/rollout/state',
      subPath: 'pd-rollout',
    });
    const lost = containerOf(
      await render({ profile: withValue(PROFILE, ['cluster', 'state_claim'], undefined) }),
    );
    expect(lost.spec.restartPolicy).toBe('Never');
    expect(lost.container.args).not.toContain('--resume');
  });

  test.each([
    { iterations: 0, maxCost: 1 },
    { iterations: 1.5, maxCost: 1 },
    { iterations: 1, maxCost: 0 },
    { iterations: 1, maxCost: Number.NaN },
  ])('refuses %p', async (limits) => {
    expect(await faultsOf({ mode: { kind: 'loop', ...limits } })).toHaveLength(1);
  });

  test('needs push_authfile only where a registry is named and the broker builds', async () => {
    const profile = withValue(PROFILE, ['secrets', 'push_authfile'], undefined);
    const key = expect.stringMatching(/^profile\.test\.toml:[0-9]+: set `push_authfile` in \[secrets\]/);
    expect(await faultsOf({ profile })).toEqual([key]);
    expect(
      await faultsOf({ profile, manifest: withValue(MANIFEST, ['agent', 'broker', 'build'], false) }),
    ).toEqual([]);
    expect(
      await faultsOf({ profile, manifest: withValue(MANIFEST, ['deploy', 'registry'], undefined) }),
    ).toEqual([]);
    const objects = await render({ profile, mode: PLAYBOOK });
    expect(environmentOf(objects)).not.toHaveProperty('FORGE_AUTHFILE');
  });
});

describe('mounts', () => {
  const smallest = { manifest: {}, profile: SMALLEST_PROFILE, mode: PLAYBOOK };

  test('nothing is mounted that the profile does not name, nor is its variable set', async () => {
    const objects = await render(smallest);
    expect(containerOf(objects).spec.volumes.map(({ name }) => name)).toEqual([
      'api-access',
      'build-storage',
    ]);
    expect(Object.keys(environmentOf(objects))).toEqual(['POD_NAME', 'POD_UID', 'POD_NAMESPACE']);
    expect(containerOf(objects).spec).not.toHaveProperty('imagePullSecrets');
  });

  test('with all of them, the renderer names the variables that the guide lists, and no other', async () => {
    const given = /^(?:AGENT_STYLE|[A-Z]+_SETTING|LITERAL_PRICE|HF_TOKEN|DOMAIN_TOKEN)$/;
    const own = Object.keys(environmentOf(await render())).filter((name) => !given.test(name));
    const guide = readFileSync(join(packageRoot, 'docs', 'kubernetes.md'), 'utf8');
    const [, listed = ''] = /Of a run, the renderer sets ([\s\S]*?)Every other name/.exec(guide) ?? [];
    const names = [...listed.matchAll(/`([A-Z_]+\*?)`/g)].map(([, name = '']) => name);
    const isListed = (name: string) =>
      names.some((each) => new RegExp(`^${each.replace('*', '.*')}$`).test(name));
    expect(own.filter((name) => !isListed(name))).toEqual([]);
    expect(names.filter((name) => !name.endsWith('*') && !own.includes(name))).toEqual([]);
  });

  test('the API is reached with a rotating token of the container’s own', async () => {
    const { spec } = containerOf(await render(smallest));
    expect(spec.automountServiceAccountToken).toBe(false);
    const [apiAccess] = spec.volumes as { projected?: { sources: Record<string, unknown>[] } }[];
    const sources = apiAccess?.projected?.sources ?? [];
    expect(sources.map((source) => Object.keys(source)[0])).toEqual([
      'serviceAccountToken',
      'configMap',
      'downwardAPI',
    ]);
  });

  test('an AWS role and an ingest URL each get a token bound to their audience', async () => {
    const { spec } = containerOf(await render());
    const identity = spec.volumes.find(({ name }) => name === 'identity')?.projected;
    expect(identity).toEqual({
      sources: [
        {
          serviceAccountToken: { audience: 'sts.amazonaws.com', expirationSeconds: 3600, path: 'aws-token' },
        },
        {
          serviceAccountToken: {
            audience: 'https://ingest.example.com',
            expirationSeconds: 3600,
            path: 'ingest-token',
          },
        },
      ],
    });
  });

  test('each volume is mounted where a container uses it, and each mount has its volume', async () => {
    for (const mode of [LOOP, PLAYBOOK]) {
      const { spec, container } = containerOf(await render({ mode }));
      expect(container.volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
    }
  });
});

test('the binding lets the run’s account edit the rig', async () => {
  const [binding] = await render();
  expect(binding).toEqual({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: {
      name: 'pd-rollout-loop-loops-edit',
      namespace: 'rig',
      labels: {
        'app.kubernetes.io/component': 'loop',
        'app.kubernetes.io/managed-by': 'mlcc',
        'app.kubernetes.io/part-of': 'pd-rollout',
      },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'ServiceAccount', name: 'loop-runner', namespace: 'loops' }],
  });
});
