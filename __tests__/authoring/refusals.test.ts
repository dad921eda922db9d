import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nameFault } from '../../lib/authoring/index.js';
import { loadCatalog, schemaPaths } from '../../lib/catalog/index.js';
import { verbs } from '../../lib/contract/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { mlcc } from '../support/mlcc.js';
import { NewTargetProject } from './support/new-target-project.js';

const catalog = loadCatalog();
const builtIn = catalog.targets[0]?.manifest;
const aliased = catalog.targets.find(({ manifest }) => manifest.aliases.length > 0)?.manifest;
if (!builtIn || !aliased) throw new Error('no built-in target with an alias');
const tag = builtIn.status_var.replace(/^DEPLOYMENT_TARGET_(.*)_STATUS$/, '$1');
const [alias = ''] = aliased.aliases;
const kind = ['--family', 'kubernetes'];

/** What is wrong, the arguments, and the reasons that must be given. */
const BAD: readonly (readonly [string, readonly string[], readonly (string | RegExp)[]])[] = [
  [
    'an existing name',
    [builtIn.target, ...kind],
    [`there is a target "${builtIn.target}" already`, 'built-in'],
  ],
  ['an existing alias as a name', [alias, ...kind], [/is (an alias of|reserved)/]],
  ['capital letters', ['Edge', ...kind], ['"Edge" has capital letters; try edge']],
  ['41 characters', ['e'.repeat(41), ...kind], ['has 41 characters; at most 40']],
  ['a path', ['../edge', ...kind], ['"../edge" is a path']],
  ['an absolute path', ['/tmp/edge', ...kind], ['"/tmp/edge" is a path']],
  ['a dot', ['..', ...kind], ['".." is a path']],
  ['no name', ['', ...kind], ['it is empty']],
  ['a digit first', ['1edge', ...kind], ['begins with a letter']],
  [
    'a hyphen last, which no resource name could end with',
    ['edge-', ...kind],
    ['does not end with a hyphen'],
  ],
  ['a blank', ['my edge', ...kind], ['"my edge": a name has lower-case letters']],
  ['shell code', ['$(id)', ...kind], ['"$(id)": a name has lower-case letters']],
  [
    'a taken alias',
    ['edge', ...kind, '--alias', builtIn.target],
    [`--alias ${builtIn.target}: there is a target`],
  ],
  [
    'its own name as an alias',
    ['edge', ...kind, '--alias', 'edge'],
    ['--alias edge: it is the name of the target'],
  ],
  ['a status tag in use', ['edge', ...kind, '--status-tag', tag], [`${tag} is in use`, builtIn.target]],
  [
    'a status tag in small letters',
    ['edge', ...kind, '--status-tag', 'ed_ge'],
    ['capital letters and digits', 'EDGE'],
  ],
  ['an empty status tag', ['edge', ...kind, '--status-tag', ''], ['--status-tag']],
  [
    'a success status not allowed',
    ['edge', ...kind, '--success', 'Runing'],
    ['"Runing"', 'did you mean "Running"?'],
  ],
  ['an unknown family', ['edge', '--family', 'kubernets'], ['--family', 'did you mean "kubernetes"?']],
  ['an unknown invocation', ['edge', '--invocation', 'pods'], ['--invocation', 'did you mean "pod"?']],
  ['an unknown workload', ['edge', '--workload', 'job'], ['--workload', 'allowed: none, deployment']],
  [
    'an unknown serving source',
    ['edge', ...kind, '--serving-source', 'x'],
    ['--serving-source', 'allowed: kubernetes'],
  ],
  [
    'a kind that no target can be',
    ['edge', ...kind, '--invocation', 'async'],
    ['no target is family kubernetes, invocation async'],
  ],
  [
    'a workload that does not fit',
    ['edge', '--family', 'sagemaker-job', '--workload', 'deployment'],
    ['no target is'],
  ],
  ['no kind at all', ['edge', '--yes'], ['--family: say what kind of target it is']],
  ['an unknown verb', ['edge', ...kind, '--verb', 'benchmrk=yes'], ['did you mean "benchmark"?']],
  [
    'a verb that applies everywhere',
    ['edge', ...kind, '--verb', 'status=no'],
    ['--verb status=no', 'allowed: benchmark'],
  ],
  ['a verb without a choice', ['edge', ...kind, '--verb', 'benchmark'], ['benchmark=yes or benchmark=no']],
  [
    'a required variable that is also optional',
    ['edge', ...kind, '--required', 'SIZE', '--optional', 'SIZE=1'],
    ['SIZE is both'],
  ],
  ['a variable in small letters', ['edge', ...kind, '--required', 'size'], ['required_vars', 'size']],
  ['a variable of the shell', ['edge', ...kind, '--required', 'PATH'], ['PATH belongs to the shell']],
  [
    'a record of a target as a setting',
    ['edge', ...kind, '--required', 'DEPLOYMENT_TARGET_X_NAME'],
    ['is a record'],
  ],
  [
    'an optional variable without a default',
    ['edge', ...kind, '--optional', 'SIZE'],
    ['write it as VARIABLE=DEFAULT'],
  ],
  ['a default of several lines', ['edge', ...kind, '--optional', 'SIZE=a\nb'], ['optional_vars/SIZE']],
  [
    'a default that the variable’s pattern refuses',
    ['edge', ...kind, '--optional', 'HP_REPLICAS=many'],
    ['does not match'],
  ],
  ['a summary of several lines', ['edge', ...kind, '--summary', 'a\nb'], ['#/summary']],
  ['a summary of 121 characters', ['edge', ...kind, '--summary', 'x'.repeat(121)], ['#/summary']],
  [
    'an unknown model to follow',
    ['edge', '--like', builtIn.target.slice(1)],
    [`did you mean "${builtIn.target}"?`],
  ],
  [
    'a model of another kind',
    ['edge', '--like', builtIn.target, '--workload', 'deployment'],
    ['its scripts do not fit'],
  ],
  ['an unknown flag', ['edge', ...kind, '--famly', 'x'], ['unknown option']],
];

