import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog, schemaPaths } from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { isolatedEnv, makeProject, type TestProject } from '../support/project.js';

const catalog = loadCatalog();
let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

function python(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('python3', ['-B', ...args], {
    cwd: join(project.dir, 'do/lib/python'),
    env: isolatedEnv(project.home),
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** A field as the commands print it. */
function printed(value: unknown): string {
  const scalar = (item: unknown) => typeof item !== 'object';
  const lines = Array.isArray(value)
    ? value.every(scalar) && value.map(String)
    : typeof value === 'object' && value !== null
      ? Object.values(value).every(scalar) && Object.entries(value).map(([name, item]) => `${name}=${item}`)
      : [String(value)];
  if (!lines) return `${JSON.stringify(value)}\n`;
  return lines.map((line) => `${line}\n`).join('');
}

describe.each([
  [
    'target_manifest.py',
    'target',
    catalog.targets.map(({ manifest }) => [manifest.target, manifest] as const),
  ],
  [
    'serve_manifest.py',
    'engine',
    catalog.engines.map(({ manifest }) => [manifest.engine, manifest] as const),
  ],
] as const)('%s', (script, kind, manifests) => {
  const schema = JSON.parse(readFileSync(schemaPaths[kind], 'utf8')) as {
    properties: Record<string, unknown>;
  };
  const fields = Object.keys(schema.properties).filter((field) => field !== '$schema');

  test('knows every field of the schema, and no others', () => {
    const { code, stderr } = python([script, 'no-field', manifests[0]?.[0] ?? '']);
    expect(code).toBe(2);
    expect(stderr.trim().split('fields: ')[1]?.split(', ').sort()).toEqual([...fields].sort());
  });

  test('prints every field of every manifest, and exits 5 for one that is left out', () => {
    const questions = manifests.flatMap(([name, manifest]) =>
      fields.map((field) => ({
        name,
        field,
        value: (manifest as unknown as Record<string, unknown>)[field],
      })),
    );
    const code = `import sys, io, json, contextlib
import ${script.replace('.py', '')} as reader
answers = []
for field, name in json.loads(sys.argv[1]):
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()):
        code = reader.main([field, name])
    answers.append([code, text.getvalue()])
print(json.dumps(answers))`;
    const { stdout, stderr } = python([
      '-c',
      code,
      JSON.stringify(questions.map(({ field, name }) => [field, name])),
    ]);
    expect(stderr).toBe('');
    const answers = JSON.parse(stdout) as [number, string][];
    for (const [index, { name, field, value }] of questions.entries()) {
      const [exit, text = ''] = answers[index] ?? [];
      expect([name, field, exit]).toEqual([name, field, value === undefined ? 5 : 0]);
      if (value === undefined) expect(text).toBe('');
      else if (printed(value).startsWith('{') || printed(value).startsWith('['))
        expect(JSON.parse(text)).toEqual(value);
      else expect(text).toBe(printed(value));
    }
  });

  test('lists all of them', () => {
    expect(python([script, 'list']).stdout).toBe(manifests.map(([name]) => `${name}\n`).join(''));
  });

  test.each([[[]], [['list', 'x', 'y']], [['summary']]])('%j is a usage error', (args) => {
    const { code, stderr } = python([script, ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain('usage: ');
  });

  test('a name that is unknown exits 4 with the nearest one', () => {
    const [name = ''] = manifests[0] ?? [];
    const { code, stderr, stdout } = python([script, fields[0] ?? '', `${name}x`]);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain(`did you mean "${name}"?`);
  });

  test('a damaged manifest exits 1 and names the file', () => {
    const [name = ''] = manifests[0] ?? [];
    const folder = kind === 'target' ? 'targets.d' : 'serve.d';
    writeFileSync(join(project.dir, 'do', folder, name, 'manifest.json'), '{"target": ');
    const { code, stderr } = python([script, fields[0] ?? '', name]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${folder}/${name}/manifest.json: not JSON`);
    expect(stderr).not.toContain('Traceback');
  });
});

test('target_manifest.py canonical: names and aliases', () => {
  for (const { manifest } of catalog.targets) {
    for (const name of [manifest.target, ...manifest.aliases.slice(0, 1)]) {
      expect(python(['target_manifest.py', 'canonical', name])).toEqual({
        code: 0,
        stdout: `${manifest.target}\n`,
        stderr: '',
      });
    }
  }
  expect(python(['target_manifest.py', 'canonical', 'nowhere']).code).toBe(4);
});

describe('the schema that do/deploy uses survives damaged descriptors', () => {
  const code =
    'import json, deploy_schema as d; print(json.dumps([d.SCHEMAS, d.STATUS_VARS, d.TARGET_ALIASES, d.PARAMS]))';
  const tables = () => {
    const { stdout, stderr } = python(['-c', code]);
    return { tables: JSON.parse(stdout) as unknown, stderr };
  };
  const first = catalog.targets[0]?.manifest.target ?? '';

  test.each([
    ['all of them are gone', () => rmSync(join(project.dir, 'do/targets.d'), { recursive: true })],
    ['one is no JSON', () => damage('{')],
    ['one is no object', () => damage('[]')],
    ['one lacks a field', () => damage(JSON.stringify({ target: first }))],
    [
      'one is another target',
      () => damage(JSON.stringify({ ...catalog.targets[0]?.manifest, target: 'another' })),
    ],
    [
      'the shared variables are damaged',
      () => writeFileSync(join(project.dir, 'do/targets.d/variables.json'), 'no'),
    ],
  ])('when %s, and says so', (_, harm) => {
    const healthy = tables();
    expect(healthy.stderr).toBe('');
    harm();
    const damaged = tables();
    expect(damaged.tables).toEqual(healthy.tables);
    expect(damaged.stderr).toContain('warning: ');
    expect(damaged.stderr).toContain('targets.d');
    const deploy = project.run('do/deploy', ['--target', first, '--instance-type', '?']);
    expect(deploy.code).toBe(2);
    expect(deploy.stderr).toContain('--instance-type: "?" is not allowed');
  });

  const damage = (text: string) =>
    writeFileSync(join(project.dir, 'do/targets.d', first, 'manifest.json'), text);
});

test('the modules use the standard library of Python 3.8 and nothing of a target by name', () => {
  const folder = join(packageRoot, 'templates/do/lib/python');
  const files = readdirSync(folder).filter((name) => name.endsWith('.py'));
  const own = files.map((name) => name.replace('.py', ''));
  const check = `import ast, json, sys
own = set(json.loads(sys.argv[1]))
for file in sys.argv[2:]:
    tree = ast.parse(open(file, encoding="utf-8").read(), file, feature_version=(3, 8))
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.split(".")[0]
            if top not in own and top not in sys.stdlib_module_names:
                print(file, name)`;
  const { stdout, stderr } = python([
    '-c',
    check,
    JSON.stringify(own),
    ...files.map((name) => join(folder, name)),
  ]);
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  const names = catalog.targets.flatMap(({ manifest }) => [manifest.target, ...manifest.aliases]);
  for (const file of files) {
    const words = readFileSync(join(folder, file), 'utf8').match(/["'][a-z][a-z0-9-]*["']/g) ?? [];
    expect([file, words.filter((word) => names.includes(word.slice(1, -1)))]).toEqual([file, []]);
  }
});
