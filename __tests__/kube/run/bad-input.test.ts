import { describe, expect, test } from '@jest/globals';
import {
  containerOf,
  environmentOf,
  faultsOf,
  faultsOfInput,
  MANIFEST,
  PLAYBOOK,
  PROFILE,
  render,
  runInput,
  withValue,
} from './fixture.js';

function profileWith(path: readonly string[], value: unknown) {
  return { profile: withValue(PROFILE, path, value) };
}

/** Faults of a profile that is the smallest one with some lines at its end. */
function faultsOfProfileText(lines: string): Promise<readonly string[]> {
  const text = `[cluster]\nloop_namespace = "loops"\nrig_namespace = "rig"\nservice_account = "runner"\n[image]\nloop = "l:v1"\n${lines}`;
  return faultsOfInput({ ...runInput({ manifest: {}, mode: PLAYBOOK }), profile: { file: 'p.toml', text } });
}

describe('[C46] environment names that the cluster refuses', () => {
  test.each(['4K', 'a b', 'db:conn', 'A=B', '', 'é'])(
    '%p is refused by name, wherever it stands',
    async (name) => {
      const places = [
        profileWith(['env'], { [name]: 'v' }),
        profileWith(['secret_env'], [{ name, secret: 's', key: 'k' }]),
        profileWith(['domain', 'pd-rollout', 'env'], { [name]: 'v' }),
        { manifest: withValue(MANIFEST, ['agent', 'env'], { [name]: 'v' }) },
        { manifest: withValue(MANIFEST, ['deploy', 'env'], { [name]: 'v' }) },
        { manifest: withValue(MANIFEST, ['deploy', 'engine', 'env'], { [name]: 'v' }) },
      ];
      for (const place of places) {
        const faults = await faultsOf(place);
        expect(faults).toHaveLength(1);
        expect(faults[0]).toMatch(
          /^(profile\.test|crucible)\.toml:[0-9]+: .*must be an environment variable's name/,
        );
        if (!('profile' in place) || !Array.isArray(place.profile.secret_env))
          expect(faults[0]).toContain(`\`${name}\``);
      }
    },
  );

  test.each(['A', '_A', 'a.b-c', '-x'])('%p is a name', async (name) => {
    expect(environmentOf(await render(profileWith(['env'], { [name]: 'v' })))).toHaveProperty([name], 'v');
  });
});

describe('[C47] resources', () => {
  const gpu = (value: unknown) => faultsOf(profileWith(['resources', 'gpu'], value));

  test('a fraction of a GPU is refused', async () => {
    expect(await gpu(0.5)).toEqual([
      expect.stringMatching(/`resources\.gpu` must be a whole number of GPUs.*not 0\.5/),
    ]);
    expect(await gpu(-1)).toEqual([
      expect.stringContaining('`resources.gpu` must be a whole number of GPUs'),
    ]);
  });

  test('a request and a limit of GPUs cannot be told apart: there is one key, and both are the same', async () => {
    const resources = { gpu_request: 1, gpu_limit: 2 };
    expect(await faultsOf(profileWith(['resources'], resources))).toEqual([
      expect.stringContaining('unknown key `resources.gpu_request`'),
      expect.stringContaining('unknown key `resources.gpu_limit`'),
    ]);
    const { container } = containerOf(await render());
    expect(container.resources).toEqual({
      requests: { cpu: '5', memory: '9Gi', 'nvidia.com/gpu': '3' },
      limits: { cpu: '17', memory: '33Gi', 'nvidia.com/gpu': '3' },
    });
  });

  test.each([
    ['mem_request', '10GB', 'write 10G or 10Gi'],
    ['mem_limit', '10 gb', 'write 10G or 10Gi'],
    ['mem_limit', '64mb', 'write 64M or 64Mi'],
    ['mem_limit', '64kb', 'write 64k or 64Ki'],
    ['mem_request', 6, 'only 6 bytes: write a unit, as in 6Mi or 6Gi'],
    ['mem_request', '100m', 'as in 100Mi or 100Gi'],
    ['mem_request', 'lots', 'is not a quantity'],
    ['cpu_request', '2 cores', 'write 2, or 2m for thousandths'],
    ['cpu_request', '2Gi', 'not an amount of CPU'],
    ['cpu_request', 0, 'more than 0'],
    ['cpu_request', 0.0001, 'finer than a thousandth'],
  ])('%s = %p is refused with what to write', async (key, value, hint) => {
    const faults = await faultsOf(profileWith(['resources', key], value));
    expect(faults).toEqual([expect.stringContaining(hint)]);
    expect(faults[0]).toMatch(new RegExp(`^profile\\.test\\.toml:[0-9]+: \`resources\\.${key}\``));
  });

  test('a request above its limit is refused, also where one is a domain’s and one a default', async () => {
    const overlay = ['domain', 'pd-rollout', 'resources'];
    expect(await faultsOf(profileWith(overlay, { mem_request: '40Gi' }))).toEqual([
      expect.stringMatching(/^profile\.test\.toml:[0-9]+: mem_request 40Gi is more than mem_limit 32Gi$/),
    ]);
    const defaults = withValue(withValue(PROFILE, overlay, undefined), ['resources'], {
      cpu_request: '9500m',
    });
    expect(await faultsOf({ profile: defaults })).toEqual([
      expect.stringContaining('9500m is more than cpu_limit 8'),
    ]);
  });

  test('the defaults', async () => {
    const profile = withValue(withValue(PROFILE, ['domain'], undefined), ['resources'], undefined);
    expect(containerOf(await render({ profile })).container.resources).toEqual({
      requests: { cpu: '2', memory: '6Gi' },
      limits: { cpu: '8', memory: '16Gi' },
    });
  });
});

