import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { stubs } from '../../lib/authoring/index.js';
import { loadCatalog } from '../../lib/catalog/index.js';
import { packageName, packageRoot } from '../../lib/package/index.js';
import { defaultTarget } from '../../lib/project/index.js';
import { snapshot } from '../do/support/deploy-project.js';
import { setConfig } from '../do/support/probe.js';
import { mlcc } from '../support/mlcc.js';
import { edgeName, kindFlags, NewTargetProject } from './support/new-target-project.js';

const catalog = loadCatalog();
const builtIn = catalog.targets.map(({ manifest }) => manifest);
const kind = ['--family', 'kubernetes'];

describe('in a project', () => {
  let project: NewTargetProject;
  beforeEach(() => {
    project = new NewTargetProject();
  });
  afterEach(() => project.remove());

  /** Runs remove-target, which must refuse and change nothing. */
  const refused = async (...args: string[]): Promise<[number, string]> => {
    const before = project.snapshot();
    const { code, stderr } = await project.mlcc('remove-target', ...args);
    expect(project.snapshot()).toEqual(before);
    return [code, stderr];
  };

  test.each(stubs().map((stub) => [edgeName(stub), stub] as const))(
    'what add-target did for %s is undone, byte for byte',
    async (name, stub) => {
      const before = project.snapshot();
      await project.succeed('add-target', name, ...kindFlags(stub));
      await project.succeed('remove-target', name);
      expect(project.snapshot()).toEqual(before);
      expect(await project.succeed('regenerate', '--check')).toContain('nothing to do');
    },
  );

  test('a target that is deployed is refused until it is cleaned; then its records go, too', async () => {
    const stub = stubs()[0];
    if (!stub) throw new Error('no stub');
    await project.succeed('add-target', 'edge', ...kindFlags(stub));
    const manifest = project.manifest('edge');
    project.prepare(manifest);
    project.do('deploy', '--target', 'edge');
    setConfig(project.project, { DEPLOYMENT_TARGET: builtIn[0]?.target ?? '' });
    expect(await refused('edge', '--yes')).toEqual([
      3,
      expect.stringMatching(/is InService[\s\S]*do\/clean --target edge/),
    ]);
    project.do('clean', '--target', 'edge', '--yes');
    expect(project.read('do/config')).toContain('DEPLOYMENT_TARGET_EDGE_ENDPOINT');
    await project.succeed('remove-target', 'edge');
    expect(project.read('do/config')).not.toContain('DEPLOYMENT_TARGET_EDGE_');
    expect(await project.succeed('regenerate')).toContain('done');
    expect(await project.succeed('regenerate')).toContain('nothing to do');
  });

  test('what is recorded without a status counts as deployed', async () => {
    await project.succeed('add-target', 'edge', ...kind);
    setConfig(project.project, { DEPLOYMENT_TARGET_EDGE_NAME: 'left' });
    expect(await refused('edge')).toEqual([3, expect.stringContaining('DEPLOYMENT_TARGET_EDGE_NAME')]);
  });

  test.each(['edge', 'rim'])('a target that the verbs work on, as %s, is refused', async (focus) => {
    await project.succeed('add-target', 'edge', ...kind, '--alias', 'rim');
    setConfig(project.project, { DEPLOYMENT_TARGET: focus });
    expect(await refused('edge')).toEqual([3, expect.stringContaining('mlcc config set DEPLOYMENT_TARGET')]);
  });

  test('a target that was the answer and is not in focus any more goes from the answers', async () => {
    await project.succeed('add-target', 'edge', ...kind);
    setConfig(project.project, { DEPLOYMENT_TARGET: 'edge' });
    await project.succeed('regenerate');
    expect(project.read('.yo-rc.json')).toContain('"deploymentTarget": "edge"');
    const other = builtIn[0]?.target ?? '';
    setConfig(project.project, { DEPLOYMENT_TARGET: other });
    await project.succeed('remove-target', 'edge');
    expect(project.read('.yo-rc.json')).toContain(`"deploymentTarget": "${other}"`);
    await project.succeed('regenerate');
    expect(await project.succeed('regenerate')).toContain('nothing to do');
    expect(project.config('DEPLOYMENT_TARGET')).toBe(other);
  });

  test.each(['deploy', 'clean'])('an edited %s script is not lost without a yes', async (script) => {
    await project.succeed('add-target', 'edge', ...kind);
    project.write(`do/${script}.d/edge`, `${project.read(`do/${script}.d/edge`)}# work\n`);
    expect(await refused('edge')).toEqual([3, expect.stringContaining(`do/${script}.d/edge\n→ keep a copy`)]);
    const output = await project.succeed('remove-target', 'edge', '--yes');
    expect(output).toContain(`removed   do/${script}.d/edge`);
    expect(existsSync(join(project.project.dir, `do/${script}.d/edge`))).toBe(false);
  });

  test('assets are work, too, and go with the target', async () => {
    await project.succeed('add-target', 'edge', ...kind);
    const folder = join(project.project.dir, 'do/targets.d/edge/files');
    mkdirSync(folder);
    writeFileSync(join(folder, 'policy.json'), '{}');
    expect(await refused('edge')).toEqual([3, expect.stringContaining('files/policy.json')]);
    await project.succeed('remove-target', 'edge', '--yes');
    expect(existsSync(join(project.project.dir, 'do/targets.d/edge'))).toBe(false);
  });

  test.each(builtIn.map(({ target }) => target))(
    '%s comes with the generator and is refused',
    async (target) => {
      setConfig(project.project, {
        DEPLOYMENT_TARGET: builtIn.find((other) => other.target !== target)?.target ?? '',
      });
      expect(await refused(target, '--yes')).toEqual([
        2,
        expect.stringContaining('comes with the generator'),
      ]);
    },
  );

  test.each(['nothing', '../edge', ''])('"%s" is no target', async (name) => {
    expect(await refused(name)).toEqual([2, expect.stringContaining(`there is no target "${name}"`)]);
  });
});