describe('in a project', () => {
  let project: NewTargetProject;
  let before: Record<string, string>;
  beforeAll(() => {
    project = new NewTargetProject();
    before = project.snapshot();
  });
  afterAll(() => project.remove());

  test.each(BAD)('%s: exit 2, the reason, and nothing written', async (_, args, reasons) => {
    const { code, stdout, stderr } = await project.mlcc('add-target', ...args);
    expect([code, stdout]).toEqual([2, '']);
    for (const reason of reasons) expect(stderr).toMatch(reason);
    expect(stderr).not.toContain('internal error');
    expect(project.snapshot()).toEqual(before);
  });

  test('all that is wrong is said at once', async () => {
    const { stderr } = await project.mlcc(
      'add-target',
      'Edge',
      ...kind,
      '--success',
      'up',
      '--verb',
      'x=yes',
    );
    for (const reason of ['capital letters', '--success', '--verb x=yes']) expect(stderr).toContain(reason);
  });

  test('a secret as a default is refused and not repeated', async () => {
    const secret = `hf_${'a'.repeat(20)}`;
    const { code, stderr } = await project.mlcc(
      'add-target',
      'edge',
      ...kind,
      '--optional',
      `TOKEN=${secret}`,
    );
    expect([code, stderr.includes(secret)]).toEqual([2, false]);
    expect(stderr).toContain('looks like a Hugging Face token');
  });

  test('a missing name is asked for where that is possible, and named where it is not', async () => {
    const { code, stderr } = await project.mlcc('add-target', ...kind);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the name of the target is missing')]);
  });

  test('a file where a new one belongs is not touched', async () => {
    project.write('do/clean.d/edge', 'mine');
    const { code, stderr } = await project.mlcc('add-target', 'edge', ...kind);
    expect([code, stderr]).toEqual([2, expect.stringContaining('do/clean.d/edge is there already')]);
    expect(project.read('do/clean.d/edge')).toBe('mine');
    project.delete('do/clean.d/edge');
  });
});

describe('reserved names', () => {
  test('are the verbs, the words of lists, and every word that scripts branch on', () => {
    const schema = JSON.parse(readFileSync(join(packageRoot, schemaPaths.target), 'utf8'));
    const branches = ['family', 'invocation', 'workload', 'serving_config_source'].flatMap(
      (field) => schema.properties[field].enum as string[],
    );
    const reserved = ['all', 'none', 'map', ...verbs.map(({ name }) => name), ...branches];
    for (const name of new Set(reserved))
      expect([name, nameFault(name, catalog)]).toEqual([name, expect.stringContaining('reserved')]);
    expect(nameFault('edge', catalog)).toBeUndefined();
  });
});

describe('in a pack', () => {
  let pack: string;
  beforeAll(() => {
    pack = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-pack-')));
  });
  afterAll(() => rmSync(pack, { recursive: true }));

  test('a target without its scripts stands in the way of another', async () => {
    expect((await mlcc(['add-target', 'edge', ...kind], { cwd: pack })).code).toBe(0);
    rmSync(join(pack, 'edge/clean'));
    const { code, stderr } = await mlcc(['add-target', 'other', ...kind], { cwd: pack });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/edge\/clean.*missing/)]);
    expect(readdirSync(pack)).toEqual(['edge']);
  });

  test('a folder that holds other things than targets is no pack', async () => {
    const cwd = join(pack, 'work');
    mkdirSync(join(cwd, 'src'), { recursive: true });
    writeFileSync(join(cwd, 'src/main.c'), '');
    const { code, stderr } = await mlcc(['add-target', 'edge', ...kind], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('choose another folder with --into')]);
    expect(existsSync(join(cwd, 'edge'))).toBe(false);
  });
});
