import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Catalog, loadCatalog } from '../../lib/catalog/index.js';
import { parseConfig } from '../../lib/config/index.js';
import { verbs } from '../../lib/contract/index.js';
import { Failure } from '../../lib/failure/index.js';
import {
  allOptions,
  answerOf,
  BASE_PATH,
  packageTemplates,
  render,
  YO_RC_PATH,
} from '../../lib/project/index.js';
import { makeProject } from '../support/project.js';

const catalog = loadCatalog();
const names = catalog.targets.map(({ manifest }) => manifest.target);
const engines = catalog.engines.map(({ manifest }) => manifest.engine);
const contentsOf = (tree: ReturnType<typeof render>, path: string) => tree.get(path)?.contents ?? '';

describe.each(names)('a project for %s', (target) => {
  const tree = render({ projectName: 'demo', deploymentTarget: target }, catalog);
  const config = parseConfig(contentsOf(tree, 'do/config'));

  test('its config names the target, all of its variables, and every target’s empty status once', () => {
    const manifest = catalog.targets.find((other) => other.manifest.target === target)?.manifest;
    expect(config.get('DEPLOYMENT_TARGET')).toBe(target);
    for (const name of manifest?.required_vars ?? []) expect(config.get(name)).toBeDefined();
    for (const [name, value] of Object.entries(manifest?.optional_vars ?? {}))
      expect(config.get(name)).toBe(value);
    const keys = config.entries().map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const other of catalog.targets) expect(config.get(other.manifest.status_var)).toBe('');
    expect(keys).not.toContain('KUBECONFIG');
  });

  test('it holds every descriptor and script of the catalogue, whatever its own target is', () => {
    for (const { manifest, manifestText, deploy, clean } of catalog.targets) {
      expect(contentsOf(tree, `do/targets.d/${manifest.target}/manifest.json`)).toBe(manifestText);
      expect(tree.get(`do/${manifest.deploy_script}`)).toEqual({ contents: deploy, executable: true });
      expect(tree.get(`do/${manifest.clean_script}`)).toEqual({ contents: clean, executable: true });
    }
  });

  test('bash reads the config without executing anything', () => {
    const project = makeProject({ answers: { deploymentTarget: target } });
    const script = 'set -eu; . do/config; printf %s "$DEPLOYMENT_TARGET"';
    expect(execFileSync('bash', ['-c', script], { cwd: project.dir, encoding: 'utf8' })).toBe(target);
    project.remove();
  });
});

test.each(engines)('the engine %s brings its serve and its base image', (engine) => {
  const tree = render({ projectName: 'demo', engine }, catalog);
  const chosen = catalog.engines.find(({ manifest }) => manifest.engine === engine);
  expect(tree.get('code/serve')).toEqual({ contents: chosen?.serve, executable: true });
  expect(contentsOf(tree, 'Dockerfile')).toContain(chosen?.manifest.base_image ?? 'FROM');
});

test('rendering is deterministic: the order of answers, targets and engines does not matter', () => {
  const shuffled: Catalog = { ...catalog, targets: [...catalog.targets], engines: [...catalog.engines] };
  const once = render({ projectName: 'demo', description: 'd', engine: engines[0] ?? '' }, catalog);
  const again = render({ engine: engines[0] ?? '', description: 'd', projectName: 'demo' }, shuffled);
  expect([...again]).toEqual([...once]);
});

test('what runs is executable, what is data or sourced is not', () => {
  const tree = render({ projectName: 'demo' }, catalog);
  for (const [path, { contents, executable }] of tree) {
    const isVerb = /^do\/[a-z-]+$/.test(path) && path !== 'do/config';
    const isScript = isVerb || /^do\/(deploy|clean)\.d\//.test(path) || path === 'code/serve';
    if (isScript) expect([path, executable]).toEqual([path, true]);
    else expect([path, executable]).toEqual([path, contents.startsWith('#!')]);
  }
});

