import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { pinImages } from '../../lib/kube/images/index.js';
import {
  type KubeObject,
  type PinImages,
  type RunInput,
  readManifestFile,
  readPackFiles,
  readSourceFile,
  renderRun,
  renderServing,
  type ServingInput,
  secretsOfRun,
  toYaml,
} from '../../lib/kube/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { validateObject } from '../support/kube-api/index.js';
import { hasProgram } from '../support/programs.js';
import { hasPyYaml, readWithJsYaml, readWithKubectl, readWithPyYaml } from './yaml/readers.js';

const EXAMPLES = join(packageRoot, 'docs', 'examples');

/** The command lines of the examples' README, as input. */
const RUNS: Record<string, Pick<RunInput, 'mode'> & { pack?: true }> = {
  'pd-rollout': { mode: { kind: 'loop', iterations: 20, maxCost: 50 } },
  'epp-tuning': { mode: { kind: 'loop', iterations: 40, maxCost: 25.5 } },
  'nightly-eval': {
    mode: { kind: 'playbook', maxCost: 5, maxTime: '90m', params: ['MODEL=small'] },
    pack: true,
  },
};

const pinFromLock: PinImages = (references, options) =>
  pinImages(references, { ...options, lockFile: join(EXAMPLES, 'mlcc.lock.json'), offline: true });

function inputOf(name: string): RunInput {
  const { mode, pack } = RUNS[name] as (typeof RUNS)[string];
  const path = join(EXAMPLES, name, 'crucible.toml');
  return {
    manifest: readManifestFile(path),
    profile: readSourceFile(join(EXAMPLES, 'profile.research.toml')),
    mode,
    ...(pack ? { pack: { files: readPackFiles(path) } } : {}),
  };
}

/** A project's `do/config` with the descriptors and the table that every project gets. */
function projectInputOf(name: string, targetName: string, engineName: string): ServingInput {
  const catalog = loadCatalog();
  const target = catalog.targets.find(({ manifest }) => manifest.target === targetName)?.manifest;
  const engine = catalog.engines.find(({ manifest }) => manifest.engine === engineName)?.manifest;
  if (!target || !engine) throw new Error(`no ${targetName} or ${engineName}`);
  return {
    config: readSourceFile(join(EXAMPLES, name, 'do', 'config')),
    overrides: new Map(),
    target,
    engine,
    accelerators: readFileSync(join(packageRoot, 'templates', 'do', 'lib', 'accelerators.txt'), 'utf8'),
  };
}

const PROJECTS: Record<string, () => ServingInput> = {
  'chat-eks': () => projectInputOf('chat-eks', 'eks', 'vllm'),
  'chat-hyperpod': () => projectInputOf('chat-hyperpod', 'hyperpod-eks', 'sglang'),
};

const RENDERERS: Record<string, () => Promise<KubeObject[]>> = {
  ...Object.fromEntries(Object.keys(RUNS).map((name) => [name, () => renderRun(inputOf(name), pinFromLock)])),
  ...Object.fromEntries(
    Object.entries(PROJECTS).map(([name, input]) => [name, () => renderServing(input(), pinFromLock)]),
  ),
};

describe.each(Object.entries(RENDERERS))('example %s', (name, render) => {
  test('renders to the committed YAML, byte by byte', async () => {
    expect(toYaml(await render())).toBe(readFileSync(join(EXAMPLES, 'rendered', `${name}.yaml`), 'utf8'));
  });

  test('every object fits the published schema of its kind, without a field that it does not know', async () => {
    expect((await render()).flatMap(validateObject)).toEqual([]);
  });

  test('reads back equal', async () => {
    const objects = await render();
    expect(readWithJsYaml(toYaml(objects))).toEqual(objects);
    if (hasPyYaml() || process.env.CI === 'true') expect(readWithPyYaml(toYaml(objects))).toEqual(objects);
    if (hasProgram('kubectl') || process.env.CI === 'true')
      expect(readWithKubectl(toYaml(objects))).toEqual(objects);
  });
});

test('every committed YAML belongs to an example', () => {
  const committed = readdirSync(join(EXAMPLES, 'rendered')).map((file) => file.replace('.yaml', ''));
  expect(committed.sort()).toEqual(Object.keys(RENDERERS).sort());
});

test('a field that its kind does not know is found', () => {
  expect(
    validateObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, daat: {} } as KubeObject),
  ).toEqual([expect.stringContaining('daat')]);
});

test('every secret and key that must exist is listed, with what needs it', () => {
  expect(secretsOfRun(inputOf('epp-tuning'))).toEqual([
    {
      namespace: 'autoresearch',
      secret: 'registry-pull',
      key: '.dockerconfigjson',
      neededBy: 'image.pull_secret',
    },
    {
      namespace: 'autoresearch',
      secret: 'sandbox-pull',
      key: '.dockerconfigjson',
      neededBy: 'secrets.pull_authfile',
    },
    {
      namespace: 'autoresearch',
      secret: 'forge-push',
      key: '.dockerconfigjson',
      neededBy: 'secrets.push_authfile',
    },
    { namespace: 'autoresearch', secret: 'epp-traces', key: 'api-key', neededBy: 'secret_env EPP_TRACE_KEY' },
    { namespace: 'autoresearch', secret: 'hugging-face', key: 'token', neededBy: 'secret_env HF_TOKEN' },
  ]);
});