describe('TOML', () => {
  test('environment values keep the text as it is written', async () => {
    const text = `[cluster]
loop_namespace = "loops"
rig_namespace = "rig"
service_account = "runner"
[image]
loop = "l:v1"
[env]
FLOAT = 1.10
BIG = 9223372036854775807
DATE = 2001-12-14
TIME = 2001-12-15 02:59:43.100Z
HEX = 0x1F
GROUPED = 1_000
YES = true
EXPONENT = 1e3
TEXT = "0777"
`;
    const input = runInput({ manifest: {}, mode: PLAYBOOK });
    const { renderRun } = await import('../../../lib/kube/index.js');
    const objects = await renderRun({ ...input, profile: { file: 'p.toml', text } }, async (references) => {
      return new Map(references.map((reference) => [reference, reference]));
    });
    expect(environmentOf(objects)).toMatchObject({
      FLOAT: '1.10',
      BIG: '9223372036854775807',
      DATE: '2001-12-14',
      TIME: '2001-12-15 02:59:43.100Z',
      HEX: '0x1F',
      GROUPED: '1_000',
      YES: 'true',
      EXPONENT: '1e3',
      TEXT: '0777',
    });
  });

  test.each([
    [
      '[secrets]\npull_authfile = 1.10',
      'p.toml:8: `secrets.pull_authfile` must be text: write it in quotes, "1.10"',
    ],
    [
      '[secrets]\npull_authfile = 9007199254740993',
      'p.toml:8: `secrets.pull_authfile` must be text: write it in quotes, "9007199254740993"',
    ],
    [
      '[resources]\ngpu = 9007199254740993',
      'p.toml:8: `resources.gpu` must be an integer below 2^53, not 9007199254740993',
    ],
    [
      '[resources]\ngpu = 2001-12-14',
      'p.toml:8: `resources.gpu` must be a whole number of GPUs, 0 or more, not 2001-12-14',
    ],
    [
      '[env]\nA = 0777',
      'p.toml:8: `A`: not valid TOML: illegal leading zero; write the value in quotes if it is text',
    ],
    ['[env]\nA = yes', expect.stringMatching(/^p\.toml:8: `A`: not valid TOML: /)],
    ['[env]\nA = "1"\nA = "2"', expect.stringMatching(/^p\.toml:9: `A`: not valid TOML: .*redefin/)],
    ['[env', expect.stringMatching(/^p\.toml:7: not valid TOML: /)],
    ['[cluster]\nplatform = "x"', expect.stringMatching(/^p\.toml:7: not valid TOML: .*redefin/)],
    ['[env]\n__proto__ = "x"', expect.stringMatching(/^p\.toml:8: `__proto__`: not valid TOML: .*unsafe/)],
    ['[kluster]\ncontext = "a"', 'p.toml:7: unknown key `kluster`; did you mean `cluster`?'],
    [
      '[nothing-like-it]',
      expect.stringMatching(/^p\.toml:7: unknown key `nothing-like-it`; known here: cluster, domain, env, /),
    ],
    ['secrets = "x"', expect.stringContaining('p.toml:7: unknown key `image.secrets`')],
    ['[[secret_env]]\nname = "A"', 'p.toml:7: `secret_env[0]` lacks `secret`'],
    [
      '[secret_env]\nname = "A"',
      'p.toml:7: `secret_env` must be [[secret_env]] tables with name, secret and key, not a table',
    ],
    ['[domain]\nx = 1', 'p.toml:8: `domain.x` must be a table [domain.<name>], not 1'],
    [
      '[registries."r:5000"]\ninsecure = "yes"',
      'p.toml:8: `registries."r:5000".insecure` must be true or false, not "yes"',
    ],
  ])('%j is a clear error', async (lines, message) => {
    expect((await faultsOfProfileText(lines))[0]).toEqual(message);
  });

  test('a syntax error in one file does not hide the faults of the other', async () => {
    const input = runInput({ manifest: { agnet: {} } });
    const faults = await faultsOfInput({ ...input, profile: { file: 'p.toml', text: 'a = ' } });
    expect(faults).toEqual([
      'crucible.toml:1: unknown key `agnet`; did you mean `agent`?',
      expect.stringMatching(/^p\.toml:1: `a`: not valid TOML/),
    ]);
  });
});