test('a verb is in the tree only when it is written, and its header repeats its row of the registry', () => {
  const tree = render({ projectName: 'demo' }, catalog);
  const present = [...tree.keys()].flatMap((path) => /^do\/([a-z-]+)$/.exec(path)?.[1] ?? []);
  for (const name of present) {
    const verb = verbs.find((row) => row.name === name);
    const contents = contentsOf(tree, `do/${name}`);
    expect(contents).toContain(
      `# type: ${verb?.type}\n# guard: ${verb?.guard}\n# lifecycle: ${verb?.lifecycle}\n`,
    );
    expect(contents).not.toContain('# targets: map');
  }
  expect(present).toEqual(expect.arrayContaining(['clean', 'config', 'deploy', 'export', 'status']));
});

test('the base holds every file but the records, and the records hold answers and version', () => {
  const tree = render({ projectName: 'demo' }, catalog, { version: '9.8.7', templates: packageTemplates() });
  const base = JSON.parse(contentsOf(tree, BASE_PATH));
  const recorded = [...tree.keys()].filter((path) => path !== BASE_PATH && path !== YO_RC_PATH);
  expect(Object.keys(base.files)).toEqual(recorded);
  expect(base.files['do/config'].contents).toBe(contentsOf(tree, 'do/config'));
  expect(base.version).toBe('9.8.7');
  expect(JSON.parse(contentsOf(tree, YO_RC_PATH))['generator-mlcc']).toMatchObject({
    version: '9.8.7',
    answers: { projectName: 'demo' },
  });
});

