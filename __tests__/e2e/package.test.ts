import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { render } from '../../lib/project/index.js';
import { type Installation, install } from '../support/installation.js';
import { ordinaryUser } from '../support/ordinary-user.js';

const catalog = loadCatalog();
const target =
  catalog.targets.find(({ manifest }) => manifest.family === 'kubernetes')?.manifest.target ?? '';
const description = `R&D "7B" it's <fast>`;
const expected = render({ projectName: 'demo', deploymentTarget: target, description }, catalog);
const flags = ['demo', '--target', target, '--description', description, '--yes'];

let installation: Installation;
beforeAll(() => {
  if (!existsSync(join(packageRoot, 'dist/bin/mlcc.js'))) throw new Error('not built; run: npm run build');
  installation = install();
}, 300_000);
afterAll(() => installation?.remove());

/** Path, executable bit and contents of everything below a folder. */
function contentsOf(folder: string): [string, boolean, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, boolean, string] => [
      path.slice(folder.length + 1),
      (statSync(path).mode & 0o100) !== 0,
      readFileSync(path, 'utf8'),
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
const asListed = [...expected].map(([path, { contents, executable }]) => [path, executable, contents]);

function workFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-work-')));
  chmodSync(folder, 0o755);
  return folder;
}

describe('the same project, byte for byte', () => {
  test.each([
    ['from the git checkout', () => join(installation.checkout, 'dist/bin/mlcc.js'), {}],
    ['[C15] [C18] from the installed npm tarball', () => join(installation.modules, '.bin/mlcc'), {}],
    [
      'under another locale, time zone, user name and file mask',
      () => join(installation.modules, '.bin/mlcc'),
      {
        LC_ALL: 'tr_TR.UTF-8',
        LANG: 'tr_TR.UTF-8',
        TZ: 'Pacific/Kiritimati',
        USER: 'somebody',
        HOME: '/nonexistent',
      },
    ],
  ])('%s', (_, program, env) => {
    const cwd = workFolder();
    execFileSync('sh', ['-c', 'umask 077; exec node "$@"', 'sh', program(), 'new', ...flags], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, ...env },
    });
    expect(contentsOf(join(cwd, 'demo'))).toEqual(asListed);
    rmSync(cwd, { recursive: true });
  });

  test('[C18] from the tarball that pnpm packs', () => {
    const cwd = workFolder();
    execFileSync('tar', ['-xzf', installation.tarballs.pnpm, '-C', cwd]);
    symlinkSync(installation.modules, join(cwd, 'package/node_modules'));
    execFileSync('node', [join(cwd, 'package/dist/bin/mlcc.js'), 'new', ...flags], { cwd });
    expect(contentsOf(join(cwd, 'demo'))).toEqual(asListed);
    rmSync(cwd, { recursive: true });
  });
});

describe('yo, as an ordinary user', () => {
  const user = ordinaryUser();
  const title = user
    ? 'with the generator linked and installed'
    : 'needs the user mlcc-test (useradd mlcc-test)';
  if (!user && process.env.CI === 'true') test(title, () => expect(user).toBeDefined());
  const suite = user ? describe : describe.skip;

  suite(title, () => {
    const homes: string[] = [];
    afterAll(() => {
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    });

    /** A home of the user's own, with the generator where yo looks for it. */
    const prepare = (generator: string) => {
      const home = workFolder();
      homes.push(home);
      mkdirSync(join(home, 'generators'));
      mkdirSync(join(home, 'work'));
      symlinkSync(generator, join(home, 'generators/generator-mlcc'));
      if (process.getuid?.() === 0)
        for (const path of [home, join(home, 'work')]) chownSync(path, user?.uid ?? 0, user?.gid ?? 0);
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        NODE_PATH: join(home, 'generators'),
        LANG: 'C.UTF-8',
      };
      const command = [
        ...(user?.prefix ?? []),
        process.execPath,
        join(installation.modules, 'yo/lib/cli.js'),
        'mlcc',
      ];
      return { cwd: join(home, 'work'), env, command };
    };
    const yo = (generator: string, args: readonly string[], before: (cwd: string) => void = () => {}) => {
      const { cwd, env, command } = prepare(generator);
      before(cwd);
      const [program = '', ...rest] = [...command, ...args];
      const result = spawnSync(program, rest, { cwd, env, input: '', encoding: 'utf8' });
      return { cwd, code: result.status, output: result.stdout + result.stderr };
    };

    test.each([
      ['linked from the checkout', () => installation.checkout],
      ['installed from the tarball', () => installation.installed],
    ])('%s: the same bytes as mlcc new', (_, generator) => {
      const { cwd, code, output } = yo(generator(), flags);
      expect([code, output]).toEqual([0, expect.stringContaining('do/deploy --dry-run')]);
      expect(contentsOf(join(cwd, 'demo'))).toEqual(asListed);
    });

    test('every flag of the registry is taken, also one that Yeoman uses itself', () => {
      const { cwd, code } = yo(installation.checkout, [...flags, '--namespace', 'models', '--replicas=3']);
      expect(code).toBe(0);
      const config = readFileSync(join(cwd, 'demo/do/config'), 'utf8');
      expect(config).toContain("export HP_NAMESPACE='models'\n");
      expect(config).toContain("export HP_REPLICAS='3'\n");
    });

    test('a misspelt flag is refused', () => {
      const { cwd, code, output } = yo(installation.checkout, [...flags, '--regoin', 'eu-west-1']);
      expect([code, output]).toEqual([2, expect.stringContaining('did you mean "region"')]);
      expect(readdirSync(cwd)).toEqual([]);
    });

    test('[C13] without a terminal it ends by itself, names what is missing, and writes nothing', async () => {
      const closed = yo(installation.checkout, []);
      expect([closed.code, closed.output]).toEqual([2, expect.stringContaining('<name>')]);
      expect(readdirSync(closed.cwd)).toEqual([]);

      // A pipe that stays open and never says anything.
      const { cwd, env, command } = prepare(installation.checkout);
      const [program = '', ...rest] = command;
      const idle = spawn(program, rest, { cwd, env, stdio: ['pipe', 'ignore', 'pipe'] });
      let stderr = '';
      idle.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      const code = await new Promise((resolve) => idle.on('close', resolve));
      expect([code, stderr]).toEqual([2, expect.stringContaining('<name>')]);
      expect(readdirSync(cwd)).toEqual([]);
    });

    test('[C17] files in the way: exit 2, listed, nothing touched', () => {
      const { cwd, code, output } = yo(installation.checkout, ['--here', '--skip-prompts'], (folder) => {
        writeFileSync(join(folder, 'README.md'), 'mine');
        writeFileSync(join(folder, 'package.json'), '{}');
      });
      expect([code, output]).toEqual([2, expect.stringContaining('\n  README.md\n')]);
      expect(readdirSync(cwd).sort()).toEqual(['README.md', 'package.json']);
      expect(readFileSync(join(cwd, 'README.md'), 'utf8')).toBe('mine');
    });
  });
});
