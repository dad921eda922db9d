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
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { render } from '../../lib/project/index.js';
import { filesBelow } from '../support/files.js';
import { type Installation, install } from '../support/installation.js';
import { abandoned, dialogue, expectedProject } from '../support/new-project-dialogue.js';
import { ordinaryUser } from '../support/ordinary-user.js';
import { onTerminal } from '../support/terminal.js';

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
    expect(filesBelow(join(cwd, 'demo'))).toEqual(asListed);
    rmSync(cwd, { recursive: true });
  });

  test('[C18] from the tarball that pnpm packs', () => {
    const cwd = workFolder();
    execFileSync('tar', ['-xzf', installation.tarballs.pnpm, '-C', cwd]);
    symlinkSync(installation.modules, join(cwd, 'package/node_modules'));
    execFileSync('node', [join(cwd, 'package/dist/bin/mlcc.js'), 'new', ...flags], { cwd });
    expect(filesBelow(join(cwd, 'demo'))).toEqual(asListed);
    rmSync(cwd, { recursive: true });
  });
});

const user = ordinaryUser();

describe('mlcc new, as an ordinary user, where something is not theirs to write', () => {
  const suite = user && process.getuid?.() === 0 ? describe : describe.skip;
  const newProject = (cwd: string) => {
    const [program = '', ...rest] = [
      ...(user?.prefix ?? []),
      process.execPath,
      join(installation.modules, '.bin/mlcc'),
    ];
    return spawnSync(program, [...rest, 'new', ...flags, '--here'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: '/nonexistent' },
      encoding: 'utf8',
    });
  };

  suite(user ? 'as root gives it to them' : 'needs root and the user mlcc-test', () => {
    test('only the folder above: the project is written', () => {
      const above = workFolder();
      mkdirSync(join(above, 'mine'));
      chownSync(join(above, 'mine'), user?.uid ?? 0, user?.gid ?? 0);
      const { status, stderr } = newProject(join(above, 'mine'));
      expect([status, stderr]).toEqual([0, '']);
      expect(filesBelow(join(above, 'mine'))).toEqual(asListed);
      rmSync(above, { recursive: true });
    });

    test('the folder itself: it is said, and nothing is written', () => {
      const theirs = workFolder();
      const { status, stderr } = newProject(theirs);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/cannot write .*\n {2}EACCES: .*\n→ /)]);
      expect(readdirSync(theirs)).toEqual([]);
      rmSync(theirs, { recursive: true });
    });
  });
});

describe('yo, as an ordinary user', () => {
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
      expect(filesBelow(join(cwd, 'demo'))).toEqual(asListed);
    });

    test('every flag of the registry is taken, also one that Yeoman uses itself', () => {
      const { cwd, code } = yo(installation.checkout, [...flags, '--namespace', 'models', '--replicas=3']);
      expect(code).toBe(0);
      const config = readFileSync(join(cwd, 'demo/do/config'), 'utf8');
      expect(config).toContain("export HP_NAMESPACE='models'\n");
      expect(config).toContain("export HP_REPLICAS='3'\n");
    });

    test.each([
      ['a misspelt flag', ['--regoin', 'eu-west-1'], 'did you mean "region"'],
      ['a flag without its value', ['--region', '--here'], '--region needs a value; found --here'],
      ['a second argument, also behind a switch', ['text'], 'too many arguments: "text"'],
    ])('%s is refused', (_, more, expected) => {
      const { cwd, code, output } = yo(installation.checkout, [...flags, ...more]);
      expect([code, output]).toEqual([2, expect.stringContaining(expected)]);
      expect(readdirSync(cwd)).toEqual([]);
    });

    test('the name may stand behind a switch', () => {
      const { cwd, code } = yo(installation.checkout, ['--yes', 'demo']);
      expect([code, readdirSync(cwd)]).toEqual([0, ['demo']]);
    });

    test('a value is taken as it was typed, also one that looks like a number or a flag', () => {
      const given = ['demo', '--yes', '--description', '-007', '--model=1e5'];
      const { cwd, code } = yo(installation.checkout, given);
      expect(code).toBe(0);
      const { answers } = JSON.parse(readFileSync(join(cwd, 'demo/.yo-rc.json'), 'utf8'))['generator-mlcc'];
      expect(answers).toMatchObject({ description: '-007', modelName: '1e5' });
    });

    test('below another project, the new one gets a folder of its own', () => {
      const { cwd, code } = yo(installation.checkout, flags, (folder) => {
        writeFileSync(join(folder, '.yo-rc.json'), '{ "generator-mlcc": {} }');
      });
      expect(code).toBe(0);
      expect(filesBelow(join(cwd, 'demo'))).toEqual(asListed);
      expect(readdirSync(cwd).sort()).toEqual(['.yo-rc.json', 'demo']);
    });

    describe('on a terminal', () => {
      const talk = (lines: readonly [string, string][]) => {
        const { cwd, env, command } = prepare(installation.checkout);
        return { cwd, ...onTerminal(command, lines, { cwd, env: { ...env, TERM: 'xterm', NO_COLOR: '1' } }) };
      };

      test('it asks what mlcc new asks, and makes the same project', () => {
        const { cwd, code, unasked } = talk(dialogue);
        expect([code, unasked]).toEqual([0, []]);
        expect(filesBelow(join(cwd, 'my-thing'))).toEqual(expectedProject);
      });

      test('Control-C at a question: 130, and nothing is written', () => {
        const { cwd, code, output, unasked } = talk(abandoned);
        expect([code, unasked]).toEqual([130, []]);
        expect(output).toContain('stopped; nothing was written');
        expect(readdirSync(cwd)).toEqual([]);
      });
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
