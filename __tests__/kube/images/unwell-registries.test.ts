import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pinImages } from '../../../lib/kube/images/index.js';
import { type Blob, makeImage, makeIndex } from '../../support/images.js';
import { authEntry, LoginFolder } from './support/credential-helpers.js';
import { listen, type RunningServer, serve } from './support/http-servers.js';

const AMD64 = { os: 'linux', architecture: 'amd64' };
const ARM64 = { os: 'linux', architecture: 'arm64' };
const IMAGE = makeImage(AMD64);
const BLOBS = [IMAGE.manifest, ...IMAGE.parts];

// Faults that no real registry can be brought to show. What a well one does is tested against a real one.
describe('registries that are unwell', () => {
  const servers: RunningServer[] = [];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mlcc-unwell-'));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(listener: RequestListener): Promise<RunningServer & { log: string[] }> {
    const log: string[] = [];
    const server = await serve((incoming, outgoing) => {
      // Whether a registry that may be insecure speaks HTTPS is asked first; that is not about an image.
      if (incoming.url === '/v2/') return outgoing.end();
      log.push(`${incoming.method} ${incoming.url}`);
      return listener(incoming, outgoing);
    });
    servers.push(server);
    return { ...server, log };
  }

  interface Answer {
    status?: number;
    headers?: Record<string, string>;
    body?: Buffer;
  }

  /** A registry that holds the blobs, except where `answer` says otherwise for `METHOD path-after-/v2/a/`. */
  function registryWith(answer: Record<string, Answer>, blobs: readonly Blob[] = BLOBS) {
    return start((incoming, outgoing) => {
      const path = (incoming.url ?? '').replace('/v2/a/', '');
      const wanted = path.replace(/^(manifests|blobs)\//, '');
      const found = wanted === 'v1' ? blobs[0] : blobs.find(({ descriptor }) => descriptor.digest === wanted);
      const special = answer[`${incoming.method} ${path}`] ?? {};
      const body = special.body ?? found?.bytes ?? Buffer.alloc(0);
      const kept = found && {
        'content-type': found.descriptor.mediaType,
        'docker-content-digest': found.descriptor.digest,
        'content-length': String(body.length),
      };
      outgoing.writeHead(special.status ?? (found ? 200 : 404), { ...kept, ...special.headers });
      outgoing.end(incoming.method === 'HEAD' ? undefined : body);
    });
  }

  async function pin(
    host: string,
    options: { platform?: string; timeoutMs?: number; lockFile?: string } = {},
  ) {
    const pinned = await pinImages([`${host}/a:v1`], {
      registries: { [host]: { insecure: true } },
      env: {},
      ...options,
    });
    return pinned.get(`${host}/a:v1`)?.split('@')[1];
  }

  test('[C44] 30 workloads with 3 images cost 3 HEADs; a limit is one clear error, and nothing is written', async () => {
    let limited = false;
    const { host, log } = await start((_, outgoing) => {
      if (limited) return outgoing.writeHead(429, { 'retry-after': '42' }).end();
      const digest = IMAGE.manifest.descriptor.digest;
      const type = IMAGE.manifest.descriptor.mediaType;
      return outgoing.writeHead(200, { 'content-type': type, 'docker-content-digest': digest }).end();
    });
    const lockFile = join(folder, 'mlcc.lock.json');
    const options = { registries: { [host]: { insecure: true } }, env: {}, lockFile };
    const workloads = Array.from({ length: 30 }, (_, i) => `${host}/model-${i % 3}:v1`);
    expect((await pinImages(workloads, options)).size).toBe(3);
    expect(log.sort()).toEqual([0, 1, 2].map((i) => `HEAD /v2/model-${i}/manifests/v1`));

    limited = true;
    log.length = 0;
    const before = readFileSync(lockFile, 'utf8');
    const more = Array.from({ length: 30 }, (_, i) => `${host}/other-${i}:v1`);
    await expect(pinImages([...workloads, ...more], options)).rejects.toMatchObject({
      message: `${host} limits requests (429 Too Many Requests)`,
      why: ['It can be asked again in 42 s.'],
    });
    expect(readFileSync(lockFile, 'utf8')).toBe(before);
    // Those that were under way, and none after the first refusal.
    expect(log.length).toBeLessThanOrEqual(8);
    expect(log.filter((line) => !line.startsWith('HEAD /v2/other-'))).toEqual([]);
  });

  test('a limit may name a date, or nothing', async () => {
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
    const dated = await registryWith({
      'HEAD manifests/v1': { status: 429, headers: { 'retry-after': date } },
    });
    await expect(pin(dated.host)).rejects.toMatchObject({ why: [`It can be asked again after ${date}.`] });
    const silent = await registryWith({ 'HEAD manifests/v1': { status: 429 } });
    await expect(pin(silent.host)).rejects.toMatchObject({
      why: ['It did not say when it can be asked again.'],
    });
    expect(silent.log).toHaveLength(1);
  });

  test('[C41] a registry that hangs ends in a message that names the time, the way and the proxy variables', async () => {
    const accepting = await listen(createServer() as never);
    const stalling = await start((incoming, outgoing) => {
      if (incoming.method === 'HEAD') outgoing.writeHead(405).end();
      else outgoing.writeHead(200, { 'content-length': '100' }).write('{');
    });
    servers.push(accepting);
    // One that accepts and stays silent is not asked a second time, by HTTP.
    for (const [{ host }, variable] of [
      [accepting, 'HTTPS_PROXY'],
      [stalling, 'HTTP_PROXY'],
    ] as const) {
      await expect(pin(host, { timeoutMs: 1_500 })).rejects.toMatchObject({
        message: `${host} gave no answer within 1.5 s`,
        why: [`It was asked directly (${variable} is not set).`],
        next: expect.stringContaining('HTTPS_PROXY'),
      });
    }
    const options = { env: { HTTPS_PROXY: `http://u:hunter2@${accepting.host}` }, timeoutMs: 200 };
    await expect(pinImages(['r.test/a', 'r.test/b'], options)).rejects.toMatchObject({
      message: 'r.test gave no answer within 0.2 s',
      why: [`It was asked through the proxy http://${accepting.host} (HTTPS_PROXY).`],
    });
  });

  test('a digest that the header lacks is computed from the body', async () => {
    const headers = { 'docker-content-digest': '' };
    const empty = await registryWith({ 'HEAD manifests/v1': { headers }, 'GET manifests/v1': { headers } });
    expect(await pin(empty.host)).toBe(IMAGE.manifest.descriptor.digest);
    const bare = await start((_, outgoing) => {
      outgoing
        .writeHead(200, { 'content-type': IMAGE.manifest.descriptor.mediaType })
        .end(IMAGE.manifest.bytes);
    });
    expect(await pin(bare.host)).toBe(IMAGE.manifest.descriptor.digest);
    expect(bare.log).toEqual(['HEAD /v2/a/manifests/v1', 'GET /v2/a/manifests/v1']);
  });

  test.each([400, 404, 405, 406, 501])(
    'a registry that answers HEAD with %d is asked by GET',
    async (status) => {
      const server = await registryWith({ 'HEAD manifests/v1': { status } });
      expect(await pin(server.host)).toBe(IMAGE.manifest.descriptor.digest);
      expect(server.log).toEqual(['HEAD /v2/a/manifests/v1', 'GET /v2/a/manifests/v1']);
    },
  );

  test('a type that is missing in the header is taken from the body', async () => {
    const headers = { 'content-type': 'application/json' };
    const server = await registryWith({ 'HEAD manifests/v1': { headers }, 'GET manifests/v1': { headers } });
    expect(await pin(server.host)).toBe(IMAGE.manifest.descriptor.digest);
  });

  test('a header with another algorithm is checked, and sha256 is pinned', async () => {
    const hex = createHash('sha512').update(IMAGE.manifest.bytes).digest('hex');
    for (const [digest, works] of [
      [`sha512:${hex}`, true],
      [`sha512:${'0'.repeat(128)}`, false],
    ] as const) {
      const headers = { 'docker-content-digest': digest };
      const server = await registryWith({
        'HEAD manifests/v1': { headers },
        'GET manifests/v1': { headers },
      });
      if (works) expect(await pin(server.host)).toBe(IMAGE.manifest.descriptor.digest);
      else
        await expect(pin(server.host)).rejects.toMatchObject({
          why: [expect.stringContaining('its digest is not')],
        });
    }
  });

  const wrong = { 'docker-content-digest': `sha256:${'0'.repeat(64)}` };
  const index = 'application/vnd.oci.image.index.v1+json';
  const head = { 'HEAD manifests/v1': { status: 405 } };
  test.each<[string, Record<string, Answer>, string]>([
    [
      'a header that is not the body’s digest',
      { ...head, 'GET manifests/v1': { headers: wrong } },
      'its digest is not',
    ],
    [
      'a digest of another shape',
      { ...head, 'GET manifests/v1': { headers: { 'docker-content-digest': 'sha256:A' } } },
      'is not a digest',
    ],
    [
      'a body that was changed',
      { ...head, 'GET manifests/v1': { body: Buffer.from('{}') } },
      'its digest is not',
    ],
    [
      'a body served as another type',
      { ...head, 'GET manifests/v1': { headers: { 'content-type': index } } },
      `is served as ${index} but says`,
    ],
  ])('%s is refused', async (_, answer, why) => {
    const server = await registryWith(answer);
    await expect(pin(server.host)).rejects.toMatchObject({ why: [expect.stringContaining(why)] });
  });

  test('a web page in place of a registry is refused, with the digest of nothing', async () => {
    const server = await start((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>');
    });
    await expect(pin(server.host)).rejects.toMatchObject({
      why: [expect.stringContaining('it is not JSON')],
    });
    const old = await start((_, outgoing) => {
      const type = 'application/vnd.docker.distribution.manifest.v1+prettyjws';
      outgoing.writeHead(200, { 'content-type': type }).end('{"schemaVersion":1}');
    });
    await expect(pin(old.host)).rejects.toMatchObject({ why: [expect.stringContaining('v1+prettyjws')] });
  });

  test('with a platform, what is read must have the digest that was promised', async () => {
    const { digest } = IMAGE.manifest.descriptor;
    const changed = await registryWith({
      [`GET manifests/${digest}`]: { body: Buffer.from('{}'), headers: wrong },
    });
    await expect(pin(changed.host, { platform: 'linux/amd64' })).rejects.toThrow('cannot be pinned');
    const config = IMAGE.parts[1]?.descriptor.digest;
    const body = Buffer.from(JSON.stringify(AMD64));
    const otherConfig = await registryWith({ [`GET blobs/${config}`]: { body } });
    await expect(pin(otherConfig.host, { platform: 'linux/amd64' })).rejects.toMatchObject({
      why: [expect.stringContaining('A part of it is damaged')],
    });
  });

  test('two children for one platform, and a child that was never pushed, are errors', async () => {
    const arm = makeImage(ARM64);
    const amd = { manifest: IMAGE.manifest, platform: AMD64 };
    const twice = makeIndex([amd, { ...amd, manifest: makeImage(AMD64, 'second').manifest }]);
    const ambiguous = await registryWith({}, [twice, ...BLOBS]);
    await expect(pin(ambiguous.host, { platform: 'linux/amd64' })).rejects.toMatchObject({
      why: [expect.stringContaining('2 of its images fit')],
    });
    expect(await pin(ambiguous.host)).toBe(twice.descriptor.digest);

    const sparse = makeIndex([amd, { manifest: arm.manifest, platform: ARM64 }]);
    const server = await registryWith({}, [sparse, ...BLOBS]);
    expect(await pin(server.host, { platform: 'linux/amd64' })).toBe(IMAGE.manifest.descriptor.digest);
    await expect(pin(server.host, { platform: 'linux/arm64' })).rejects.toMatchObject({
      why: [`${server.host} has no such image.`],
    });
  });

  test('what a server says of its own fault is passed on, and one fault of many images is told once', async () => {
    const { host } = await start((_, outgoing) => {
      outgoing.writeHead(503).end('{"errors":[{"code":"UNAVAILABLE","message":"upgrading\\u001b[31m"}]}');
    });
    const references = Array.from({ length: 5 }, (_, i) => `${host}/a:v${i}`);
    await expect(
      pinImages(references, { registries: { [host]: { insecure: true } }, env: {} }),
    ).rejects.toMatchObject({
      message: `${host} gave an answer that cannot be used`,
      why: ['It answered 503.'],
    });
    const page = await registryWith({
      'HEAD manifests/v1': { status: 405 },
      'GET manifests/v1': {
        status: 500,
        body: Buffer.from('{"errors":[{"code":"BROKEN","message":"disk\\u001b[31m"}]}'),
      },
    });
    await expect(pin(page.host)).rejects.toMatchObject({ why: ['It answered 500: BROKEN: disk [31m.'] });
  });

  test('a redirect is followed, without the login where the host changes, and not for ever', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await start((incoming, outgoing) => {
      seen.push(incoming.headers.authorization);
      const { digest, mediaType } = IMAGE.manifest.descriptor;
      outgoing.writeHead(200, { 'content-type': mediaType, 'docker-content-digest': digest }).end();
    });
    const { host } = await start((incoming, outgoing) => {
      if (!incoming.headers.authorization)
        outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end();
      else outgoing.writeHead(307, { location: `http://${elsewhere.host}${incoming.url}` }).end();
    });
    const logins = new LoginFolder();
    try {
      logins.configure({ auths: { [host]: authEntry('u', 'p') } });
      const options = { registries: { [host]: { insecure: true } }, env: logins.env };
      expect((await pinImages([`${host}/a:v1`], options)).size).toBe(1);
      expect(seen).toEqual([undefined]);
    } finally {
      logins.remove();
    }
    const circle = await start((incoming, outgoing) =>
      outgoing.writeHead(302, { location: incoming.url ?? '' }).end(),
    );
    await expect(pin(circle.host)).rejects.toMatchObject({ why: ['It redirects more than 5 times.'] });
    const astray = await start((_, outgoing) =>
      outgoing.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    );
    await expect(pin(astray.host)).rejects.toMatchObject({ why: ['It redirects to no HTTP address.'] });
  });

  test('an identity token is posted to its token server, and to nobody whom that names', async () => {
    const logins = new LoginFolder();
    const thief = await start((_, outgoing) => outgoing.end('{"token":"t"}'));
    const tokens = await start((_, outgoing) =>
      outgoing.writeHead(307, { location: `http://${thief.host}/` }).end(),
    );
    const challenge = { 'www-authenticate': `Bearer realm="http://${tokens.host}/token"` };
    const { host } = await start((_, outgoing) => outgoing.writeHead(401, challenge).end());
    try {
      logins.configure({ auths: { [host]: { identitytoken: 'refresh' } } });
      const options = { registries: { [host]: { insecure: true } }, env: logins.env };
      await expect(pinImages([`${host}/a:v1`], options)).rejects.toMatchObject({
        why: [`As the token server of ${host} it answered 307 and no token.`],
      });
      expect(tokens.log).toEqual(['POST /token']);
      expect(thief.log).toEqual([]);
    } finally {
      logins.remove();
    }
  });

  test('an answer without end is cut off', async () => {
    const { host } = await start((incoming, outgoing) => {
      if (incoming.method === 'HEAD') return outgoing.writeHead(405).end();
      const more = () => {
        while (!outgoing.destroyed && outgoing.write(Buffer.alloc(65_536)));
      };
      outgoing.on('drain', more);
      return more();
    });
    await expect(pin(host)).rejects.toMatchObject({ why: [expect.stringContaining('larger than')] });
  });

  test('a failure leaves a lock that was not there absent', async () => {
    const server = await registryWith({}, []);
    const lockFile = join(folder, 'mlcc.lock.json');
    await expect(pin(server.host, { lockFile })).rejects.toThrow('cannot be pinned');
    expect(existsSync(lockFile)).toBe(false);
    writeFileSync(lockFile, '{');
    await expect(pin(server.host, { lockFile })).rejects.toThrow('is damaged');
    expect(server.log).toHaveLength(2);
  });
});
