import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { authorities } from '../../lib/check/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { mlcc } from '../support/mlcc.js';
import { makeProject, type TestProject } from '../support/project.js';

const folders: { remove(): void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});
const project = (): TestProject => {
  const made = makeProject();
  folders.push(made);
  return made;
};
const text = (made: TestProject, path: string) => readFileSync(join(made.dir, path), 'utf8');
const write = (made: TestProject, path: string, contents: string) =>
  writeFileSync(join(made.dir, path), contents);
const check = (made: TestProject, ...flags: string[]) => mlcc(['check', ...flags], { cwd: made.dir });
const target = loadCatalog().targets[0]?.manifest;
if (!target) throw new Error('no target');

describe('what must be clean', () => {
  test.each(readdirSync(join(packageRoot, '__tests__/golden')))('the golden project %s', async (name) => {
    const result = await mlcc(['check', join('__tests__/golden', name)], { cwd: packageRoot });
    expect(result).toEqual({
      code: 0,
      stdout: 'check: everything agrees with the descriptors\n',
      stderr: '',
    });
  });

  test('the generator itself', async () => {
    const result = await mlcc(['check', packageRoot, '--json'], { cwd: tmpdir() });
    expect(JSON.parse(result.stdout)).toEqual({ findings: [], fixed: [], notes: [] });
    expect(result.code).toBe(0);
  });

  test.each(loadCatalog().targets.map(({ manifest }) => manifest.target))(
    'a new project for %s',
    async (name) => {
      const made = makeProject({ answers: { deploymentTarget: name } });
      folders.push(made);
      expect(await check(made)).toMatchObject({ code: 0, stderr: '' });
    },
  );
});

test('a check writes nothing', async () => {
  const made = project();
  write(made, 'do/lib/targets.sh', '');
  const before = execFileSync('find', ['.', '-printf', '%p %T@ %C@ %s\n'], {
    cwd: made.dir,
    encoding: 'utf8',
  });
  await check(made);
  expect(execFileSync('find', ['.', '-printf', '%p %T@ %C@ %s\n'], { cwd: made.dir, encoding: 'utf8' })).toBe(
    before,
  );
});

