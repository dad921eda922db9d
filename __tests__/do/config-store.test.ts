import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../lib/package/index.js';
import { describeWithPrograms } from '../support/programs.js';

const OLD = "# head\nexport OLD='kept'\n";
const root = mkdtempSync(join(tmpdir(), 'mlcc store '));
const doFolder = join(root, 'do');
const config = join(doFolder, 'config');
cpSync(join(packageRoot, 'templates/do/lib'), join(doFolder, 'lib'), { recursive: true });
afterAll(() => rmSync(root, { recursive: true }));

beforeEach(() => {
  for (const name of readdirSync(doFolder)) if (name !== 'lib') rmSync(join(doFolder, name));
  writeFileSync(config, OLD);
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = root): Ended {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, ...env },
  });
  return { code: status, stdout, stderr };
}

/** Runs text in a strict shell that has sourced the store, as the verbs do. */
const inScript = (text: string, env: NodeJS.ProcessEnv = {}, options = ''): Ended =>
  run(
    'bash',
    ['-c', `set -euo pipefail\nCONFIG_FILE=$PWD/do/config\n${options}\n. do/lib/config-store.sh\n${text}`],
    env,
  );

/** A PATH on which these programs stand before the system's. */
function programs(name: string, scripts: Record<string, string>): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const [program, text] of Object.entries(scripts))
    writeFileSync(join(folder, program), text, { mode: 0o755 });
  return `${folder}${delimiter}${process.env.PATH}`;
}

describe('_update_config in a strict script', () => {
  test('stores the value and sets the variable, exported', () => {
    const { code, stdout, stderr } = inScript(
      `_update_config K "it's"; printf '%s,' "$K"; bash -c 'echo "$K"'`,
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "it's,it's\n", stderr: '' });
    expect(readFileSync(config, 'utf8')).toBe(`${OLD}export K='it'\\''s'\n`);
  });

  test('a refused key, value or secret ends the script with 2 and without the value', () => {
    for (const [key, value] of [
      ['9K', 'v'],
      ['K', 'a\nb'],
      ['K', 'hf_verysecret'],
    ] as const) {
      const ended = inScript('_update_config "$key" "$value"; echo "not reached"', { key, value });
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 2, stdout: '' });
      expect(ended.stderr).toContain(key);
      expect(ended.stderr).not.toContain('verysecret');
    }
    expect(readFileSync(config, 'utf8')).toBe(OLD);
    expect(readdirSync(doFolder).sort()).toEqual(['config', 'lib']);
  });

  test('[C02] a failed write ends the script with 1 and leaves the variable alone', () => {
    const path = programs('broken mv', { mv: '#!/bin/sh\nexit 1\n' });
    const ended = inScript(
      'K=before; if _update_config K after; then exit 9; fi; echo "$K"; _update_config K after',
      {
        PATH: path,
      },
    );
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 1, stdout: 'before\n' });
    expect(readFileSync(config, 'utf8')).toBe(OLD);
    expect(existsSync(`${config}.lock`)).toBe(false);
  });

  test('leaves no names, options or settings behind in the caller', () => {
    const text = `
      state() { compgen -v | sort; declare -F; umask; set +o; shopt; printf '%q ' "$IFS" "$LC_ALL" "$PWD"; }
      before=$(state)
      _update_config OLD new; _update_config NEW '*'; _remove_config NEW
      after=$(state)
      [[ $before == "$after" ]] || { diff <(echo "$before") <(echo "$after"); exit 1; }
      compgen -A function; compgen -v`;
    const settings =
      'umask 027; set -C -f; IFS=,; export LC_ALL=C.UTF-8; OLD=; after=; before=; [[ a =~ a ]]';
    const { code, stdout } = inScript(text, {}, `${settings}\ncompgen -v >do/names`);
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
    const known = new Set([
      ...readFileSync(join(doFolder, 'names'), 'utf8').split('\n'),
      'state',
      'FUNCNAME',
      '_',
    ]);
    const added = stdout.split('\n').filter((name) => !known.has(name));
    expect(added.filter((name) => !/^_(config_|CONFIG_|update_config$|remove_config$)/.test(name))).toEqual(
      [],
    );
  });

  test('_remove_config drops the key in the file and in the shell', () => {
    const { code, stdout } = inScript('_update_config K v; _remove_config K; echo "${K-gone}"');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'gone\n' });
    expect(readFileSync(config, 'utf8')).toBe(OLD);
  });

  test('[C10] needs no program but cp and mv, and readlink for a link', () => {
    const only = join(root, 'only');
    mkdirSync(only, { recursive: true });
    const found = (name: string) => run('bash', ['-c', `type -P ${name}`]).stdout.trim();
    for (const name of ['bash', 'cp', 'mv', 'readlink']) symlinkSync(found(name), join(only, name));
    symlinkSync('config', join(doFolder, 'link'));
    const ended = inScript('_update_config K 1; CONFIG_FILE=$PWD/do/link; _update_config L 2', {
      PATH: only,
    });
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(config, 'utf8')).toBe(`${OLD}export K='1'\nexport L='2'\n`);
  });

  test.each([
    ['with BASHPID', ''],
    ['without it, as on bash 3.2', 'unset BASHPID'],
  ])('[C05] 20 background subshells of one script all win, %s', (_title, prepare) => {
    const script = `${prepare}
      for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ( _update_config "K$i" v ) & pids="\${pids-} $!"; done
      for pid in $pids; do wait "$pid"; done`;
    expect(inScript(script)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(config, 'utf8').match(/export K\d+='v'\n/g)?.length).toBe(20);
    expect(existsSync(`${config}.lock`)).toBe(false);
  });
});

