import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { BASE_PATH, render, YO_RC_PATH } from '../../lib/project/index.js';

// The golden projects show a reviewer what a change does to every project. Their bytes are checked here and by
// `npm run codegen -- --check`; what must be true of them whatever the bytes are stands below.
const root = join(packageRoot, '__tests__/golden');
const catalog = loadCatalog();
const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

test('there is a golden project per target, and no other', () => {
  expect(readdirSync(root).sort()).toEqual(catalog.targets.map(({ manifest }) => manifest.target));
});

describe.each(catalog.targets.map(({ manifest }) => [manifest.target, manifest] as const))(
  '%s',
  (name, manifest) => {
    const folder = join(root, name);
    const text = (path: string) => readFileSync(join(folder, path), 'utf8');

    test('is what its stored answers render to, byte for byte', () => {
      const { answers } = JSON.parse(text(YO_RC_PATH))['generator-mlcc'];
      const tree = new Map([...render(answers, catalog)].filter(([path]) => path !== BASE_PATH));
      expect(filesBelow(folder)).toEqual([...tree.keys()]);
      for (const [path, { contents, executable }] of tree) {
        expect([path, text(path)]).toEqual([path, contents]);
        expect([path, (statSync(join(folder, path)).mode & 0o100) !== 0]).toEqual([path, executable]);
      }
    });

    test('bash sees its target, its status and every awkward character of its description', () => {
      const script = `set -eu; . do/config; printf '%s|%s|%s' "$DEPLOYMENT_TARGET" "\${${manifest.status_var}}" "$PROJECT_DESCRIPTION"`;
      const seen = execFileSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
      expect(seen).toBe(`${name}||R&D "7B" it's <fast>, $(id) \`id\``);
    });

    test('its status is one row per target, and nothing is deployed', () => {
      const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
      const rows = JSON.parse(execFileSync(join(folder, 'do/status'), ['--json'], { encoding: 'utf8', env }));
      expect(rows.map(({ target }: { target: string }) => target)).toEqual(
        catalog.targets.map((row) => row.manifest.target),
      );
      for (const { status, focus, target } of rows)
        expect([status, focus]).toEqual(['not deployed', target === name]);
    });

    test('its documentation lists the settings and the verbs that are there', () => {
      const readme = text('do/README.md');
      for (const param of Object.values(manifest.params ?? {})) expect(readme).toContain(param.description);
      for (const verb of ['deploy', 'clean', 'status', 'export']) expect(readme).toContain(`\`do/${verb}\``);
      for (const verb of readme.matchAll(/^\| `do\/([a-z-]+)`/gm))
        expect(existsSync(join(folder, 'do', verb[1] ?? ''))).toBe(true);
    });
  },
);
