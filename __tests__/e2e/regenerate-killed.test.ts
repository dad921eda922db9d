import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseConfig, setConfigValue } from '../../lib/config/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { isUpdateUnfinished, regenerate } from '../../lib/update/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { target } from '../update/support/catalogs.js';
import {
  catalog,
  edited,
  snapshotOf,
  templatesWith,
  UpdatedProject,
} from '../update/support/updated-project.js';

/** Every system call through which the command changes something on disk. */
const CALLS = 'openat,mkdir,rename,unlink,rmdir,write,pwrite64,fchmod,chmod,ftruncate,fchown,chown';
const RUNTIME = `state with $(touch MARKER) and 'quotes'`;

let project: UpdatedProject;
let root: string;
/** The built command, in a copy that stays the same while the test runs. */
let program: string;

/** A project that needs every kind of change: update, merge, conflict, new folder, removal, do/config and the records. */
beforeAll(async () => {
  if (!existsSync(join(packageRoot, 'dist/bin/mlcc.js'))) throw new Error('not built; run: npm run build');
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-killed-')));
  for (const part of ['package.json', 'dist', 'templates', 'targets.d', 'serve.d']) {
    cpSync(join(packageRoot, part), join(root, 'package', part), { recursive: true });
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'package/node_modules'));
  program = join(root, 'package/dist/bin/mlcc.js');
  project = new UpdatedProject({
    version: '0.0.1',
    templates: templatesWith({
      'README.md.ejs': (text) => `${text}\nAn older line.\n`,
      'do/status': edited('live state', 'living state'),
      'do/deploy': edited(/^set -euo pipefail$/m, 'set -eu'),
      'do/dropped/old': 'old\n',
      'do/export': null,
    }),
  });
  project.edit('do/status', edited('AS_JSON=no\n', 'AS_JSON=no\nMINE=yes\n'));
  project.edit('do/deploy', edited(/^set -eu$/m, 'set -e -u'));
  project.edit('do/config', edited(new RegExp(`^export ${target.status_var}=.*\n`, 'm'), ''));
  await project.set('DEPLOYED_INSTANCE_TYPE', RUNTIME);
  await project.set('DEPLOY_TIMEOUT', '1234');
});
afterAll(() => {
  project.remove();
  rmSync(root, { recursive: true, force: true });
});