test('findings are one line each, with place, authority, field, reason and remedy; exit 3', async () => {
  const made = project();
  const config = text(made, 'do/config').replace(`export ${target.status_var}=''\n`, '');
  write(made, 'do/config', `${config}export MY_TOKEN='hf_abcdefghijklmnopqrst'\n`);
  chmodSync(join(made.dir, 'do/status'), 0o644);
  const { code, stdout, stderr } = await check(made);
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(
    /^do\/config:\d+: \[status-block\] .* \(by do\/targets\.d\/.*#\/status_var\)\. Why: .*\. Mend: mlcc check --fix$/,
  );
  expect(lines[1]).toMatch(/^do\/config:\d+: \[raw-secret\] MY_TOKEN holds a Hugging Face token /);
  expect(lines[2]).toMatch(/^do\/status: \[script-executable\] /);
  expect(lines[3]).toBe('check: 3 findings; mlcc check --fix mends 2');
});

test('--json has every finding with every field', async () => {
  const made = project();
  write(
    made,
    'do/lib/engines.sh',
    text(made, 'do/lib/engines.sh').replace("_ENGINE_PREFIX='VLLM_'", "_ENGINE_PREFIX='X_'"),
  );
  const { code, stdout } = await check(made, '--json');
  expect(code).toBe(3);
  const line =
    text(made, 'do/lib/engines.sh')
      .split('\n')
      .findIndex((one) => one.includes("'X_'")) + 1;
  expect(JSON.parse(stdout)).toEqual({
    findings: [
      {
        authority: 'serving-source',
        field: 'do/serve.d/vllm/manifest.json#/dimension_map',
        file: 'do/lib/engines.sh',
        line,
        message: expect.stringContaining('X_'),
        why: authorities['serving-source'],
        mend: 'mlcc check --fix',
        fixable: true,
      },
    ],
    fixed: [],
    notes: [],
  });
});

describe('--fix', () => {
  test('brings back what derives, byte for byte, and keeps what is a person’s or state', async () => {
    const made = project();
    const live = text(made, 'do/config').replace(`${target.status_var}=''`, `${target.status_var}='Failed'`);
    write(made, 'do/config', `${live}export MINE='1'\n`);
    const before = text(made, 'do/config');
    write(made, 'do/config', before.replace(/^# <<< END GENERATED\n/m, '').replace(/^# guard: none\n/m, ''));
    for (const path of ['do/lib/targets.sh', `do/${target.clean_script}`]) rmSync(join(made.dir, path));
    write(made, 'do/README.md', `${text(made, 'do/README.md').replace(/^\| `do\/deploy`.*\n/m, '')}Mine.\n`);
    write(
      made,
      'do/status',
      `${text(made, 'do/status').replace('# lifecycle: monitor', '# lifecycle: later')}# mine\n`,
    );
    chmodSync(join(made.dir, 'do/status'), 0o644);

    const { code, stdout, stderr } = await check(made, '--fix');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^mended: do\/README\.md:\d+: \[generated-text\] /);
    expect(stdout).toMatch(/\ncheck: everything agrees with the descriptors, \d+ mended\n$/);

    expect(text(made, 'do/config')).toBe(before);
    for (const path of ['do/lib/targets.sh', `do/${target.clean_script}`])
      expect(text(made, path)).toBe(made.tree.get(path)?.contents);
    expect(text(made, 'do/README.md')).toBe(`${made.tree.get('do/README.md')?.contents}Mine.\n`);
    expect(text(made, 'do/status')).toBe(`${made.tree.get('do/status')?.contents}# mine\n`);
    expect(statSync(join(made.dir, 'do/status')).mode & 0o111).toBe(0o111);
    expect(existsSync(join(made.dir, '.mlcc/journal'))).toBe(false);
    expect(await check(made)).toMatchObject({ code: 0 });
  });

  test('reports what is left, with exit 3', async () => {
    const made = project();
    write(made, 'do/lib/targets.sh', '');
    write(made, 'do/mine', '#!/bin/bash\n[[ $_TARGET_FAMILY == kubernetes ]] || exit 1\n');
    const { code, stdout } = await check(made, '--fix', '--json');
    const { findings, fixed } = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(findings.map((one: { authority: string }) => one.authority)).toEqual(['refusal-exit']);
    expect(fixed.map((one: { file: string }) => one.file)).toContain('do/lib/targets.sh');
  });

  test('renders anew where a descriptor changed what is not between markers', async () => {
    const made = project();
    const path = 'do/targets.d/variables.json';
    const data = JSON.parse(text(made, path));
    data.variables.MODEL_NAME.description = 'Which model it is.';
    write(made, path, JSON.stringify(data));
    expect(await check(made)).toMatchObject({ code: 3 });
    expect(await check(made, '--fix')).toMatchObject({ code: 0, stderr: '' });
    expect(text(made, 'do/config')).toContain('\n# Which model it is.\nexport MODEL_NAME=');
    expect(await mlcc(['regenerate', '--check'], { cwd: made.dir })).toMatchObject({ code: 0 });
  });

  test('waits for the lock of do/config', async () => {
    const made = project();
    write(made, 'do/lib/targets.sh', '');
    // A script that holds the lock, writes a status, and only then lets go.
    const script = `DO_DIR=$PWD/do CONFIG_FILE=$PWD/do/config; . do/lib/config-store.sh; _update_config ${target.status_var} Running`;
    const config = text(made, 'do/config');
    write(made, 'do/config', config.replace(`export ${target.status_var}=''\n`, ''));
    const child = spawn('bash', ['-c', script], { cwd: made.dir, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await check(made, '--fix');
    expect(await ended).toBe(0);
    expect(await check(made, '--fix')).toMatchObject({ code: 0 });
    expect(text(made, 'do/config')).toBe(
      config.replace(`${target.status_var}=''`, `${target.status_var}='Running'`),
    );
  });

  test('is refused in the generator', async () => {
    const result = await mlcc(['check', '--fix'], { cwd: packageRoot });
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('npm run codegen') });
  });
});

test.each(['/nonexistent', tmpdir()])('%s is no project: exit 2', async (folder) => {
  expect(await mlcc(['check', folder], { cwd: packageRoot })).toMatchObject({ code: 2, stdout: '' });
});

test('an interrupted update is said, not checked', async () => {
  const made = project();
  execFileSync('mkdir', ['-p', '.mlcc/journal'], { cwd: made.dir });
  write(made, '.mlcc/journal/steps.json', '[]');
  expect(await check(made)).toMatchObject({ code: 3, stderr: expect.stringContaining('interrupted') });
  expect(await check(made, '--fix')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('note: an interrupted'),
  });
});

describe('the generator with a fault', () => {
  const copy = (): string => {
    const dir = mkdtempSync(join(tmpdir(), 'mlcc-check-'));
    folders.push({ remove: () => rmSync(dir, { recursive: true }) });
    for (const name of ['package.json', 'targets.d', 'serve.d', 'templates'])
      cpSync(join(packageRoot, name), join(dir, name), { recursive: true });
    return dir;
  };
  const findings = async (dir: string) => {
    const { code, stdout } = await mlcc(['check', dir, '--json'], { cwd: tmpdir() });
    expect(code).toBe(3);
    return JSON.parse(stdout).findings.map(
      (one: { authority: string; file: string }) => `${one.authority} ${one.file}`,
    );
  };

  test('a descriptor', async () => {
    const dir = copy();
    const file = join(dir, 'targets.d', target.target, 'manifest.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(target.answer_key, 'deploymentTargetOtherStatus'));
    expect(await findings(dir)).toEqual([`round-trip targets.d/${target.target}/manifest.json`]);
  });

  test('an executable bit', async () => {
    const dir = copy();
    chmodSync(join(dir, 'targets.d', target.target, 'clean'), 0o644);
    expect(await findings(dir)).toEqual([`script-executable targets.d/${target.target}/clean`]);
  });

  test('scripts and templates, each named where it stands', async () => {
    const dir = copy();
    const append = (path: string, more: string) =>
      writeFileSync(join(dir, path), `${readFileSync(join(dir, path), 'utf8')}${more}\n`);
    append(`targets.d/${target.target}/deploy`, '_record NOVELTY x');
    append('templates/do/lib/wait.sh', 'x=$(aws sts get-caller-identity)');
    const status = join(dir, 'templates/do/status');
    writeFileSync(status, readFileSync(status, 'utf8').replace('# guard: none', '# guard: artifact-ready'));
    expect((await findings(dir)).sort()).toEqual([
      'aws-preflight templates/do/lib/wait.sh',
      'header templates/do/status',
      `undeclared-write targets.d/${target.target}/deploy`,
    ]);
  });
});
