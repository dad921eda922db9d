import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  camelCase,
  loadCatalog,
  type Param,
  paramOf,
  type Target,
  variablesOf,
} from '../../lib/catalog/index.js';
import { isolatedEnv } from '../support/project.js';
import { scriptedCatalog } from '../support/scripted-target.js';
import { DeployProject, snapshot } from './support/deploy-project.js';
import { setConfig } from './support/probe.js';

const catalog = loadCatalog();
const targets = catalog.targets.map((target) => ({ name: target.manifest.target, target }));

interface Flag extends Param {
  flag: string;
  variable: string;
}

/** The flags of a target's own parameters. */
function flagsOf(target: Target): Flag[] {
  return variablesOf(target).flatMap((variable) => {
    const param = paramOf(catalog, target, variable);
    return param?.flag ? [{ ...param, flag: param.flag, variable }] : [];
  });
}

const allFlags = [...new Set(targets.flatMap(({ target }) => flagsOf(target).map(({ flag }) => flag)))];

/** A value that a parameter allows and that is not its default. */
function goodValue(target: Target, { variable, enum: choices, pattern }: Flag): string {
  const candidates = [
    ...(choices ?? []),
    '2',
    'ml.g6.xlarge',
    'ml.g6.xlarge,ml.g5.2xlarge',
    's3://bucket/some path',
    'arn:aws:sns:eu-west-1:123456789012:topic',
    'some-name',
  ];
  const fits = candidates.find(
    (value) =>
      value !== target.manifest.optional_vars[variable] &&
      (choices ? choices.includes(value) : new RegExp(pattern ?? '', 'u').test(value)),
  );
  if (fits === undefined) throw new Error(`no sample for ${variable}`);
  return fits;
}

let project: DeployProject;
let folder: string;
let config: string;
beforeAll(() => {
  project = new DeployProject(catalog);
  folder = mkdtempSync(join(tmpdir(), 'mlcc-test-'));
  config = project.configFile;
});
afterAll(() => {
  project.remove();
  rmSync(folder, { recursive: true });
});