describe('manifest', () => {
  test.each<[string, (typeof MANIFEST)[string], string]>([
    [
      'component',
      [
        { name: 'a', dir: 'x' },
        { name: 'a', dir: 'y' },
      ],
      'two components are called `a`',
    ],
    [
      'component',
      [{ name: 'registry', dir: 'x' }],
      'a component cannot be called `registry`: that is a key of [deploy]',
    ],
    ['component', undefined, '`composite` lacks its [[component]] tables'],
    ['composite', undefined, '`component` needs [composite] with a name'],
  ])('%s = %j', async (key, value, message) => {
    const manifest = withValue(
      withValue(withValue(MANIFEST, ['deploy', 'engine'], undefined), ['deploy', 'router'], undefined),
      [key],
      value,
    );
    expect(await faultsOf({ manifest })).toContainEqual(expect.stringContaining(message));
  });

  test('a [deploy.<component>] table of no component', async () => {
    const manifest = withValue(MANIFEST, ['deploy', 'enginee'], { registry: 'r' });
    expect(await faultsOf({ manifest })).toEqual([
      expect.stringMatching(
        /^crucible\.toml:[0-9]+: \[deploy\.enginee\] is for no component; there is engine, router$/,
      ),
    ]);
  });

  test('two components whose variables collide', async () => {
    const manifest = {
      ...MANIFEST,
      component: [
        { name: 'a-b', dir: 'x' },
        { name: 'a.B', dir: 'y' },
      ],
      deploy: { 'a-b': { registry: 'one' }, 'a.B': { registry: 'two' } },
    };
    expect(await faultsOf({ manifest })).toEqual([
      expect.stringContaining('components `a-b` and `a.B` both become `FORGE_A_B_REGISTRY`: rename one'),
    ]);
  });

  test('two components that set one variable to different values, and one that collides with ours', async () => {
    const manifest = withValue(MANIFEST, ['deploy', 'router', 'env'], {
      SHARED_SETTING: 'other',
      KUBECONFIG: 'x',
    });
    expect(await faultsOf({ manifest })).toEqual([
      expect.stringMatching(
        /\[deploy\.router\.env\] sets `SHARED_SETTING` to another value than \[deploy\.env\] \(crucible\.toml:[0-9]+\) does/,
      ),
      expect.stringContaining('[deploy.router.env] sets `KUBECONFIG`, which the renderer sets itself'),
    ]);
  });
});

describe('[C42] references with a digest', () => {
  const digest = `sha256:${'a1'.repeat(32)}`;

  test('tag and digest are taken as they are', async () => {
    expect(await faultsOf(profileWith(['image', 'loop'], `ghcr.io/o/i:v1@${digest}`))).toEqual([]);
  });

  test.each([digest.slice(0, -1), digest.toUpperCase().replace('SHA256', 'sha256'), 'md5:abc'])(
    '%s is refused at its line',
    async (bad) => {
      expect(await faultsOf(profileWith(['image', 'loop'], `ghcr.io/o/i:v1@${bad}`))).toEqual([
        expect.stringMatching(
          /^profile\.test\.toml:[0-9]+: 'ghcr\.io\/o\/i:v1@.*' is not a valid image reference: /,
        ),
      ]);
    },
  );

  test('a sandbox image that the manifest names by digest needs no tag to mean it', async () => {
    const manifest = withValue(MANIFEST, ['agent', 'sandbox_image'], `ghcr.io/o/i:v1@${digest}`);
    expect(containerOf(await render({ manifest })).container.args?.[3]).toBe('');
  });
});
