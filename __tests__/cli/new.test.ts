import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { parseConfig } from '../../lib/config/index.js';
import { allOptions, type ProjectOption, projectOptions, render } from '../../lib/project/index.js';
import { mlcc } from '../support/mlcc.js';

const catalog = loadCatalog();
const names = catalog.targets.map(({ manifest }) => manifest.target);
let cwd: string;

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-new-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const configOf = (folder = 'demo') => parseConfig(readFileSync(join(cwd, folder, 'do/config'), 'utf8'));
const answersFile = (data: unknown) => {
  writeFileSync(join(cwd, 'answers.json'), typeof data === 'string' ? data : JSON.stringify(data));
  return ['--answers', 'answers.json'];
};

test.each(names)(
  'mlcc new demo --target %s --yes writes what render gives, and says what to do next',
  async (target) => {
    const { code, stdout, stderr } = await mlcc(['new', 'demo', '--target', target, '--yes'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('do/deploy --dry-run');
    for (const [path, { contents, executable }] of render(
      { projectName: 'demo', deploymentTarget: target },
      catalog,
    )) {
      expect(readFileSync(join(cwd, 'demo', path), 'utf8')).toBe(contents);
      expect([path, (statSync(join(cwd, 'demo', path)).mode & 0o777).toString(8)]).toEqual([
        path,
        executable ? '755' : '644',
      ]);
    }
    expect(readdirSync(cwd)).toEqual(['demo']);
  },
);

describe('every option of a target, as a flag, as --flag=value, from the environment, from an answers file', () => {
  const sample = (option: ProjectOption): string => {
    const candidates = [
      ...(option.enum ?? []).slice(-1),
      ...[
        '2',
        'ml.g6.xlarge',
        'eu-west-1',
        'some-name',
        's3://bucket/prefix',
        'ml.g5.xlarge,ml.g6.xlarge',
        '4096',
      ],
      'arn:aws:iam::123456789012:role/x',
      'arn:aws:sns:eu-west-1:123456789012:x',
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:x',
    ];
    const fits = candidates.find((value) => !option.pattern || new RegExp(option.pattern, 'u').test(value));
    if (fits === undefined) throw new Error(`no sample for --${option.flag}`);
    return fits;
  };

  test.each(catalog.targets.map((target) => [target.manifest.target, target] as const))(
    '%s',
    async (name, target) => {
      const options = projectOptions(catalog, target)
        .filter(({ answer }) => answer !== 'deploymentTarget')
        .map((option) => ({ ...option, value: sample(option) }));
      const ways: [string[], Record<string, string>][] = [
        [options.flatMap(({ flag, value }) => [`--${flag}`, value]), {}],
        [options.map(({ flag, value }) => `--${flag}=${value}`), {}],
        [[], Object.fromEntries(options.map(({ env, value }) => [env, value]))],
        [answersFile(Object.fromEntries(options.map(({ answer, value }) => [answer, value]))), {}],
      ];
      for (const [index, [args, env]] of ways.entries()) {
        const folder = `demo${index}`;
        const { code, stderr } = await mlcc(['new', folder, '--target', name, '--yes', ...args], {
          cwd,
          env,
        });
        expect([code, stderr]).toEqual([0, '']);
        const config = configOf(folder);
        for (const { flag, variable, value } of options)
          expect([flag, config.get(variable)]).toEqual([flag, value]);
      }
    },
  );
});

test('a flag wins over the environment, and the environment over an answers file', async () => {
  const file = answersFile({ description: 'from the file', modelName: 'from/file', awsRegion: 'eu-west-1' });
  const env = { MLCC_DESCRIPTION: 'from the environment', MLCC_MODEL: 'from/environment' };
  await mlcc(['new', 'demo', '--yes', ...file, '--description', 'from the flag'], { cwd, env });
  expect(configOf().get('PROJECT_DESCRIPTION')).toBe('from the flag');
  expect(configOf().get('MODEL_NAME')).toBe('from/environment');
  expect(configOf().get('AWS_REGION')).toBe('eu-west-1');
});

test('an alias of a target means the target', async () => {
  for (const { manifest } of catalog.targets) {
    for (const alias of manifest.aliases) {
      expect((await mlcc(['new', alias, '--target', alias, '--yes'], { cwd })).code).toBe(0);
      expect(configOf(alias).get('DEPLOYMENT_TARGET')).toBe(manifest.target);
    }
  }
});

describe('nothing is written when', () => {
  const untouched = () => expect(readdirSync(cwd).filter((name) => name !== 'answers.json')).toEqual([]);

  test('[C13] nobody can be asked: exit 2, and every missing option is named', async () => {
    const { code, stderr } = await mlcc(['new'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('<name>');
    for (const { flag, prompt } of projectOptions(
      catalog,
      catalog.targets.find(
        ({ manifest }) => manifest.target === catalog.variables.DEPLOYMENT_TARGET?.default,
      ) ?? (catalog.targets[0] as never),
    )) {
      if (prompt) expect(stderr).toContain(`--${flag}`);
    }
    const yes = await mlcc(['new', '--yes'], { cwd });
    expect([yes.code, yes.stderr]).toEqual([2, expect.stringContaining('<name>')]);
    untouched();
  });

  test('a flag is misspelt: the nearest one is named', async () => {
    const { code, stderr } = await mlcc(['new', 'demo', '--yes', '--regoin', 'eu-west-1'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--region')]);
    untouched();
  });

  test('a flag has no value: the next flag is not taken for one', async () => {
    for (const args of [
      ['--region', '--yes'],
      ['--dest', '--dry-run'],
      ['--answers', '--target=x'],
    ]) {
      const { code, stderr } = await mlcc(['new', 'demo', '--yes', ...args], { cwd });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`${args[0]} needs a value; found ${args[1]}`),
      ]);
    }
    untouched();
  });

  test('--here and --dest are given together', async () => {
    const { code, stderr } = await mlcc(['new', 'demo', '--yes', '--here', '--dest', 'x'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('exclude each other')]);
    untouched();
  });

  test('a flag belongs to other targets: they are named', async () => {
    const options = allOptions(catalog);
    const foreign = options.find(({ targets }) => targets.length < names.length);
    const target = names.find((name) => !foreign?.targets.includes(name)) ?? '';
    const { code, stderr } = await mlcc(
      ['new', 'demo', '--yes', '--target', target, `--${foreign?.flag}`, '1'],
      { cwd },
    );
    expect(code).toBe(2);
    expect(stderr).toContain(`--${foreign?.flag} is not a setting of the target ${target}`);
    for (const owner of foreign?.targets ?? []) expect(stderr).toContain(owner);
    untouched();
  });

  test.each([
    ['missing', undefined, 'nowhere.json\n  it does not exist'],
    ['not JSON', '{ "modelName": ', 'the answers file answers.json is not JSON'],
    ['a list', '["demo"]', 'one JSON object'],
    ['with an unknown answer', { modlName: 'x' }, 'modlName: unknown answer (did you mean "modelName"?)'],
    ['with a number', { modelName: 7 }, 'modelName: found 7'],
    ['with a secret', { description: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789' }, 'looks like'],
  ])('the answers file is %s', async (_, data, message) => {
    const args = data === undefined ? ['--answers', 'nowhere.json'] : answersFile(data);
    const { code, stderr } = await mlcc(['new', 'demo', '--yes', ...args], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    untouched();
  });

  test('--dry-run lists the files', async () => {
    const { code, stdout } = await mlcc(['new', 'demo', '--yes', '--dry-run'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('demo/do/deploy\n');
    untouched();
  });

  test('[C17] files are in the way: exit 2, all of them listed, no other file touched', async () => {
    mkdirSync(join(cwd, 'demo/do'), { recursive: true });
    writeFileSync(join(cwd, 'demo/README.md'), 'mine');
    writeFileSync(join(cwd, 'demo/do/status'), 'mine');
    writeFileSync(join(cwd, 'demo/package.json'), '{}');
    const { code, stderr } = await mlcc(['new', 'demo', '--yes'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/2 files.*nothing was written\n {2}README\.md\n {2}do\/status\n/);
    expect(readdirSync(join(cwd, 'demo')).sort()).toEqual(['README.md', 'do', 'package.json']);
    expect(readFileSync(join(cwd, 'demo/README.md'), 'utf8')).toBe('mine');
    expect(readdirSync(cwd)).toEqual(['demo']);
  });
});

test('a folder with other files is scaffolded into, and they are left alone; --here takes its name', async () => {
  const folder = join(cwd, 'my-model');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect((await mlcc(['new', '--here', '--yes'], { cwd: folder })).code).toBe(0);
  expect(configOf('my-model').get('PROJECT_NAME')).toBe('my-model');
  expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
});

test('an answers file may begin with a byte order mark', async () => {
  const file = answersFile('\uFEFF{ "description": "from an editor" }');
  expect((await mlcc(['new', 'demo', '--yes', ...file], { cwd })).code).toBe(0);
  expect(configOf().get('PROJECT_DESCRIPTION')).toBe('from an editor');
});

test('the next steps begin with the way there, quoted where a shell would take it apart', async () => {
  const next = async (...args: string[]) => (await mlcc(['new', 'demo', '--yes', ...args], { cwd })).stdout;
  expect(await next()).toContain('\n  cd demo\n');
  expect(await next('--dest', "it's here")).toContain(`\n  cd 'it'\\''s here'\n`);
  expect(await next('--here')).not.toContain('  cd ');
});

test('--json tells what was written', async () => {
  const { stdout } = await mlcc(['new', 'demo', '--yes', '--json', '--dest', 'elsewhere'], { cwd });
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ project: 'demo', folder: join(cwd, 'elsewhere'), written: true });
  for (const path of result.files) expect(existsSync(join(cwd, 'elsewhere', path))).toBe(true);
});

test('help comes from the registry: every option of the project and of the command', async () => {
  const { code, stdout } = await mlcc(['new', '--help'], { cwd });
  expect(code).toBe(0);
  const words = stdout.replace(/\s+/g, ' ');
  for (const { flag, description } of allOptions(catalog)) {
    expect(words).toContain(`--${flag} <value>`);
    expect(words).toContain(description);
  }
  expect(words).toContain('--skip-prompts');
  expect((await mlcc(['help', 'new'], { cwd })).stdout).toBe(stdout);
});