describe('answers', () => {
  test('[C14] an awkward answer is the same text everywhere, without entities', () => {
    const description = `R&D "7B" it's <fast>`;
    const tree = render({ projectName: 'demo', description }, catalog);
    expect(parseConfig(contentsOf(tree, 'do/config')).get('PROJECT_DESCRIPTION')).toBe(description);
    expect(contentsOf(tree, 'README.md')).toContain(`R&D "7B" it's \\<fast>`);
    for (const [path, { contents }] of tree) {
      expect([path, /&amp;|&#\d|&quot;|&lt;/.test(contents)]).toEqual([path, false]);
    }
  });

  // Every option that takes any one line of text, --model and --description among them.
  const free = allOptions(catalog).filter((option) => !option.pattern && !option.enum);

  test('the description and the model are free text', () => {
    expect(free.map(({ flag }) => flag)).toEqual(expect.arrayContaining(['description', 'model']));
  });

  test.each([
    `R&D "7B" it's <fast>`,
    'pa$word',
    '$(touch MARKER)',
    '`touch MARKER`',
    "it's; touch MARKER",
    '\\',
    '${HOME}',
    '${HOME:-x}',
    '🚀 a  b ',
    '-leading dash',
    '# *no* <!-- comment -->',
    '%s %d \'\'\'"""',
  ])(
    '[C04] the answer %j stays text: it is the same everywhere and nothing runs, under set -u too',
    (value) => {
      const answers = Object.fromEntries(free.map(({ answer }) => [answer, value]));
      const project = makeProject({ answers });
      const text = (path: string) => contentsOf(project.tree, path);
      for (const { variable, answer } of free) {
        const script = `set -euo pipefail; . do/config; printf %s "$${variable}"`;
        expect(execFileSync('bash', ['-c', script], { cwd: project.dir, encoding: 'utf8' })).toBe(value);
        expect(JSON.parse(text(YO_RC_PATH))['generator-mlcc'].answers[answer]).toBe(value);
      }
      const label =
        /^LABEL org\.opencontainers\.image\.description=(.*)$/m.exec(text('Dockerfile'))?.[1] ?? '';
      const unquoted = label.startsWith('"') ? label.slice(1, -1).replace(/\\(["\\$])/g, '$1') : label;
      expect(unquoted).toBe(value);
      const { code, stdout } = project.run('do/export');
      expect([code, JSON.parse(stdout).settings]).toEqual([
        0,
        expect.objectContaining({ MODEL_NAME: value }),
      ]);
      expect(project.run('do/status').code).toBe(0);
      expect(existsSync(join(project.dir, 'MARKER'))).toBe(false);
      project.remove();
    },
  );

  const refused = (answers: Record<string, string>): string => {
    try {
      render({ projectName: 'demo', ...answers }, catalog);
    } catch (failure) {
      expect(failure).toBeInstanceOf(Failure);
      expect((failure as Failure).exit).toBe(2);
      return (failure as Failure).lines().join('\n');
    }
    throw new Error('it was accepted');
  };

  test('[C28] a name that services would refuse is refused, and a good one suggested', () => {
    expect(refused({ projectName: 'my_model.v2' })).toContain('try: my-model-v2');
    expect(refused({ projectName: '7b-' })).toContain('try: b');
    expect(refused({ projectName: 'a'.repeat(64) })).toContain(`try: ${'a'.repeat(63)}`);
    expect(render({ projectName: 'a'.repeat(63) }, catalog).size).toBeGreaterThan(10);
  });

  test('all faults are listed at once, each with its flag', () => {
    const message = refused({ engine: 'vlm', awsRegion: 'mars', roleArn: 'x' });
    expect(message).toMatch(/3 answers/);
    expect(message).toMatch(/--engine: found "vlm"; allowed: .*did you mean "vllm"/);
    expect(message).toMatch(/--region: found "mars"/);
    expect(message).toMatch(/--role-arn: found "x"/);
  });

  test('an answer that is no text, as a damaged .yo-rc.json may hold, is refused', () => {
    const names = {
      projectName: 'projectName',
      deploymentTarget: '--target',
      engine: '--engine',
      other: 'other',
    };
    for (const [key, name] of Object.entries(names)) {
      expect(refused({ [key]: 7 as never })).toContain(`${name}: found 7; allowed: text`);
    }
  });

  test('a secret is refused and never repeated', () => {
    const token = 'hf_abcdefghijklmnopqrstuvwxyz012345';
    for (const key of ['description', 'modelName', 'hfTokenArn', 'somethingElse']) {
      const message = refused({ [key]: token });
      expect(message).toContain('Secrets Manager');
      expect(message).not.toContain(token);
    }
  });

  test('an unknown target names the known ones and the nearest', () => {
    const name = names[0] ?? '';
    const message = refused({ deploymentTarget: `${name}x` });
    expect(message).toContain(`did you mean "${name}"`);
    for (const known of names) expect(message).toContain(known);
  });

  test.each([
    ['of several lines', 'a\nb', 'a value is one line'],
    ['with a carriage return', 'a\rb', 'a value is one line'],
    ['with a NUL', 'a\0b', 'NUL'],
    ['with half a character', 'a\ud800', 'not valid Unicode'],
  ])('a value %s is refused', (_, description, expected) => {
    expect(refused({ description })).toMatch(new RegExp(`--description: .*${expected}`));
  });
});

test('a required setting that can be proposed is: a new project can be deployed without another question', () => {
  for (const target of catalog.targets) {
    for (const [name, { default_from: source }] of Object.entries(target.manifest.params ?? {})) {
      if (source === undefined) continue;
      const given = { projectName: 'my-model', deploymentTarget: target.manifest.target };
      const answer = answerOf(catalog, name);
      expect(parseConfig(contentsOf(render(given, catalog), 'do/config')).get(name)).toBe('my-model');
      const own = render({ ...given, [answer]: 'mine' }, catalog);
      expect(parseConfig(contentsOf(own, 'do/config')).get(name)).toBe('mine');
    }
  }
});

test('settings of another target that were answered are kept', () => {
  const [first, second] = catalog.targets;
  const variable = Object.keys(second?.manifest.optional_vars ?? {}).find(
    (name) => !catalog.variables[name] && !(name in (first?.manifest.optional_vars ?? {})),
  );
  if (!first || !variable) throw new Error('the catalogue has no such pair');
  const answer = variable.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const tree = render(
    { projectName: 'demo', deploymentTarget: first.manifest.target, [answer]: '3' },
    catalog,
  );
  expect(parseConfig(contentsOf(tree, 'do/config')).get(variable)).toBe('3');
});

test('values stand bare in templates: no escaped value inside quotes or a comment', () => {
  const faults: string[] = [];
  for (const [path, text] of packageTemplates()) {
    if (!path.endsWith('.ejs') || path.endsWith('.md.ejs')) continue;
    for (const [index, line] of text.split('\n').entries()) {
      const before = line.indexOf('<%=') < 0 ? undefined : line.slice(0, line.indexOf('<%='));
      if (before === undefined) continue;
      const quotes = (before.match(/["'`]/g) ?? []).length;
      if (quotes % 2 === 1 || /^\s*#/.test(before)) faults.push(`${path}:${index + 1}: ${line}`);
    }
  }
  expect(faults).toEqual([]);
});
