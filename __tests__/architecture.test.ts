import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../lib/package/index.js';

/** What each folder of lib/ may import; everything may import failure and package. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  failure: [],
  package: [],
  shell: [],
  catalog: ['shell'],
  contract: ['catalog'],
  config: ['shell', 'catalog'],
  project: ['shell', 'catalog', 'contract', 'config'],
  update: ['project', 'config', 'shell', 'catalog', 'contract'],
  authoring: ['shell', 'catalog', 'contract', 'config', 'project', 'update'],
  check: ['shell', 'catalog', 'contract', 'config', 'project', 'update'],
  kube: ['config', 'catalog'],
  cli: ['shell', 'catalog', 'contract', 'config', 'project', 'update', 'authoring', 'check', 'kube'],
};
const FOR_ALL = ['failure', 'package'];

const sources = readdirSync(join(packageRoot, 'lib'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name));

function* importsOf(file: string): Generator<string> {
  const text = readFileSync(file, 'utf8');
  for (const match of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    yield relative(join(packageRoot, 'lib'), resolve(dirname(file), match[1] ?? ''));
  }
}

test('a folder of lib/ imports only what the architecture allows it', () => {
  const violations: string[] = [];
  for (const file of sources) {
    const path = relative(join(packageRoot, 'lib'), file);
    const folder = path.split('/')[0] ?? '';
    for (const imported of importsOf(file)) {
      const other = imported.split('/')[0] ?? '';
      if (other !== folder && !FOR_ALL.includes(other) && !MAY_IMPORT[folder]?.includes(other)) {
        violations.push(`lib/${path} imports lib/${imported}`);
      }
    }
  }
  expect(violations).toEqual([]);
});

test('the architecture guide names every folder of lib/', () => {
  const guide = readFileSync(join(packageRoot, 'docs/architecture.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| .*$/gm)].join('\n');
  for (const folder of readdirSync(join(packageRoot, 'lib'))) expect(rows).toContain(`\`lib/${folder}\``);
  expect(Object.keys(MAY_IMPORT).sort()).toEqual(readdirSync(join(packageRoot, 'lib')).sort());
});

test('another folder is imported through its face only', () => {
  const violations: string[] = [];
  for (const file of sources) {
    const path = relative(join(packageRoot, 'lib'), file);
    for (const imported of importsOf(file)) {
      const [folder, ...rest] = imported.split('/');
      if (folder !== path.split('/')[0] && rest.join('/') !== 'index.js')
        violations.push(`lib/${path}: lib/${imported}`);
    }
  }
  expect(violations).toEqual([]);
});

test('no folder of the package’s first level has an index that Yeoman would take for a generator', () => {
  const found = readdirSync(packageRoot, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .filter((entry) =>
      readdirSync(join(packageRoot, entry.name)).some((name) => /^index\.[cm]?[jt]s$/.test(name)),
    )
    .map((entry) => entry.name);
  expect(found).toEqual([]);
});

test('the headless commands never load Yeoman, and the cluster client only when it is used', () => {
  const statically = (name: string) =>
    sources.filter((file) => new RegExp(`^import [^;]*'${name}`, 'm').test(readFileSync(file, 'utf8')));
  expect(statically('yeoman-generator')).toEqual([]);
  expect(statically('inquirer')).toEqual([]);
  const client = sources.filter((file) =>
    /^import (?!type)[^;]*'@kubernetes\/client-node'/m.test(readFileSync(file, 'utf8')),
  );
  expect(client).toEqual([]);
});

test('the lock file has no download addresses', () => {
  expect(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
});
