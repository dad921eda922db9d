import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Catalog, loadCatalog, type Target } from '../../lib/catalog/index.js';
import { verbs } from '../../lib/contract/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { targetsGuidanceSh, targetsSh } from '../../lib/project/targets-sh.js';

const catalog = loadCatalog();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mlcc-targets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sources a generated file with arguments under strict settings, and shows these variables and the exit code. */
function source(text: string, args: readonly string[], shown: readonly string[]): string[] {
  const file = join(folder, 'generated.sh');
  writeFileSync(file, text);
  const show = shown.map((name) => `"\${${name}-}"`).join(' ');
  const script = `set -euo pipefail; code=0; . "$0" "$@" || code=$?; printf '%s\\n' "$code" ${show}`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, file, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

const many = (count: number): Catalog => {
  const [first] = catalog.targets;
  if (!first) throw new Error('an empty catalogue');
  const copy = (index: number): Target => ({
    ...first,
    manifest: {
      ...first.manifest,
      target: `target-${index}`,
      aliases: [`t${index}`],
      status_var: `DEPLOYMENT_TARGET_T${index}_STATUS`,
      verb_guidance: { draft: `it's "$(touch MARKER)" \\ ${index}` },
    },
  });
  return { ...catalog, targets: Array.from({ length: count }, (_, index) => copy(index)) };
};

describe.each(catalog.targets)('$manifest.target', ({ manifest }) => {
  test.each([manifest.target, ...manifest.aliases])('is what %s stands for', (name) => {
    const [code, record = ''] = source(targetsSh(catalog), [name], ['_TARGET_RECORD']);
    const [target, tag, success, family, invocation, workload, endpoint, serving, ...allowed] =
      record.split(' ');
    expect({ code, target, success, family, invocation, workload, serving }).toEqual({
      code: '0',
      target: manifest.target,
      success: manifest.success_status,
      family: manifest.family,
      invocation: manifest.invocation,
      workload: manifest.workload,
      serving: manifest.serving_config_source,
    });
    expect(`DEPLOYMENT_TARGET_${tag}_STATUS`).toBe(manifest.status_var);
    expect(endpoint === 'yes').toBe(manifest.sagemaker_endpoint);
    const expected = Object.entries(manifest.verbs).flatMap(([verb, yes]) => (yes ? [verb] : []));
    expect(allowed.sort()).toEqual(expected.sort());
  });
});

test.each([[], [''], ['nowhere'], ['*'], ['eks batch']])(
  'the name %j is unknown, and all names are told',
  (...args) => {
    const [code, record, names] = source(targetsSh(catalog), args, ['_TARGET_RECORD', '_TARGET_NAMES']);
    expect({ code, record }).toEqual({ code: '1', record: '' });
    expect(names).toBe(catalog.targets.map(({ manifest }) => manifest.target).join(' '));
  },
);

test('500 targets: the last one is found, by its alias too', () => {
  const text = targetsSh(many(500));
  expect(source(text, ['t499'], ['_TARGET_RECORD'])[1]).toMatch(/^target-499 T499 /);
});

test('guidance of a descriptor is text, never code', () => {
  const text = targetsGuidanceSh(many(2));
  expect(source(text, ['target-1', 'draft'], ['_GUIDANCE'])).toEqual(['0', `it's "$(touch MARKER)" \\ 1`]);
  expect(source(text, ['target-1', 'benchmark'], ['_GUIDANCE'])).toEqual(['0', '']);
});

test('the restricted verbs are those of the registry', () => {
  const [, names] = source(targetsGuidanceSh(catalog), [], ['_RESTRICTED_VERBS']);
  expect(names?.split(' ')).toEqual(verbs.flatMap(({ name, targets }) => (targets === 'map' ? [name] : [])));
});

test('what every verb reads first stays small: 3 KB, and 6 KB with the targets', () => {
  const hot = readFileSync(join(packageRoot, 'templates/do/lib/script-contract.sh')).length;
  expect(hot).toBeLessThan(3 * 1024);
  expect(hot + Buffer.byteLength(targetsSh(catalog))).toBeLessThan(6 * 1024);
});
