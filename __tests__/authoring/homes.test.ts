import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { stubs } from '../../lib/authoring/index.js';
import { loadCatalog, type TargetManifest } from '../../lib/catalog/index.js';
import { withConfigLock } from '../../lib/config/index.js';
import { packageName, packageRoot } from '../../lib/package/index.js';
import { snapshot } from '../do/support/deploy-project.js';
import { setConfig, writeProbe } from '../do/support/probe.js';
import { mlcc } from '../support/mlcc.js';
import { makeProject, type TestProject } from '../support/project.js';
import { edgeName, kindFlags, NewTargetProject } from './support/new-target-project.js';

const builtIn = loadCatalog().targets.map(({ manifest }) => manifest);
const kind = ['--family', 'kubernetes'];

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-homes-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = (name: string): string => {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name);
};

async function succeed(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await mlcc(args, { cwd, env });
  if (code !== 0) throw new Error(`mlcc ${args.join(' ')} ended with ${code}:\n${stderr}`);
  return stdout;
}

describe('the generator’s own tree', () => {
  let tree: string;
  beforeEach(() => {
    tree = folder('tree');
    for (const part of ['targets.d', 'serve.d'])
      cpSync(join(packageRoot, part), join(tree, part), { recursive: true });
    writeFileSync(join(tree, 'package.json'), JSON.stringify({ name: packageName }));
  });

  test.each(['.', 'targets.d', 'serve.d'])('is known from %s, and gains one folder', async (from) => {
    const before = snapshot(tree);
    await succeed(['add-target', 'edge', ...kind], join(tree, from));
    const after = snapshot(tree);
    const files = ['clean', 'deploy', 'manifest.json'].map((file) => `targets.d/edge/${file}`);
    expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual(files);
    expect(loadCatalog({ root: tree }).targets.map(({ manifest }) => manifest.target)).toContain('edge');
  });

  test('another package is none', async () => {
    writeFileSync(join(tree, 'package.json'), '{"name": "other"}');
    const { code, stderr } = await mlcc(['add-target', 'edge', ...kind], { cwd: tree });
    expect([code, stderr]).toEqual([2, expect.stringContaining('the targets that are there have faults')]);
  });

  test('its descriptors are written as its formatter would', async () => {
    const long = 'A_VARIABLE_WITH_A_LONG_NAME';
    const more = [1, 2, 3, 4].flatMap((n) => ['--required', `${long}_${n}`]);
    const sources = stubs().map((stub) => [edgeName(stub), ...kindFlags(stub), ...more]);
    for (const args of sources) await succeed(['add-target', ...args], tree);
    cpSync(join(packageRoot, 'biome.json'), join(tree, 'biome.json'));
    const config = JSON.parse(readFileSync(join(tree, 'biome.json'), 'utf8'));
    writeFileSync(join(tree, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }));
    const biome = join(packageRoot, 'node_modules/.bin/biome');
    const paths = sources.map(([name]) => `targets.d/${name}/manifest.json`);
    execFileSync(biome, ['format', ...paths], { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] });
  });
});