describe('elsewhere', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-remove-')));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const run = (...args: string[]) => mlcc(args, { cwd: root });

  test('a pack loses the folder alone; edited scripts need a yes', async () => {
    for (const name of ['edge', 'other']) await run('add-target', name, ...kind);
    const before = snapshot(root);
    writeFileSync(join(root, 'edge/deploy'), '#!/bin/bash\n# work\n');
    expect(await run('remove-target', 'edge')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('edge/deploy'),
    });
    expect((await run('remove-target', 'edge', '--yes')).code).toBe(0);
    const others = Object.entries(before).filter(([path]) => path.startsWith('other/'));
    expect(snapshot(root)).toEqual(Object.fromEntries(others));
    const [first] = builtIn;
    expect((await run('remove-target', first?.target ?? '')).code).toBe(2);
  });

  test('the generator’s tree loses a built-in target, but not the one that new projects start with', async () => {
    for (const part of ['targets.d', 'serve.d'])
      cpSync(join(packageRoot, part), join(root, part), { recursive: true });
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: packageName }));
    const initial = defaultTarget(catalog);
    expect(await run('remove-target', initial, '--yes')).toMatchObject({ code: 3 });
    const other = builtIn.find(({ target }) => target !== initial)?.target ?? '';
    expect(await run('remove-target', other)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`${other}/deploy`),
    });
    expect((await run('remove-target', other, '--yes')).code).toBe(0);
    expect(existsSync(join(root, 'targets.d', other))).toBe(false);
    expect(loadCatalog({ root }).targets).toHaveLength(builtIn.length - 1);
  });

  test('a pack’s target that a project was made with goes, and does not come back while the pack is named', async () => {
    const pack = join(root, 'pack');
    await run('add-target', 'edge', ...kind, '--into', pack);
    await run('new', 'demo', '--yes', '--targets-dir', pack);
    const inProject = (...args: string[]) => mlcc(args, { cwd: join(root, 'demo') });
    expect(await inProject('remove-target', 'edge', '--targets-dir', pack)).toMatchObject({ code: 0 });
    expect(existsSync(join(root, 'demo/do/deploy.d/edge'))).toBe(false);
    expect((await inProject('regenerate', '--check', '--targets-dir', pack)).code).toBe(0);
    expect((await inProject('regenerate', '--check')).code).toBe(0);
  });
});
