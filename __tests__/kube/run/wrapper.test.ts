import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { STAGER, WRAPPER } from '../../../lib/kube/run/wrapper.js';
import { describeWithPrograms } from '../../support/programs.js';
import {
  containerOf,
  LOOP,
  MANIFEST,
  PLAYBOOK,
  PROFILE,
  type RunOverrides,
  render,
  withValue,
} from './fixture.js';

let folder: string;
let domain: string;
/** Leader of the process group of the last run. */
let started: number | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrapper-'));
  domain = join(folder, 'domains', 'rollout');
  mkdirSync(join(domain, 'state'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  program('podman', 'echo "podman $*" >>"$LOG"');
  program('curl', 'echo "curl $*" >>"$LOG"; cat >>"$LOG"');
});

afterEach(() => {
  try {
    // Whatever a failed test has left running.
    if (started !== undefined) process.kill(-started, 'SIGKILL');
  } catch {}
  rmSync(folder, { recursive: true });
});

/** Puts a program on the PATH that the wrapper sees. */
function program(name: string, body: string): void {
  const file = join(folder, 'bin', name);
  writeFileSync(file, `#!/bin/bash\n${body}\n`);
  chmodSync(file, 0o755);
}

function log(): string[] {
  const file = join(folder, 'log');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the program of a rendered container as its kubelet would, with absolute paths moved below the test's folder. */
async function run(
  overrides: RunOverrides,
  onStart: (kill: (signal: NodeJS.Signals) => void) => void = () => {},
  change: (program: string) => string = (program) => program,
): Promise<Ended> {
  const profile = withValue(overrides.profile ?? PROFILE, ['image', 'domains_root'], join(folder, 'domains'));
  const { container } = containerOf(await render({ ...overrides, profile }));
  const [command = '', ...first] = container.command;
  const words = [...first, ...(container.args ?? [])].map((word) =>
    change(word.replaceAll('$$', '$').replaceAll('/var/run/secrets/crucible', folder)),
  );
  const child = spawn(command, words, {
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, LOG: join(folder, 'log') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started = child.pid;
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  child.stdout.on('data', (data) => {
    stdout += data;
    if (String(data).includes('READY')) onStart((signal) => child.kill(signal));
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

const WITHOUT_INGEST = withValue(PROFILE, ['cluster', 'ingest_url'], undefined);

describeWithPrograms(['bash'], 'the program of the run’s container', () => {
  test('runs the loop, keeps its exit code and prints the session log behind its line', async () => {
    program(
      'crucible',
      `echo "crucible $*" >>"$LOG"; printf 'one\\ntwo\\n' >${domain}/state/session.jsonl; exit 7`,
    );
    const ended = await run({ profile: WITHOUT_INGEST, mode: LOOP });
    expect(ended).toEqual({ code: 7, stdout: 'SESSION (rc=7)\none\ntwo\n', stderr: '' });
    expect(log().at(-1)).toBe(
      `crucible --manifest ${domain}/crucible.toml --iterations 20 --max-cost 50 --results-bucket research-results --resume`,
    );
  });

  test('runs a playbook, with each parameter as one word', async () => {
    program('crucible', 'for word in "$@"; do echo "[$word]" >>"$LOG"; done');
    const mode = { ...PLAYBOOK, kind: 'playbook', params: ['TEXT=a  b $(id) "c"', "Q='"] } as const;
    const manifest = withValue(MANIFEST, ['agent', 'sandbox_image'], undefined);
    expect(await run({ manifest, profile: WITHOUT_INGEST, mode })).toMatchObject({
      code: 0,
      stdout: 'SESSION (rc=0)\n',
    });
    expect(log()).toEqual(
      ['plan', 'run', '--manifest', `${domain}/crucible.toml`, '--max-cost', '5', '--max-time', '90m']
        .concat(['--param', 'TEXT=a  b $(id) "c"', '--param', "Q='"])
        .map((word) => `[${word}]`),
    );
  });

  test('makes the sandbox’s tag mean the pinned image before crucible starts', async () => {
    program('crucible', 'echo crucible >>"$LOG"');
    await run({ profile: WITHOUT_INGEST });
    const pinned = expect.stringMatching(
      /^podman pull --quiet registry\.example\.com\/crucible\/sandbox@sha256:[0-9a-f]{64}$/,
    );
    const tag = expect.stringMatching(
      /^podman tag \S+@sha256:\S+ registry\.example\.com\/crucible\/sandbox:v7$/,
    );
    expect(log()).toEqual([pinned, tag, 'crucible']);
  });

  test('a sandbox image that cannot be pulled ends the run with its code, before crucible', async () => {
    program('podman', 'exit 125');
    program('crucible', 'echo crucible >>"$LOG"');
    expect(await run({ profile: WITHOUT_INGEST })).toMatchObject({ code: 125, stdout: 'SESSION (rc=125)\n' });
    expect(log()).toEqual([]);
  });

  test('a registry with a port is not taken for a tag', async () => {
    program('crucible', 'true');
    await run({
      profile: WITHOUT_INGEST,
      manifest: withValue(MANIFEST, ['agent', 'sandbox_image'], 'localhost:5000/sandbox'),
    });
    expect(log()[0]).toMatch(/^podman pull --quiet localhost:5000\/sandbox@sha256:[0-9a-f]{64}$/);
  });

  describe.each(['TERM', 'INT'] as const)('%s', (name) => {
    test('is handed on, and the run’s own exit code is kept', async () => {
      program(
        'crucible',
        `trap 'echo got-${name}; sleep 0.2; exit 3' ${name}; echo READY; while :; do sleep 0.05; done`,
      );
      const ended = await run({ profile: WITHOUT_INGEST }, (kill) => kill(`SIG${name}`));
      expect(ended).toEqual({ code: 3, stdout: `READY\ngot-${name}\nSESSION (rc=3)\n`, stderr: '' });
    });

    test('is handed on when it comes before the run’s number is known', async () => {
      program('crucible', `trap 'exit 3' ${name}; echo READY; while :; do sleep 0.05; done`);
      const slowly = (text: string) => text.replace('run=$!', 'sleep 0.3; run=$!');
      const ended = await run({ profile: WITHOUT_INGEST }, (kill) => kill(`SIG${name}`), slowly);
      expect(ended).toEqual({ code: 3, stdout: 'READY\nSESSION (rc=3)\n', stderr: '' });
    });

    test('ends a run that does not handle it, with the signal’s exit code', async () => {
      program('crucible', 'echo READY; exec sleep 30');
      const ended = await run({ profile: WITHOUT_INGEST }, (kill) => kill(`SIG${name}`));
      const code = name === 'TERM' ? 143 : 130;
      expect(ended).toMatchObject({ code, stdout: `READY\nSESSION (rc=${code})\n` });
    });
  });

  describe('with an ingest URL', () => {
    beforeEach(() => {
      writeFileSync(join(folder, 'ingest-token'), 'the-token');
      program('crucible', `printf '{"shutdown":true}\\n' >${domain}/state/session.jsonl; exit 4`);
    });

    test('the session log is sent with the token, which stands in no argument, and nothing is printed', async () => {
      expect(await run({})).toEqual({ code: 4, stdout: '', stderr: '' });
      const sent = log().slice(-2);
      expect(sent[0]).toContain(`--data-binary @${domain}/state/session.jsonl https://ingest.example.com/a`);
      expect(sent[0]).not.toContain('the-token');
      expect(sent[1]).toBe('header = "Authorization: Bearer the-token"');
    });

    test('a log that cannot be sent is printed, so that it is not lost', async () => {
      program('curl', 'cat >/dev/null; echo refused >&2; exit 22');
      expect(await run({})).toEqual({
        code: 4,
        stdout: 'SESSION (rc=4)\n{"shutdown":true}\n',
        stderr: 'refused\n',
      });
    });
  });
});

describeWithPrograms(['sh', 'cp'], 'the init container that stages a pack', () => {
  test('copies a ConfigMap’s volume, without its inner folders, keeping which files are programs', async () => {
    const volume = join(folder, 'volume');
    const files: Record<string, number> = {
      'crucible.toml': 0o644,
      'bin/measure': 0o755,
      '.env': 0o644,
      'a b/c d.md': 0o644,
    };
    for (const [path, mode] of Object.entries(files)) {
      const file = join(volume, '..2026_01_01', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, path);
      chmodSync(file, mode);
    }
    symlinkSync('..2026_01_01', join(volume, '..data'));
    for (const top of ['crucible.toml', 'bin', '.env', 'a b'])
      symlinkSync(join('..data', top), join(volume, top));

    const pack = { files: [{ path: 'crucible.toml', bytes: Buffer.from('x'), executable: false }] };
    const { spec } = containerOf(await render({ manifest: {}, mode: PLAYBOOK, pack }));
    const [command = '', flag = '', script = '', name = ''] = spec.initContainers?.[0]?.command ?? [];
    const child = spawn(command, [
      flag,
      script.replaceAll('$$', '$').replaceAll('/pack/', `${volume}/`),
      name,
      domain,
    ]);
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    for (const [path, mode] of Object.entries(files)) {
      expect(readFileSync(join(domain, path), 'utf8')).toBe(path);
      expect(statSync(join(domain, path)).mode & 0o100).toBe(mode & 0o100);
    }
    expect(existsSync(join(domain, '..data'))).toBe(false);
    expect(existsSync(join(domain, '..2026_01_01'))).toBe(false);
  });
});

describeWithPrograms(['shellcheck'], 'both programs', () => {
  test.each([
    ['bash', WRAPPER],
    ['sh', STAGER],
  ])('%s: ShellCheck finds nothing', (shell, text) => {
    const checked = spawnSync('shellcheck', ['--shell', shell, '-'], { input: text, encoding: 'utf8' });
    expect(checked.stdout).toBe('');
    expect(checked.status).toBe(0);
  });
});
