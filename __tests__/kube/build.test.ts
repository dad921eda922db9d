import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../lib/package/index.js';

let out: string;

beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'build-'));
  const compiler = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  // Type errors elsewhere are the type check's business: what is written is what counts here.
  spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', out], { cwd: packageRoot });
});

afterAll(() => {
  rmSync(out, { recursive: true });
});

test('the built package carries the schemas beside the code that reads them', () => {
  for (const name of ['profile', 'manifest']) {
    expect(existsSync(join(out, 'lib', 'kube', 'schemas', `${name}.schema.json`))).toBe(true);
  }
  expect(existsSync(join(out, 'lib', 'kube', 'schemas', 'validate.js'))).toBe(true);
});

test('the declarations of the public face, and all that they import, do not need the types of Kubernetes', () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    expect([file, text.includes('kubernetes-types')]).toEqual([file, false]);
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+)\.js'/g))
      visit(resolve(dirname(file), `${path}.d.ts`));
  };
  visit(join(out, 'lib', 'kube', 'index.d.ts'));
  expect(seen.size).toBeGreaterThan(5);
});