let copies = 0;
function copyOf(dir: string): string {
  copies += 1;
  const copy = join(root, `${copies}`);
  cpSync(dir, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** A system call on one of the project's files, counted from 1 for each kind of call. */
interface WritePoint {
  call: string;
  when: number;
}

/** Runs the built command in a folder under strace. With a point, it is killed when it comes there. All writes are the main thread's. */
async function traced(dir: string, paths: readonly string[], point?: WritePoint) {
  const log = join(root, `trace ${dir.slice(root.length + 1)}`);
  const inject = point ? ['-e', `inject=${point.call}:signal=SIGKILL:when=${point.when}`] : [];
  const only = paths.flatMap((path) => ['-P', join(dir, path)]);
  const child = spawn(
    'strace',
    ['-qq', '-o', log, ...only, '-e', `trace=${CALLS}`, ...inject, process.execPath, program, 'regenerate'],
    { cwd: dir, stdio: 'ignore' },
  );
  const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
    child.on('exit', (...end) => done(end)),
  );
  return { code, signal, calls: readFileSync(log, 'utf8').split('\n') };
}

/** The files of a folder, without what belongs to the update itself. */
function contents(dir: string): Record<string, string> {
  const own = /^(\.mlcc\/journal\/|do\/config\.(lock|owner))/;
  return Object.fromEntries(
    Object.entries(snapshotOf(dir))
      .filter(([path]) => !own.test(path))
      .map(([path, { contents, mode }]) => [path, `${mode.toString(8)} ${contents}`]),
  );
}

describeWithPrograms(['strace'], 'a regenerate that is killed', () => {
  test('[C23] at every write point leaves the old tree, or one that the next run completes', async () => {
    const before = contents(project.dir);
    // One whole run tells which files are touched, and what comes out.
    const whole = copyOf(project.dir);
    const all = await traced(whole, []);
    expect(all.code).toBe(3);
    const expected = contents(whole);
    const touched = new Set(
      all.calls
        .filter((call) => !/O_RDONLY|ENOENT/.test(call))
        .flatMap((call) => [...call.matchAll(/"([^"]+)"/g)].map(([, path = '']) => path))
        .filter((path) => path.startsWith(`${whole}/`))
        .map((path) => path.slice(whole.length + 1)),
    );
    const paths = [...touched];
    expect(paths).toEqual(
      expect.arrayContaining([
        'do/config',
        'do/config.lock',
        'do/deploy.mlcc-new',
        'do/dropped',
        '.mlcc/base.json',
      ]),
    );
    const { calls } = await traced(copyOf(project.dir), paths);
    const counts = new Map<string, number>();
    const writePoints: WritePoint[] = [];
    for (const line of calls) {
      const call = /^(\w+)\(/.exec(line)?.[1];
      if (call === undefined) continue;
      const when = (counts.get(call) ?? 0) + 1;
      counts.set(call, when);
      if (!line.includes('O_RDONLY')) writePoints.push({ call, when });
    }
    expect(writePoints.length).toBeGreaterThan(50);

    const outcomes: string[] = [];
    const killAt = async (when: WritePoint): Promise<void> => {
      const dir = copyOf(project.dir);
      const { signal } = await traced(dir, paths, when);
      expect([when, signal]).toEqual([when, 'SIGKILL']);
      const isForward = isUpdateUnfinished(dir);
      const after = contents(dir);
      const isOld = JSON.stringify(after) === JSON.stringify(before);
      const isNew = JSON.stringify(after) === JSON.stringify(expected);
      expect([when, isForward || isOld || isNew]).toEqual([when, true]);
      outcomes.push(isForward ? 'forward' : isOld ? 'old' : 'new');
      // No value is lost, also not in between.
      expect(parseConfig(readFileSync(join(dir, 'do/config'), 'utf8')).get('DEPLOYED_INSTANCE_TYPE')).toBe(
        RUNTIME,
      );

      // A script that writes before the completion loses nothing either.
      const written = copyOf(dir);
      const config = join(written, 'do/config');
      await setConfigValue(config, 'DEPLOYED_INSTANCE_TYPE', 'written after the kill');
      await setConfigValue(config, target.status_var, 'Creating');
      await setConfigValue(config, 'DEPLOY_TIMEOUT', '77');
      await Promise.all([regenerate(dir, { catalog }), regenerate(written, { catalog })]);
      expect([when, contents(dir)]).toEqual([when, expected]);
      const late = parseConfig(readFileSync(config, 'utf8'));
      expect(late.get('DEPLOYED_INSTANCE_TYPE')).toBe('written after the kill');
      expect(late.get(target.status_var)).toBe('Creating');
      expect(late.get('DEPLOY_TIMEOUT')).toBe('77');
      const answers = JSON.parse(readFileSync(join(written, '.yo-rc.json'), 'utf8'))['generator-mlcc']
        .answers;
      expect(answers.deployTimeout).toBe('77');
      const {
        'do/config': _config,
        '.yo-rc.json': _rc,
        '.mlcc/base.json': _base,
        ...others
      } = contents(written);
      for (const [path, file] of Object.entries(others))
        expect([when, path, file]).toEqual([when, path, expected[path]]);
      expect((await regenerate(written, { catalog })).changes).toEqual([]);
      for (const folder of [dir, written]) rmSync(folder, { recursive: true });
    };
    const queue = [...writePoints];
    const work = async (): Promise<void> => {
      for (let when = queue.shift(); when !== undefined; when = queue.shift()) await killAt(when);
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(new Set(outcomes)).toEqual(new Set(['old', 'forward', 'new']));
  }, 300_000);
});
