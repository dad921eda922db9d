import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { buildCatalog, builtInSources, type EngineManifest } from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { catalog, renderImage } from './support/engine-run.js';

describe.each(catalog.engines.map(({ manifest }) => [manifest.engine, manifest] as const))(
  'the manifest of %s',
  (engine, manifest) => {
    test('names every algorithm in the engine`s words, and nothing else', () => {
      expect(Object.keys(manifest.algorithm_map).sort()).toEqual([...manifest.supported_algorithms].sort());
      expect(manifest.speculative_decoding).toBe(manifest.supported_algorithms.length > 0);
    });

    test('gives a project the helpers that its serve uses, and no other', () => {
      const files = [...renderImage({ engine })].filter(([path]) => path.startsWith('code/'));
      const names = files.map(([path]) => path.slice('code/'.length)).filter((name) => name !== 'serve');
      expect(names).toEqual([...(manifest.helpers ?? [])].sort());
      for (const helper of names) {
        expect(existsSync(join(packageRoot, 'templates/serve', helper))).toBe(true);
        const word = helper.replace(/\.py$/, '');
        expect(files.some(([path, { contents }]) => !path.endsWith(helper) && contents.includes(word))).toBe(
          true,
        );
      }
      expect(files.filter(([, { executable }]) => executable).map(([path]) => path)).toEqual(['code/serve']);
    });

    test('asks, for adapters, for variables that reach the engine', () => {
      for (const name of Object.keys(manifest.adapter_api?.required_env ?? {})) {
        expect(name.startsWith(manifest.env_var_prefix)).toBe(true);
      }
    });
  },
);

/** The built-in engines with one change to one manifest: what is wrong with it? */
function faultsOf(
  engine: string,
  change: Partial<Record<keyof EngineManifest, unknown>> & Record<string, unknown>,
) {
  const sources = builtInSources();
  const engines = sources.engines.map((folder) => {
    if (folder.name !== engine) return folder;
    const text = readFileSync(join(packageRoot, 'serve.d', engine, 'manifest.json'), 'utf8');
    const changed = JSON.stringify({ ...JSON.parse(text), ...change });
    const files = new Map(folder.files).set('manifest.json', { contents: changed, executable: false });
    return { ...folder, files };
  });
  return buildCatalog({ ...sources, engines }).faults;
}

test('the manifests as they are have no fault', () => {
  expect(faultsOf('vllm', {})).toEqual([]);
});

test.each<[string, string, Record<string, unknown>]>([
  ['an unknown field', 'vllm', { enginee: 'x' }],
  ['a missing fact', 'vllm', { hot_reload: undefined }],
  ['a prefix without its underscore', 'vllm', { env_var_prefix: 'VLLM' }],
  ['decoding without an algorithm', 'vllm', { supported_algorithms: [], algorithm_map: {} }],
  [
    'algorithms without decoding',
    'lmi',
    { supported_algorithms: ['ngram'], algorithm_map: { ngram: 'ngram' } },
  ],
  ['hot reload without routes', 'lmi', { hot_reload: true }],
  ['routes without hot reload', 'vllm', { hot_reload: false }],
  ['an unknown dimension', 'lmi', { dimension_map: { dtype: 'DTYPE' } }],
  ['a suffix that is no variable', 'lmi', { dimension_map: { quantization: '--quantize' } }],
  ['metrics without a port', 'vllm', { metrics_endpoint: { path: '/metrics', format: 'prometheus' } }],
  ['an image without a tag', 'vllm', { base_image: 'vllm/vllm-openai' }],
  ['a registry`s port taken for a tag', 'vllm', { base_image: 'registry:5000/vllm' }],
  ['a helper in another folder', 'vllm', { helpers: ['../do/deploy.sh'] }],
])('%s is a fault', (_, engine, change) => {
  const faults = faultsOf(engine, change);
  expect(faults.length).toBeGreaterThan(0);
  expect(JSON.stringify(faults)).toContain(`serve.d/${engine}`);
});

test.each(['registry:5000/vllm:v1', `vllm/x@sha256:${'a'.repeat(64)}`, `x:v1@sha256:${'a'.repeat(64)}`])(
  'the image %s is allowed',
  (image) => {
    expect(faultsOf('vllm', { base_image: image })).toEqual([]);
  },
);
