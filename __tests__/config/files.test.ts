import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { describeWithPrograms } from '../support/programs.js';
import { LANGUAGES, Writers } from './support/writers.js';

const OLD = "# head\nexport OLD='kept'\n";
const NEW = `${OLD}export K='v'\n`;

const writers = new Writers();
const root = mkdtempSync(join(tmpdir(), 'mlcc-files-'));
chmodSync(root, 0o755);
afterAll(() => {
  writers.remove();
  rmSync(root, { recursive: true });
});

let count = 0;
function folderWithConfig(mode = 0o644): { folder: string; file: string } {
  count += 1;
  const folder = join(root, `project ${count}`);
  mkdirSync(folder);
  const file = join(folder, 'config');
  writeFileSync(file, OLD);
  chmodSync(file, mode);
  return { folder, file };
}

/** Runs a command as a user whom file modes bind, also where root runs the tests; root's own programs are not for him. */
const asUser = (command: string[]): string[] =>
  process.getuid?.() === 0
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'env', 'PATH=/usr/bin:/bin', ...command]
    : command;

describe.each(LANGUAGES)('a config that %s writes', (language) => {
  test.each([0o600, 0o640, 0o644, 0o664])('keeps its mode %p', async (mode) => {
    const { file } = folderWithConfig(mode);
    expect(await writers.run(writers.command(language, file, 'K', 'v'))).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(readFileSync(file, 'utf8')).toBe(NEW);
    expect(statSync(file).mode & 0o7777).toBe(mode);
  });

  test('is replaced behind its symbolic links, absolute and relative, which stay', async () => {
    const { folder, file } = folderWithConfig();
    mkdirSync(join(folder, 'links'));
    symlinkSync('../config', join(folder, 'links', 'relative'));
    symlinkSync(join(folder, 'links', 'relative'), join(folder, 'absolute'));
    const link = join(folder, 'absolute');
    expect(await writers.run(writers.command(language, link, 'K', 'v'))).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(readFileSync(file, 'utf8')).toBe(NEW);
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readlinkSync(join(folder, 'links', 'relative'))).toBe('../config');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['absolute', 'config', 'config.owner', 'links']);
  });

  test('can be updated by a user when config.owner is left behind by another', async () => {
    const { folder, file } = folderWithConfig(0o666);
    writeFileSync(`${file}.owner`, 'somebody else\n');
    chmodSync(`${file}.owner`, 0o400);
    chmodSync(folder, 0o777);
    expect(await writers.run(asUser(writers.command(language, file, 'K', 'v')))).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(readFileSync(file, 'utf8')).toBe(NEW);
  });

  test('is left alone when it is read-only', async () => {
    const { folder, file } = folderWithConfig(0o444);
    chmodSync(folder, 0o777);
    const { code, stderr } = await writers.run(asUser(writers.command(language, file, 'K', 'v')));
    expect({ code, text: readFileSync(file, 'utf8'), left: readdirSync(folder) }).toEqual({
      code: 1,
      text: OLD,
      left: ['config'],
    });
    expect(stderr).toContain(file);
  });

  test('is left alone when its folder is read-only', async () => {
    const { folder, file } = folderWithConfig(0o666);
    chmodSync(folder, 0o555);
    const { code, stderr } = await writers.run(asUser(writers.command(language, file, 'K', 'v')));
    expect({ code, text: readFileSync(file, 'utf8'), left: readdirSync(folder) }).toEqual({
      code: 1,
      text: OLD,
      left: ['config'],
    });
    expect(stderr).toContain(file);
  });

  test('is an error when it is missing, and is not made', async () => {
    const { folder, file } = folderWithConfig();
    rmSync(file);
    const { code, stderr } = await writers.run(writers.command(language, file, 'K', 'v'));
    expect({ code, left: readdirSync(folder) }).toEqual({ code: 1, left: [] });
    expect(stderr).toContain(file);
  });

  test('is left alone when it is no text', async () => {
    const { folder, file } = folderWithConfig();
    writeFileSync(file, "export OLD='a'\n\0\n");
    const { code } = await writers.run(writers.command(language, file, 'K', 'v'));
    expect(code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe("export OLD='a'\n\0\n");
    expect(existsSync(join(folder, 'config.lock'))).toBe(false);
  });
});

describeWithPrograms(['strace'], 'what others can read while a config is written', () => {
  test.each(LANGUAGES)('is never more than the config itself: %s', async (language) => {
    const { folder, file } = folderWithConfig(0o640);
    const trace = join(folder, 'trace');
    const calls = 'trace=open,openat,creat,chmod,fchmod,fchmodat,umask';
    const command = ['strace', '-f', '-o', trace, '-e', calls, ...writers.command(language, file, 'K', 'v')];
    expect(await writers.run(['bash', '-c', 'umask 000; exec "$@"', 'sh', ...command])).toMatchObject({
      code: 0,
    });
    const lines = readFileSync(trace, 'utf8').split('\n');
    const made = lines.filter((line) => line.includes('config.lock"') && line.includes('O_EXCL'));
    expect(made.length).toBe(1);
    // bash asks for 0666 under a umask of 077, the others for 0600.
    const umask = lines.slice(0, lines.indexOf(made[0] ?? '')).findLast((line) => line.includes('umask('));
    const asked = Number.parseInt(/, (0\d+)\) = /.exec(made[0] ?? '')?.[1] ?? '0777', 8);
    const withheld = Number.parseInt(/umask\((0\d*)\)/.exec(umask ?? '')?.[1] ?? '0', 8);
    expect(asked & ~withheld & 0o177).toBe(0);
    const modes = lines.flatMap((line) => /chmod(?:at)?\(.*, (0\d+)\) += 0/.exec(line)?.[1] ?? []);
    expect(modes.filter((mode) => Number.parseInt(mode, 8) & ~0o640 & 0o777)).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });
});

const canMount = process.getuid?.() === 0;
if (!canMount && process.env.CI === 'true')
  throw new Error('the tests of a full disk need root, to mount a small one');
(canMount ? describe : describe.skip)('on a full disk (needs root)', () => {
  /** A disk with room for `free` pages (of 4 KiB) beside a config of `size` bytes. */
  function onSmallDisk(free: number, size: number, work: (file: string) => Promise<void>): Promise<void> {
    const disk = mkdtempSync(join(root, 'disk-'));
    const pages = Math.ceil(size / 4096) + free;
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${pages * 4}k`, 'tmpfs', disk]);
    if (mounted.status !== 0) throw new Error(`cannot mount: ${mounted.stderr}`);
    const file = join(disk, 'config');
    writeFileSync(file, `export OLD='${'x'.repeat(size)}'\n`.slice(-size));
    return work(file).finally(() => spawnSync('umount', [disk]));
  }

  describe.each(LANGUAGES)('%s', (language) => {
    // No room for the lock's one line; for the lock; for lock and owner, but not for the contents.
    test.each([0, 1, 2])('nothing is lost with %p pages free', async (free) => {
      await onSmallDisk(free, 20_000, async (file) => {
        const before = readFileSync(file, 'utf8');
        const { code, stderr } = await writers.run(writers.command(language, file, 'K', 'v'));
        expect({ code, isSame: readFileSync(file, 'utf8') === before }).toEqual({ code: 1, isSame: true });
        expect(stderr).toContain(`${file} was not changed`);
        expect(existsSync(`${file}.lock`)).toBe(false);
      });
    });
  });
});