describe('an update in a trap, in the middle of an update', () => {
  const SIGNALLING = `#!/bin/sh\n[ -e "$MARK" ] || { : >"$MARK"; kill -TERM $PPID; }\nPATH=\${PATH#*:} `;

  test.each(['cp', 'mv'])('that ends the script is stored: during %s', (program) => {
    const PATH = programs(`signal ${program}`, { [program]: `${SIGNALLING}${program} "$@"\n` });
    const ended = inScript("trap '_update_config STATUS Interrupted; exit 143' TERM; _update_config K v", {
      PATH,
      MARK: join(doFolder, 'mark'),
    });
    expect(ended).toEqual({ code: 143, stdout: '', stderr: '' });
    expect(readFileSync(config, 'utf8')).toContain("export STATUS='Interrupted'\n");
    expect(existsSync(`${config}.lock`)).toBe(false);
  });

  test.each(['cp', 'mv'])('that lets the script go on loses neither: during %s', (program) => {
    const PATH = programs(`signal ${program}`, { [program]: `${SIGNALLING}${program} "$@"\n` });
    const ended = inScript("trap '_update_config STATUS Interrupted' TERM; _update_config K v", {
      PATH,
      MARK: join(doFolder, 'mark'),
    });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: '' });
    const text = readFileSync(config, 'utf8');
    expect(text).toContain("export STATUS='Interrupted'\n");
    expect(text).toContain("export K='v'\n");
    expect(existsSync(`${config}.lock`)).toBe(false);
  });
});

describeWithPrograms(['strace'], 'what an update forks', () => {
  test('two programs when nobody else writes, one when nothing changes', () => {
    const trace = join(doFolder, 'trace');
    const forked = (value: string): string[] => {
      const calls = 'trace=clone,clone3,fork,vfork,execve';
      const script = `CONFIG_FILE=$PWD/do/config; . do/lib/config-store.sh; _update_config OLD '${value}'`;
      expect(run('strace', ['-f', '-o', trace, '-e', calls, 'bash', '-c', script]).code).toBe(0);
      return readFileSync(trace, 'utf8')
        .split('\n')
        .flatMap((line) => /^\d+ +(\w+)\((?:"([^"]*)")?/.exec(line)?.slice(1) ?? [])
        .filter((word) => word !== undefined && word !== 'execve')
        .map((word) => word.replace(/.*\//, ''));
    };
    const fork = expect.stringMatching(/fork|clone/);
    expect(forked('new')).toEqual(['bash', fork, 'cp', fork, 'mv']);
    expect(forked('new')).toEqual(['bash', fork, 'rm']);
  });
});

describe.each([
  ['config-store.sh', [] as string[]],
  ['python/config_store.py', ['python3']],
])('the command do/lib/%s', (name, interpreter) => {
  const command = (...args: string[]): Ended => {
    const [program = '', ...rest] = [...interpreter, join(doFolder, 'lib', name), ...args];
    return run(program, rest, { CONFIG_FILE: '/dev/null', PYTHONDONTWRITEBYTECODE: '1' }, tmpdir());
  };

  test('gets, sets and unsets, from any folder and whatever CONFIG_FILE is', () => {
    expect(command('get', 'OLD')).toEqual({ code: 0, stdout: 'kept\n', stderr: '' });
    expect(command('set', 'K', 'a  $(b) é')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(command('get', 'K').stdout).toBe('a  $(b) é\n');
    expect(command('unset', 'OLD').code).toBe(0);
    expect(readFileSync(config, 'utf8')).toBe("# head\nexport K='a  $(b) é'\n");
  });

  test('a missing key is 1 and names the key; wrong usage is 2 and shows the usage', () => {
    const missing = command('get', 'NONE');
    expect({ code: missing.code, stdout: missing.stdout }).toEqual({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('NONE');
    for (const args of [
      [],
      ['get'],
      ['set', 'K'],
      ['set', 'K', 'v', 'w'],
      ['unset'],
      ['frob', 'K'],
      ['get', 'K', 'L'],
    ]) {
      const { code, stderr } = command(...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain('usage: ');
    }
    expect(command('get', 'A-B').code).toBe(2);
    expect(command('set', 'K', 'ghp_abc').code).toBe(2);
  });

  test('[C11] reads a config with carriage returns, and a write mends it', () => {
    writeFileSync(config, "# head\r\n\r\nexport AWS_REGION='us-east-1'\r\n");
    expect(command('get', 'AWS_REGION').stdout).toBe('us-east-1\n');
    expect(command('set', 'K', 'v').code).toBe(0);
    expect(readFileSync(config, 'utf8')).toBe("# head\n\nexport AWS_REGION='us-east-1'\nexport K='v'\n");
  });

  test('refuses bytes that are not UTF-8', () => {
    const program = [...interpreter, join(doFolder, 'lib', name)].map((word) => `'${word}'`).join(' ');
    for (const bytes of ['\\xff', 'a\\xc3', '\\xed\\xa0\\x80', '\\xc0\\x80', '\\xf4\\x90\\x80\\x80']) {
      const { code } = run('bash', ['-c', `${program} set K $'${bytes}'`], { PYTHONDONTWRITEBYTECODE: '1' });
      expect({ bytes, code }).toEqual({ bytes, code: 2 });
    }
    expect(readFileSync(config, 'utf8')).toBe(OLD);
  });

  test('can be run as a program', () => {
    chmodSync(config, 0o600);
    expect(run(join(doFolder, 'lib', name), ['get', 'OLD'], { PYTHONDONTWRITEBYTECODE: '1' }).stdout).toBe(
      'kept\n',
    );
  });
});