/** Asks the Python side, which is what do/deploy does. */
function request(args: readonly string[], env: Record<string, string> = {}) {
  const script = join(project.project.dir, 'do/lib/python/deploy_request.py');
  const { status, stdout, stderr } = spawnSync('python3', ['-B', script, ...args], {
    encoding: 'utf8',
    env: isolatedEnv(project.project.home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { code: status, lines: stdout.split('\n').slice(0, -1), stderr };
}

function settings(target: string, args: readonly string[], env: Record<string, string> = {}) {
  const { code, lines, stderr } = request(['settings', config, target, 'missing', ...args], env);
  const found = new Map<string, { source: string; value: string }>();
  const stored: Record<string, string> = {};
  for (const line of lines) {
    const [kind, variable = '', ...rest] = line.split(' ');
    if (kind === 'setting') found.set(variable, { source: rest[0] ?? '', value: rest.slice(1).join(' ') });
    else stored[variable] = rest.join(' ');
  }
  return { code, stderr, found, stored };
}

/** Puts do/config into the state of a project where nothing has been answered. */
function forgetAnswers(): void {
  const variables = targets.flatMap(({ target }) => variablesOf(target));
  setConfig(
    project.project,
    Object.fromEntries([...variables, 'DEPLOYMENT_TARGET'].map((name) => [name, ''])),
  );
}
beforeEach(forgetAnswers);

describe.each(targets)('flags of $name', ({ name, target }) => {
  const flags = flagsOf(target);
  const given = flags.map((flag) => [flag, goodValue(target, flag)] as const);
  const asked = { required: target.manifest.required_vars };

  test.each([
    ['--flag value', given.flatMap(([{ flag }, value]) => [`--${flag}`, value])],
    ['--flag=value', given.map(([{ flag }, value]) => `--${flag}=${value}`)],
  ])('each sets its variable and is stored: %s', (_, args) => {
    const { code, stderr, found, stored } = settings(name, args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const [{ variable }, value] of given) {
      expect([variable, found.get(variable)]).toEqual([variable, { source: 'flag', value }]);
    }
    expect(stored).toEqual(Object.fromEntries(given.map(([{ variable }, value]) => [variable, value])));
  });

  test('a value that a pattern or a list of choices forbids is refused with the description or the choices', () => {
    const checked = flags.filter((flag) => flag.pattern ?? flag.enum);
    const { code, stderr } = settings(
      name,
      checked.map(({ flag }) => `--${flag}=~ wrong`),
    );
    expect(code).toBe(2);
    for (const { flag, enum: choices, description } of checked) {
      expect(stderr).toContain(
        `--${flag}: "~ wrong" ${choices ? `is not one of ${choices.join(', ')}` : `is not allowed. ${description}`}`,
      );
    }
  });

  test('flags of other targets are refused, and the targets that have them named', () => {
    const foreign = allFlags.filter((flag) => !flags.some((own) => own.flag === flag));
    const { code, stderr } = request([
      'target',
      config,
      '--target',
      name,
      ...foreign.map((flag) => `--${flag}=1`),
    ]);
    expect(code).toBe(2);
    for (const flag of foreign) {
      const owners = targets.filter((other) => flagsOf(other.target).some((own) => own.flag === flag));
      expect(stderr).toContain(
        `--${flag} is not a flag of ${name}; it belongs to ${owners.map((owner) => owner.name).join(', ')}`,
      );
    }
  });

  test('everything that is missing is named at once, and without it nothing is', () => {
    const { code, stderr } = settings(name, []);
    if (asked.required.length === 0) return expect(code).toBe(0);
    expect(code).toBe(2);
    for (const variable of asked.required) {
      expect(stderr).toContain(`--${paramOf(catalog, target, variable)?.flag} is missing: `);
    }
    expect(stderr.trim().split('\n')).toHaveLength(asked.required.length);
    return undefined;
  });

  test('every optional variable has its default, and every alias means the target', () => {
    const required = given.filter(([{ variable }]) => asked.required.includes(variable));
    const { found } = settings(
      name,
      required.map(([{ flag }, value]) => `--${flag}=${value}`),
    );
    for (const [variable, value] of Object.entries(target.manifest.optional_vars)) {
      expect([variable, found.get(variable)]).toEqual([
        variable,
        { source: value ? 'default' : 'unset', value },
      ]);
    }
    for (const alias of target.manifest.aliases) {
      expect(request(['target', config, '--target', alias]).lines).toContain(`target ${name}`);
    }
  });

  test('an answers file takes variables or answers', () => {
    const file = join(folder, 'answers.json');
    for (const key of [
      (variable: string) => variable,
      (variable: string) => catalog.variables[variable]?.answer ?? camelCase(variable),
    ]) {
      writeFileSync(
        file,
        JSON.stringify(Object.fromEntries(given.map(([{ variable }, value]) => [key(variable), value]))),
      );
      const { code, stderr, found, stored } = settings(name, ['--answers-file', file]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const [{ variable }, value] of given) {
        expect(found.get(variable)).toEqual({ source: 'answers-file', value });
        expect(stored[variable]).toBe(value);
      }
    }
  });
});

test('a misspelt flag gets the nearest one', () => {
  const misspelt = allFlags.map((flag) => flag.slice(0, 2) + flag.slice(3));
  const { code, stderr } = request(['target', config, ...misspelt.map((flag) => `--${flag}=1`)]);
  expect(code).toBe(2);
  for (const [index, flag] of misspelt.entries()) {
    expect(stderr).toContain(`--${flag} is not a flag of do/deploy; did you mean "--${allFlags[index]}"?`);
  }
});

describe('where a setting comes from', () => {
  const { name = '', target } =
    targets.find(({ target }) => flagsOf(target).some((flag) => flag.pattern?.includes('[0-9]*$'))) ?? {};
  if (!target) throw new Error('no target has a number');
  const flag = flagsOf(target).find(({ pattern }) => pattern?.includes('[0-9]*$')) as Flag;
  const { variable } = flag;
  const rest = flagsOf(target)
    .filter((other) => target.manifest.required_vars.includes(other.variable))
    .map((other) => `--${other.flag}=${goodValue(target, other)}`);
  const file = () => join(folder, 'source.json');
  beforeEach(() => writeFileSync(file(), JSON.stringify({ [variable]: 3 })));

  const OVERRIDE = { [`MLCC_SET_${variable}`]: '4' };
  test.each([
    ['flag', [`--${flag.flag}=5`, '--answers-file'], OVERRIDE, '2', '5', { [variable]: '5' }],
    ['set', ['--answers-file'], OVERRIDE, '2', '4', {}],
    ['answers-file', ['--answers-file'], {}, '2', '3', { [variable]: '3' }],
    ['config', [], {}, '2', '2', {}],
    ['default', [], {}, '', target.manifest.optional_vars[variable], {}],
    ['flag', [`--${flag.flag}=`], {}, '2', target.manifest.optional_vars[variable], { [variable]: '' }],
  ] as const)('%s %j', (source, args, env, stands, value, keeps) => {
    setConfig(project.project, { [variable]: stands });
    const words = args.flatMap((word) => (word === '--answers-file' ? [word, file()] : [word]));
    const { found, stored } = settings(name, [...rest, ...words], env);
    expect(found.get(variable)).toEqual({ source, value });
    expect(stored).toMatchObject(keeps);
    expect(Object.keys(stored).includes(variable)).toBe(variable in keeps);
  });

  test('a value that is not allowed is named with where it stands', () => {
    setConfig(project.project, { [variable]: 'many' });
    expect(settings(name, rest)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${variable} (from do/config): "many"`),
    });
  });
});

describe('usage errors come first, and change nothing', () => {
  const target = targets[0]?.name ?? '';
  const write = (text: string) => {
    const file = join(folder, 'bad.json');
    writeFileSync(file, text);
    return file;
  };
  test.each([
    ['an unknown flag', () => ['--colour-of-the-pods', 'red'], 'is not a flag of do/deploy'],
    ['a flag of mlcc new', () => ['--model', 'x'], '--set MODEL_NAME=VALUE'],
    ['a word', () => ['now'], 'unexpected argument "now"'],
    ['a target without its flag', () => [target], `--target ${target}`],
    ['an unknown target', () => ['--target', `${target}x`], `did you mean "${target}"`],
    ['a value that is missing', () => ['--target'], '--target needs a value'],
    ['a flag for a value', () => ['--answers-file', '--yes'], '--answers-file needs a value'],
    ['a value for a switch', () => ['--yes=no'], '--yes takes no value'],
    ['two ways at once', () => ['--rollback', '--reconfigure'], 'exclude each other'],
    ['a missing answers file', () => ['--answers-file', '/nowhere.json'], '/nowhere.json: No such file'],
    ['an answers file that is no JSON', () => ['--answers-file', write('target=x')], 'not JSON'],
    ['an answers file that is no object', () => ['--answers-file', write('[]')], 'not a JSON object'],
    [
      'an unknown answer',
      () => ['--answers-file', write('{"instanceTypo": "x"}')],
      'did you mean "instanceType"',
    ],
    [
      'a list for an answer',
      () => ['--answers-file', write('{"instanceType": []}')],
      'not a text, a number or a boolean',
    ],
    [
      'an answer of two lines',
      () => ['--answers-file', write('{"instanceType": "a\\nb"}')],
      'a value is one line',
    ],
    [
      'one answer twice',
      () => ['--answers-file', write('{"instanceType": "a", "INSTANCE_TYPE": "b"}')],
      'a second time',
    ],
    ['a line end in a value', () => ['--instance-type', 'a\nb'], 'a value is one line'],
    ['no target at all', () => [], '--target is missing'],
    ['--set without a value', () => ['--set', 'X'], '--set'],
  ])('%s', (_, args, message) => {
    const before = snapshot(project.project.dir);
    const { code, stderr, stdout } = project.run('deploy', args());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('Traceback');
    expect(stderr).not.toContain('Contract violation');
    expect(snapshot(project.project.dir)).toEqual(before);
  });
});

describe('any one line of text', () => {
  let scripted: DeployProject;
  beforeEach(() => {
    scripted = new DeployProject(scriptedCatalog([{ name: 'probe', tag: 'PROBE' }]));
  });
  afterEach(() => scripted.remove());
  const deploy = (value: string, env: Record<string, string> = {}) =>
    scripted.run('deploy', ['--target', 'probe', '--size=1', `--place=${value}`], {
      deploy: 'printf "%s\\n" "$PLACE" >>"$CALLS"',
      env,
    });

  test.each([
    ['$(touch MARKER)', {}],
    ['`touch MARKER`; touch MARKER & | > MARKER', {}],
    [`it's "so" \\n \${HOME:-x} % * ~ #=`, {}],
    ['--place=2', {}],
    ['größer 🎉', { LC_ALL: 'C' }],
    ['größer 🎉', { LC_ALL: 'en_US.ISO-8859-1', LANG: 'en_US.ISO-8859-1' }],
  ])('[C04] %s reaches the script and do/config unchanged, and never runs', (value, env) => {
    expect(deploy(value, env).code).toBe(0);
    expect(scripted.calls().at(-1)).toBe(value);
    expect(scripted.config('PLACE')).toBe(value);
    expect(Object.keys(scripted.snapshot()).filter((file) => file.includes('MARKER'))).toEqual([]);
  });

  test('a token is refused before anything is written, and not shown', () => {
    const before = scripted.snapshot();
    const { code, stderr } = deploy('hf_abcdefghijklmnopqrstuvwxyz');
    expect(code).toBe(2);
    expect(stderr).toContain('Secrets Manager');
    expect(stderr).not.toContain('abcdefgh');
    expect(scripted.snapshot()).toEqual(before);
  });

  test('bytes that are no UTF-8 are refused', () => {
    const { status, stderr } = spawnSync('/bin/bash', ['-c', "do/deploy --target probe --place $'\\xff'"], {
      cwd: scripted.project.dir,
      env: isolatedEnv(scripted.project.home),
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toContain('--place: the value is not UTF-8');
  });

  test('without Python one line says so', () => {
    const { code, stderr } = scripted.run('deploy', ['--target', 'probe'], { env: { PATH: '/nowhere' } });
    expect(code).toBe(1);
    expect(stderr).toContain('python3 is not installed');
  });
});

test('--status shows the table, of one target or of all', () => {
  const [first, second] = targets.map(({ name }) => name);
  expect(project.run('deploy', ['--status']).stdout).toContain(second);
  const { code, stdout } = project.run('deploy', ['--status', '--target', first ?? '']);
  expect(code).toBe(0);
  expect(stdout).toContain(first);
  expect(stdout).not.toContain(second);
});
