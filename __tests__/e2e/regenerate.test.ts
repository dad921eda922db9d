import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { packageRoot, packageVersion } from '../../lib/package/index.js';
import { ordinaryUser } from '../support/ordinary-user.js';
import { describeWithPrograms, hasProgram } from '../support/programs.js';
import { differences, edited, templatesWith, UpdatedProject } from '../update/support/updated-project.js';

let root: string;
/** A copy of the built package, where any user may read it. */
let generator: string;
let project: UpdatedProject;

beforeAll(() => {
  if (!existsSync(join(packageRoot, 'dist/bin/mlcc.js'))) throw new Error('not built; run: npm run build');
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-regenerate-')));
  generator = join(root, 'node_modules/generator-mlcc');
  for (const part of ['package.json', 'CHANGELOG.md', 'dist', 'templates', 'targets.d', 'serve.d']) {
    cpSync(join(packageRoot, part), join(generator, part), { recursive: true });
  }
  for (const name of readdirSync(join(packageRoot, 'node_modules'))) {
    if (!name.startsWith('.'))
      symlinkSync(join(packageRoot, 'node_modules', name), join(root, 'node_modules', name));
  }
  spawnSync('chmod', ['-R', 'a+rX', root]);
});
afterEach(() => project.remove());
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A project of an older version that the user of the tests owns; a file is merged, the others are new or stay. */
function olderProject(): void {
  project = new UpdatedProject({
    version: '0.0.1',
    templates: templatesWith({
      'README.md.ejs': (text) => `${text}\nAn older line.\n`,
      'do/status': edited('live state', 'living state'),
      'do/export': null,
    }),
  });
  project.edit('do/status', edited('AS_JSON=no\n', 'AS_JSON=no\nMINE=yes\n'));
  const user = ordinaryUser();
  const give = (path: string) => user && chownSync(path, user.uid, user.gid);
  chmodSync(join(project.dir, '..'), 0o755);
  give(project.dir);
  for (const entry of readdirSync(project.dir, { recursive: true, withFileTypes: true }))
    give(join(entry.parentPath, entry.name));
}

interface Ended {
  code: number | null;
  stdout: string;
  /** Standard output and standard error. */
  output: string;
}

