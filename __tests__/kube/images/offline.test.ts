import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { pinImages } from '../../../lib/kube/images/index.js';
import { CompiledImages } from './support/compiled.js';
import { HANGS, LoginFolder } from './support/credential-helpers.js';
import { listen, serve } from './support/http-servers.js';

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;
const GIVEN = `ghcr.io/o/given@${B}`;
const LOCKED = {
  lockVersion: 1,
  images: { 'docker.io/library/nginx:latest': { digest: A }, 'r.io/a:v1': { digest: B } },
};

/** Prints what became of the call, and what it loaded and opened on the way. */
function script(references: readonly string[], options: object): string {
  return `
    import { createRequire } from 'node:module';
    import { createHook } from 'node:async_hooks';
    const opened = [];
    createHook({ init: (_, type) => /TCP|UDP|TLS|GETADDRINFO|DNS|PIPE/i.test(type) && opened.push(type) }).enable();
    const outcome = await pinImages(${JSON.stringify(references)}, ${JSON.stringify(options)}).then(
      (pinned) => ({ pinned: [...pinned] }),
      ({ name, message, why, next }) => ({ name, message, why, next }),
    );
    const loaded = Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('/undici/'));
    process.exitCode = outcome.pinned ? 0 : 1;
    await new Promise((done) => process.stdout.write(JSON.stringify({ ...outcome, loaded, opened: opened.filter((t) => t !== 'PIPEWRAP') }), done));
  `;
}

/** A named reason why a namespace without interfaces cannot be made here, if there is one. */
function namespaceObstacle(): string | undefined {
  try {
    execFileSync('unshare', ['-n', 'true'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'unshare -n is not allowed or not installed';
  }
}

describe('offline', () => {
  let compiled: CompiledImages;
  let lockFile: string;
  beforeAll(() => {
    compiled = new CompiledImages();
    lockFile = join(compiled.folder, 'mlcc.lock.json');
  });
  afterEach(() => rmSync(lockFile, { force: true }));
  afterAll(() => compiled?.remove());

  const run = async (references: readonly string[], options: object, command: string[] = []) => {
    const { code, stdout, stderr } = await compiled.run(script(references, options), { command });
    expect(stderr).toBe('');
    return { code, ...(JSON.parse(stdout) as Record<string, unknown>) };
  };

  const obstacle = namespaceObstacle();
  const namespaced = obstacle === undefined || process.env.CI === 'true' ? test : test.skip;
  const reason = obstacle === undefined ? '' : ` (${obstacle})`;

  namespaced(`a full lock is enough in a network namespace without interfaces${reason}`, async () => {
    writeFileSync(lockFile, JSON.stringify(LOCKED));
    const outcome = await run(['nginx', 'r.io/a:v1', GIVEN], { lockFile, offline: true }, ['unshare', '-n']);
    expect(outcome).toEqual({
      code: 0,
      pinned: [
        ['nginx', `docker.io/library/nginx:latest@${A}`],
        ['r.io/a:v1', `r.io/a:v1@${B}`],
        [GIVEN, GIVEN],
      ],
      loaded: false,
      opened: [],
    });
  });

  namespaced(
    `without a lock every missing image is named in that namespace, and no other${reason}`,
    async () => {
      const outcome = await run(['r.io/b', 'nginx', GIVEN, 'r.io/a:v2'], { lockFile, offline: true }, [
        'unshare',
        '-n',
      ]);
      expect(outcome).toMatchObject({
        code: 1,
        name: 'Failure',
        message: `Offline, and ${lockFile} lacks images`,
        why: ['nginx', 'r.io/a:v2', 'r.io/b'],
        next: expect.stringContaining(`--lock ${lockFile}`),
        loaded: false,
        opened: [],
      });
    },
  );

  namespaced(`without offline that namespace is an error, not a pin${reason}`, async () => {
    const outcome = await run(['r.io/b'], { timeoutMs: 5_000 }, ['unshare', '-n']);
    expect(outcome).toMatchObject({
      code: 1,
      name: 'Failure',
      message: 'r.io could not be reached',
      loaded: true,
    });
  });

  test('the HTTP client is loaded by the first image that a registry must be asked for, and by no other', async () => {
    writeFileSync(lockFile, JSON.stringify(LOCKED));
    expect(await run(['nginx', GIVEN], { lockFile })).toMatchObject({ code: 0, loaded: false, opened: [] });
    const silent = await serve((_, outgoing) => outgoing.writeHead(404).end());
    try {
      const outcome = await run([`${silent.host}/a`], {
        lockFile,
        registries: { [silent.host]: { insecure: true } },
      });
      expect(outcome).toMatchObject({ code: 1, loaded: true, opened: expect.arrayContaining(['TCPWRAP']) });
    } finally {
      await silent.stop();
    }
  });

  test('a partly filled lock: those that it lacks are named, and the lock is left as it was', async () => {
    const text = JSON.stringify(LOCKED);
    writeFileSync(lockFile, text);
    const failing = pinImages(['nginx', 'r.io/b', 'r.io/a:v2'], { lockFile, offline: true });
    await expect(failing).rejects.toMatchObject({ why: ['r.io/a:v2', 'r.io/b'] });
    expect(readFileSync(lockFile, 'utf8')).toBe(text);
    await expect(pinImages(['nginx'], { offline: true })).rejects.toMatchObject({
      message: 'Offline, and no lock file is named',
      why: ['nginx'],
      next: expect.stringContaining('--lock mlcc.lock.json'),
    });
  });

  test('a process ends by itself although its proxy, its registry or its credential helper hangs', async () => {
    const silent = await listen(createServer() as never);
    const asking = await serve((_, outgoing) =>
      outgoing.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
    );
    const logins = new LoginFolder();
    logins.addHelper('hanging', HANGS);
    logins.configure({ credsStore: 'hanging' });
    const failing = (host: string, env: NodeJS.ProcessEnv) => {
      const options = JSON.stringify({ timeoutMs: 1_500, registries: { [asking.host]: { insecure: true } } });
      const print = '({ message, why }) => process.stdout.write(`${message}: ${why}`)';
      return compiled.run(`await pinImages(['${host}/a'], ${options}).catch(${print});`, { env });
    };
    try {
      const inTime = await Promise.all([
        failing('r.test', { HTTPS_PROXY: `http://${silent.host}` }),
        failing(silent.host, {}),
        failing(asking.host, logins.env),
      ]);
      expect(logins.asked()).toEqual([`hanging get ${asking.host}`]);
      for (const { code, stdout } of inTime) {
        expect({ code, stdout }).toEqual({
          code: 0,
          stdout: expect.stringContaining('gave no answer within 1.5 s'),
        });
      }
    } finally {
      await Promise.all([silent.stop(), asking.stop()]);
      logins.remove();
    }
  });
});