describe('a project', () => {
  let project: NewTargetProject;
  beforeEach(() => {
    project = new NewTargetProject();
  });
  afterEach(() => project.remove());

  test.each(['do', 'do/lib', '.'])('is known from %s', async (from) => {
    await succeed(['add-target', 'edge', ...kind], join(project.project.dir, from));
    expect(project.manifest('edge').target).toBe('edge');
  });

  test('is what --into names, also through a symbolic link', async () => {
    symlinkSync(project.project.dir, join(root, 'link'));
    await succeed(['add-target', 'edge', ...kind, '--into', 'link'], root);
    expect(project.manifest('edge').target).toBe('edge');
  });

  test('keeps edits beside generated text, settings, and lines that scripts wrote', async () => {
    const own = builtIn[0] as TargetManifest;
    setConfig(project.project, {
      [own.status_var]: own.success_status,
      INSTANCE_TYPE: 'ml.g6.xlarge',
      MINE: 'a b',
    });
    project.write('do/README.md', `${project.read('do/README.md')}\nMy own remark.\n`);
    const config = project.read('do/config').split('\n');
    await project.succeed('add-target', 'edge', ...kind);
    expect(project.read('do/README.md')).toContain('| `edge` |');
    expect(project.read('do/README.md')).toContain('\nMy own remark.\n');
    expect(
      project
        .read('do/config')
        .split('\n')
        .filter((line) => !config.includes(line)),
    ).toEqual(["export DEPLOYMENT_TARGET_EDGE_STATUS=''"]);
    expect(config.filter((line) => !project.read('do/config').split('\n').includes(line))).toEqual([]);
  });

  test.each([
    [
      'the map of the shell',
      'do/lib/targets.sh',
      (name: string) => new RegExp(`^${name}[|)]`, 'm'),
      '# mine\n$&',
    ],
    ['a table', 'do/README.md', (name: string) => new RegExp(`^\\| \`${name}\` \\|.*$`, 'm'), '| mine |'],
  ])('whose generated text was changed by hand (%s) is left alone: exit 3', async (_, path, line, to) => {
    // Right where the new target belongs.
    const neighbour = builtIn.find(({ target }) => target > 'edge') ?? builtIn.at(-1);
    const edited = project.read(path).replace(line(neighbour?.target ?? ''), to);
    expect(edited).not.toBe(project.read(path));
    project.write(path, edited);
    const before = project.snapshot();
    const { code, stderr } = await project.mlcc('add-target', 'edge', ...kind);
    expect([code, stderr]).toEqual([3, expect.stringContaining(path)]);
    expect(project.snapshot()).toEqual(before);
  });

  test('of another version is to be refreshed first: exit 3', async () => {
    project.write(
      '.yo-rc.json',
      project.read('.yo-rc.json').replace(/"version": "[^"]+"/, '"version": "0.0.1"'),
    );
    const before = project.snapshot();
    const { code, stderr } = await project.mlcc('add-target', 'edge', ...kind);
    expect([code, stderr]).toEqual([3, expect.stringContaining('mlcc regenerate first')]);
    expect(project.snapshot()).toEqual(before);
  });

  test('gains every one of several targets that are added at once', async () => {
    const names = ['edge-a', 'edge-b', 'edge-c'];
    await Promise.all(names.map((name) => project.succeed('add-target', name, ...kind)));
    for (const name of names) expect(project.read('do/lib/targets.sh')).toContain(`\n${name})`);
    expect(await project.succeed('regenerate', '--check')).toContain('nothing to do');
  });

  test('where generated text waits for a decision is refused: exit 3', async () => {
    const base = JSON.parse(project.read('.mlcc/base.json'));
    const pending = { 'do/README.md': { contents: 'proposed', executable: false } };
    project.write('.mlcc/base.json', JSON.stringify({ ...base, pending }));
    const before = project.snapshot();
    const { code, stderr } = await project.mlcc('add-target', 'edge', ...kind);
    expect([code, stderr]).toEqual([3, expect.stringContaining('mlcc regenerate --resolved do/README.md')]);
    expect(project.snapshot()).toEqual(before);
  });

  test('whose update was interrupted is completed first: exit 3', async () => {
    mkdirSync(join(project.project.dir, '.mlcc/journal'));
    project.write('.mlcc/journal/steps.json', '[]');
    const { code, stderr } = await project.mlcc('add-target', 'edge', ...kind);
    expect([code, stderr]).toEqual([3, expect.stringContaining('mlcc regenerate completes it')]);
  });

  test('whose update was interrupted while this waited for its lock is completed first, too', async () => {
    const journal = join(project.project.dir, '.mlcc/journal');
    let adding: ReturnType<typeof project.mlcc> | undefined;
    await withConfigLock(join(project.project.dir, 'do/config'), async () => {
      adding = project.mlcc('add-target', 'edge', ...kind);
      await new Promise((resolve) => setTimeout(resolve, 500));
      mkdirSync(journal);
      project.write('.mlcc/journal/steps.json', '[]');
    });
    expect(await adding).toMatchObject({ code: 3, stderr: expect.stringContaining('mlcc regenerate') });
    expect(existsSync(join(journal, 'steps.json'))).toBe(true);
  });

  test('without do/config is refused', async () => {
    project.delete('do/config');
    const { code, stderr } = await project.mlcc('add-target', 'edge', ...kind);
    expect([code, stderr]).toEqual([1, expect.stringContaining('do/config is missing')]);
  });

  test('does not get back a derived file that a person deleted', async () => {
    project.delete('do/README.md');
    const output = await project.succeed('add-target', 'edge', ...kind);
    expect(output).toContain('note: do/README.md was deleted by hand; it stays deleted');
    expect(existsSync(join(project.project.dir, 'do/README.md'))).toBe(false);
  });

  test('with Windows line ends keeps them', async () => {
    for (const path of ['do/README.md', 'do/config'])
      project.write(path, project.read(path).replaceAll('\n', '\r\n'));
    await project.succeed('add-target', 'edge', ...kind);
    expect(project.read('do/README.md')).toContain('| `edge` |');
    expect(project.read('do/README.md').replaceAll('\r\n', '')).not.toContain('\n');
    expect(project.config('DEPLOYMENT_TARGET_EDGE_STATUS')).toBe('');
  });

  test('without a last render gains a target all the same', async () => {
    project.delete('.mlcc/base.json');
    await project.succeed('add-target', 'edge', ...kind);
    expect(project.read('do/lib/targets.sh')).toContain('\nedge)');
  });

  test('shows its own targets with those of the generator', async () => {
    await project.succeed('add-target', 'edge', ...kind);
    const rows = JSON.parse(await project.succeed('targets', '--json')) as (TargetManifest & {
      origin: string;
    })[];
    expect(rows.map(({ target, origin }) => [target, origin])).toEqual(
      [...builtIn.map(({ target }) => [target, 'built-in']), ['edge', 'project']].sort(),
    );
  });

  test('several targets of one kind are live at once, each with resources of its own', async () => {
    const stub = stubs()[0];
    if (!stub) throw new Error('no stub');
    for (const name of ['edge-a', 'edge-b']) await project.succeed('add-target', name, ...kindFlags(stub));
    for (const name of ['edge-a', 'edge-b']) {
      project.prepare(project.manifest(name));
      project.do('deploy', '--target', name);
    }
    const half = project.aws.leftovers().length / 2;
    project.do('clean', '--target', 'edge-a', '--yes');
    expect(project.aws.leftovers()).toHaveLength(half);
    expect(project.config(project.manifest('edge-b').status_var)).toBe(stub.success_status);
    project.do('clean', '--target', 'edge-b', '--yes');
    expect(project.aws.leftovers()).toEqual([]);
  });

  test.each(builtIn.map(({ target }) => target))(
    '--like %s gives the same target under other names',
    async (like) => {
      const original = project.manifest(like);
      await project.succeed('add-target', 'edge', '--like', like, '--alias', 'rim', '--status-tag', 'RIM');
      const copy = JSON.stringify(project.manifest('edge')).replaceAll('_RIM_', '_TAG_');
      const tag = original.status_var.replace(/^DEPLOYMENT_TARGET(.*)STATUS$/, '$1');
      const { $schema: _, ...expected } = {
        ...original,
        target: 'edge',
        aliases: ['rim'],
        answer_key: 'deploymentTargetRimStatus',
        deploy_script: 'deploy.d/edge',
        clean_script: 'clean.d/edge',
      };
      expect(JSON.parse(copy)).toEqual(
        JSON.parse(JSON.stringify(expected).replaceAll(`TARGET${tag}`, 'TARGET_TAG_')),
      );
      for (const script of ['deploy', 'clean']) {
        expect(project.read(`do/${script}.d/edge`)).toBe(project.read(`do/${script}.d/${like}`));
      }
    },
  );

  test('what was asked for stands in the descriptor, in the prompts and in the flags', async () => {
    const args = [
      '--summary',
      'A place',
      '--required',
      'HP_RACK',
      '--optional',
      'HP_QUEUE=fast',
      '--verb',
      'adapter=no',
    ];
    const output = await project.succeed('add-target', 'edge', ...kind, ...args, '--success', 'InService');
    expect(project.manifest('edge')).toMatchObject({
      summary: 'A place',
      success_status: 'InService',
      required_vars: ['HP_RACK'],
      optional_vars: { HP_QUEUE: 'fast' },
      verbs: { adapter: false, benchmark: true },
      params: { HP_RACK: { flag: 'hp-rack', prompt: 'HP_RACK' }, HP_QUEUE: { flag: 'queue' } },
    });
    expect(output).toContain('manifest.json#/params/HP_RACK');
    expect(project.do('deploy', '--help')).toContain('--hp-rack VALUE');
    const { code, stderr } = project.run('deploy', '--target', 'edge', '--dry-run');
    expect([code, stderr]).toEqual([2, expect.stringContaining('HP_RACK')]);
  });
});