/** Runs a command in the project as an ordinary user, with standard input closed or as given. */
function run(command: readonly string[], input: 'closed' | 'idle' = 'closed'): Promise<Ended> {
  const [program = '', ...args] = [...(ordinaryUser()?.prefix ?? []), ...command];
  const child = spawn(program, args, {
    cwd: project.dir,
    env: {
      PATH: process.env.PATH,
      HOME: join(project.dir, '..'),
      NODE_PATH: join(root, 'node_modules'),
      CI: 'true',
    },
    stdio: [input === 'closed' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const ended: Ended = { code: null, stdout: '', output: '' };
  child.stdout?.on('data', (text) => {
    ended.stdout += text;
    ended.output += text;
  });
  child.stderr?.on('data', (text) => {
    ended.output += text;
  });
  return new Promise((done) =>
    child.on('close', (code) => {
      child.stdin?.destroy();
      done({ ...ended, code });
    }),
  );
}

const mlcc = (...args: string[]) =>
  run([process.execPath, join(generator, 'dist/bin/mlcc.js'), 'regenerate', ...args]);
const yo = (args: string[], input?: 'idle') =>
  run([process.execPath, join(root, 'node_modules/yo/lib/cli.js'), 'mlcc:regenerate', ...args], input);

describe('yo mlcc:regenerate', () => {
  test.each([['closed'], ['idle']] as const)(
    '[C16] never asks, with standard input %s: what is edited is merged and listed, what is not is updated',
    async (input) => {
      olderProject();
      const { code, output } = await yo(['--skip-prompts'], input === 'idle' ? 'idle' : undefined);
      expect(output).toMatch(/merged +do\/status/);
      expect(output).toMatch(/updated +README\.md/);
      expect(code).toBe(0);
      expect(project.read('do/status')).toContain('MINE=yes');
      expect(project.read('do/status')).toContain('live state');
      expect(project.read('README.md')).not.toContain('An older line.');
      expect(project.isExecutable('do/export')).toBe(true);
      expect(project.rc.version).toBe(packageVersion);
      const after = project.snapshot();
      expect((await yo(['--yes'])).output).toContain('nothing to do');
      expect(differences(after, project.snapshot())).toEqual([]);
    },
  );

  test('takes the flags of mlcc regenerate, and its exit codes', async () => {
    olderProject();
    project.edit('README.md', edited('An older line.', 'A line of mine.'));
    project.edit('do/status', edited('living state', 'lively state'));
    const before = project.snapshot();
    const checked = await yo(['--check', '--diff', '--json']);
    expect(checked.code).toBe(3);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      changed: true,
      diff: expect.stringContaining('+++ b/do/status'),
    });
    expect((await yo(['--conflict', 'both'])).code).toBe(2);
    expect((await yo(['--resolved'])).code).toBe(2);
    expect((await yo(['--resolve=x'])).output).toContain('did you mean "resolved"');
    expect(differences(before, project.snapshot())).toEqual([]);
    expect((await yo([])).code).toBe(3);
    const pending = Object.keys(project.base.pending);
    expect(pending).toEqual(['README.md', 'do/status']);
    const { code } = await yo(['--resolved', 'README.md', '--resolved=do/status']);
    expect(code).toBe(0);
    expect(project.rc.version).toBe(packageVersion);
  });

  test('in a folder that is no project it says so', async () => {
    olderProject();
    project.delete('.yo-rc.json');
    const { code, output } = await yo([]);
    expect(code).toBe(2);
    expect(output).toContain('is not a project');
  });
});

const asUser = ordinaryUser() ? describe : process.env.CI === 'true' ? describe : describe.skip;
asUser('what an ordinary user may not write or read', () => {
  test.each([
    ['a read-only file', 'do/status', 0o444, /do\/status/],
    ['a read-only folder', 'do', 0o555, /do/],
    ['an unreadable folder of targets', 'do/targets.d', 0o000, /do\/targets\.d/],
    ['a read-only project', '.', 0o555, /read-only|permission denied/i],
    ['a read-only do/config', 'do/config', 0o444, /do\/config/],
    ['an unreadable file', 'do/status', 0o000, /do\/status/],
    ['an unreadable folder', 'do/lib', 0o000, /do\/lib/],
    ['an unreadable base', '.mlcc/base.json', 0o000, /base\.json/],
  ])('%s: a clear message, 1, and nothing is lost', async (_, path, mode, message) => {
    olderProject();
    const before = project.snapshot();
    const wasMode = statSync(project.path(path)).mode;
    chmodSync(project.path(path), mode);
    const { code, output } = await mlcc();
    chmodSync(project.path(path), wasMode);
    expect(output).toMatch(message);
    expect(output).not.toContain('internal error');
    expect(code).toBe(1);
    const contents = (snapshot: typeof before) =>
      Object.fromEntries(Object.entries(snapshot).map(([name, file]) => [name, file.contents]));
    expect(contents(project.snapshot())).toEqual(contents(before));
    expect((await mlcc()).code).toBe(0);
    expect(project.read('do/status')).toContain('MINE=yes');
  });
});

const canMount = process.getuid?.() === 0 && hasProgram('unshare');
(canMount ? describe : describe.skip)('a full disk', () => {
  test.each([
    ['before anything is staged', 0],
    ['while the files are staged', 16],
    ['while the files are staged, later', 48],
  ])('%s: nothing is changed, and it says so', async (_, free) => {
    olderProject();
    const mounted = join(project.dir, '../mounted');
    mkdirSync(mounted);
    // In a mount namespace of its own, that ends with the shell.
    const script = `
      set -eu
      size=$(( $(du -sk --apparent-size "$1" | cut -f1) * 2 + 1024 ))
      mount -t tmpfs -o size="$size"k tmpfs "$2"
      cp -a "$1/." "$2/"
      dd if=/dev/zero of="$2/filler" bs=4k 2>/dev/null || true
      truncate -s -"$3"k "$2/filler"
      cp -a "$2" "$2.before"
      code=0
      (cd "$2" && "$4" "$5" regenerate) >"$2.output" 2>&1 || code=$?
      echo "$code" >"$2.code"
      rm -f "$2/do/config.owner" "$2.before/do/config.owner"
      diff -r "$2.before" "$2" >"$2.diff" || true
      rm "$2/filler"
      (cd "$2" && "$4" "$5" regenerate) >>"$2.output" 2>&1
      grep -q MINE=yes "$2/do/status"`;
    const { status, stderr } = spawnSync(
      'unshare',
      [
        '-m',
        'bash',
        '-c',
        script,
        'bash',
        project.dir,
        mounted,
        String(free),
        process.execPath,
        join(generator, 'dist/bin/mlcc.js'),
      ],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
    const result = (name: string) => readFileSync(`${mounted}.${name}`, 'utf8');
    expect(result('output')).toMatch(/nothing was changed|was not changed/);
    expect(result('output')).toMatch(/ENOSPC|no space/i);
    expect(result('code')).toBe('1\n');
    expect(result('diff')).toBe('');
  });
});

describeWithPrograms(['git'], 'a project under git', () => {
  test('[C24] untracked files, and a do/config that scripts have written, block nothing; edits are listed by name', async () => {
    olderProject();
    project.write('notes.txt', 'untracked\n');
    await project.set('DEPLOYED_INSTANCE_TYPE', 'ml.g5.2xlarge');
    const git = (...args: string[]) => spawnSync('git', args, { cwd: project.dir, encoding: 'utf8' });
    git('init', '-q');
    git('add', 'do', 'README.md');
    const user = ordinaryUser();
    if (user) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, project.dir]);
    const { code, output } = await mlcc();
    expect(code).toBe(0);
    expect(output).toMatch(/merged +do\/status/);
    expect(project.read('notes.txt')).toBe('untracked\n');
    expect(project.config().get('DEPLOYED_INSTANCE_TYPE')).toBe('ml.g5.2xlarge');
  });
});