describe('a pack', () => {
  let pack: string;
  const env = () => ({ MLCC_TARGETS_PATH: pack });
  beforeEach(async () => {
    pack = join(root, 'pack');
    await succeed(['add-target', 'edge', ...kind, '--into', pack, '--alias', 'rim'], root);
  });

  /** A project that was made with the pack. */
  const scaffold = async (): Promise<string> => {
    await succeed(['new', 'demo', '--yes', '--targets-dir', pack], root);
    return join(root, 'demo');
  };

  test('is a folder of target folders, made where it was named, and listed with its origin', async () => {
    expect(readdirSync(join(pack, 'edge')).sort()).toEqual(['clean', 'deploy', 'manifest.json']);
    for (const options of [
      { args: ['--targets-dir', pack], env: {} },
      { args: [], env: env() },
    ]) {
      const rows = JSON.parse(await succeed(['targets', '--json', ...options.args], root, options.env));
      const row = rows.find((each: TargetManifest) => each.target === 'edge');
      expect(row).toMatchObject({ origin: 'pack', location: join(pack, 'edge') });
      const table = await succeed(['targets', ...options.args], root, options.env);
      expect(table).toMatch(new RegExp(`^edge +rim +pack ${pack} `, 'm'));
    }
  });

  test.each([
    ['name', (m: TargetManifest) => ({ ...m, target: builtIn[0]?.target ?? '' })],
    ['alias', (m: TargetManifest) => ({ ...m, aliases: [builtIn[0]?.target ?? ''] })],
    ['status variable', (m: TargetManifest) => ({ ...m, status_var: builtIn[0]?.status_var ?? '' })],
  ])('cannot take the %s of a built-in target: both are named', async (field, change) => {
    const name = field === 'name' ? (builtIn[0]?.target ?? '') : 'edge';
    const path = join(pack, 'edge/manifest.json');
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
    if (name !== 'edge') cpSync(join(pack, 'edge'), join(pack, name), { recursive: true });
    const { code, stderr } = await mlcc(['targets'], { cwd: root, env: env() });
    expect(code).not.toBe(0);
    expect(stderr).toContain(join(pack, name));
    expect(stderr).toContain(`targets.d/${builtIn[0]?.target}/manifest.json`);
  });

  test('a name in one pack is taken for another one, and for a project', async () => {
    const other = folder('other');
    const taken = expect.stringContaining('there is a target "edge" already: edge (pack');
    for (const cwd of [other, await scaffold()]) {
      const { code, stderr } = await mlcc(['add-target', 'edge', ...kind], { cwd, env: env() });
      expect([code, stderr]).toEqual([2, cwd === other ? taken : expect.stringContaining('already')]);
    }
  });

  test('its targets stay in a project that is refreshed without it, used or not', async () => {
    const dir = await scaffold();
    const before = snapshot(dir);
    expect(await succeed(['regenerate'], dir)).toContain('nothing to do');
    expect(snapshot(dir)).toEqual(before);
  });

  test('a newer version of it reaches the project when it is named, and stays afterwards', async () => {
    const dir = await scaffold();
    writeFileSync(join(pack, 'edge/deploy'), `${readFileSync(join(pack, 'edge/deploy'), 'utf8')}# newer\n`);
    await succeed(['regenerate', '--targets-dir', pack], dir);
    expect(readFileSync(join(dir, 'do/deploy.d/edge'), 'utf8')).toContain('# newer');
    expect(await succeed(['regenerate'], dir)).toContain('nothing to do');
  });

  test('a descriptor that this version does not take any more is named, and mended or deleted on disk', async () => {
    const dir = await scaffold();
    const path = join(dir, 'do/targets.d/edge/manifest.json');
    const sound = readFileSync(path, 'utf8');
    for (const file of [path, join(dir, '.mlcc/base.json')]) {
      const text = readFileSync(file, 'utf8').replaceAll(/("target\W+edge\W.*?)family/gs, '$1famly');
      expect(text).not.toBe(readFileSync(file, 'utf8'));
      writeFileSync(file, text);
    }
    const { code, stderr } = await mlcc(['regenerate'], { cwd: dir });
    expect([code, stderr]).toEqual([1, expect.stringContaining('do/targets.d/edge/manifest.json')]);
    const deleted = join(root, 'deleted');
    cpSync(dir, deleted, { recursive: true });
    writeFileSync(path, sound);
    await succeed(['regenerate'], dir);
    expect(readFileSync(path, 'utf8')).toBe(sound);
    expect(await succeed(['regenerate'], dir)).toContain('nothing to do');
    const derived = () => readFileSync(join(deleted, 'do/lib/targets.sh'), 'utf8');
    expect(derived()).toMatch(/\bedge\b/);
    rmSync(join(deleted, 'do/targets.d/edge'), { recursive: true });
    await succeed(['regenerate'], deleted);
    expect(derived()).not.toMatch(/\bedge\b/);
    expect(await succeed(['regenerate'], deleted)).toContain('nothing to do');
  });

  test('a damaged record of the last render is said, and nothing is taken from it', async () => {
    const dir = await scaffold();
    const base = join(dir, '.mlcc/base.json');
    const data = JSON.parse(readFileSync(base, 'utf8'));
    data.files['do/targets.d/other/manifest.json'] = 1;
    writeFileSync(base, JSON.stringify(data));
    expect(await succeed(['regenerate'], dir)).toContain('.mlcc/base.json is damaged');
    expect(await succeed(['regenerate'], dir)).toContain('nothing to do');
    expect(existsSync(join(dir, 'do/deploy.d/edge'))).toBe(true);
  });

  test('of 500 targets: the catalogue loads, a project is made, guarded, refreshed and extended', async () => {
    const manifest = readFileSync(join(pack, 'edge/manifest.json'), 'utf8');
    for (let n = 0; n < 500; n += 1) {
      const text = manifest
        .replaceAll('EDGE', `E${n}X`)
        .replace('TargetEdgeStatus', `TargetE${n}xStatus`)
        .replace('"rim"', `"rim-${n}"`)
        .replaceAll('"edge"', `"edge-${n}"`)
        .replaceAll('.d/edge"', `.d/edge-${n}"`);
      cpSync(join(pack, 'edge'), join(pack, `edge-${n}`), { recursive: true });
      writeFileSync(join(pack, `edge-${n}/manifest.json`), text);
    }
    const catalog = loadCatalog({ targetDirs: [pack] });
    expect(catalog.targets).toHaveLength(builtIn.length + 501);
    const project: TestProject = makeProject({ catalog });
    try {
      const probe = writeProbe(project, { guard: 'deployment-active' });
      for (const [name, code] of [
        ['edge-499', 0],
        ['rim-0', 3],
      ] as const) {
        setConfig(project, { DEPLOYMENT_TARGET: name, DEPLOYMENT_TARGET_E499X_STATUS: 'Running' });
        expect([name, project.run(probe).code]).toEqual([name, code]);
      }
      const { stdout } = project.run('do/deploy', ['--target', 'edge-250', '--dry-run'], {
        env: { AWS_REGION: 'eu-west-1', MLCC: 'true' },
      });
      expect(stdout).toContain('edge-250 (not deployed)');
      await succeed(['regenerate'], project.dir);
      await succeed(['add-target', 'one-more', ...kind], project.dir);
      expect(existsSync(join(project.dir, 'do/deploy.d/one-more'))).toBe(true);
      expect(await succeed(['regenerate', '--check'], project.dir)).toContain('nothing to do');
    } finally {
      project.remove();
    }
  });
});
