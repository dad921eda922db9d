import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { pinImages } from '../../../lib/kube/images/index.js';
import { PUSH_PROGRAM, type PushedImage, pushImage } from '../../support/images.js';
import { describeWithPrograms } from '../../support/programs.js';
import { REGISTRY_PROGRAM, type Registry, startRegistry } from '../../support/registry.js';
import { type Recorder, record } from './support/http-servers.js';

const AMD64 = { os: 'linux', architecture: 'amd64' };
const ARM64 = { os: 'linux', architecture: 'arm64', variant: 'v8' };
const ABSENT = `sha256:${'0'.repeat(64)}`;

describeWithPrograms([REGISTRY_PROGRAM, PUSH_PROGRAM], 'digests from a registry', () => {
  let registry: Registry;
  let front: Recorder;
  let index: PushedImage;
  let single: PushedImage;
  let docker: PushedImage;

  beforeAll(async () => {
    registry = await startRegistry();
    const push = (
      path: string,
      ...rest: Parameters<typeof pushImage> extends [string, ...infer R] ? R : never
    ) => pushImage(`${registry.host}/${path}`, ...rest);
    [index, single, docker] = await Promise.all([
      push('team/multi:v1', [AMD64, ARM64]),
      push('team/single:v1', [AMD64]),
      push('team/docker:v1', [AMD64, ARM64], { format: 'v2s2' }),
      push('team/single:v2', [AMD64], { label: 'second' }),
      push('team/arms:v1', [
        { os: 'linux', architecture: 'arm', variant: 'v6' },
        { os: 'linux', architecture: 'arm', variant: 'v7' },
      ]),
    ]);
  });
  afterAll(() => registry?.stop());
  beforeEach(async () => {
    front = await record(registry);
  });
  afterEach(() => front.stop());

  /** Pins one image at the front, and gives what follows its reference. */
  async function pin(path: string, platform?: string): Promise<string> {
    const reference = `${front.host}/${path}`;
    const pinned = await pinImages([reference], { platform, registries: insecure(), env: {} });
    return pinned.get(reference) ?? '';
  }
  const insecure = () => ({ [front.host]: { insecure: true } });

  test('a tag gets its digest: a single image’s own, an index’s own, in OCI’s and in Docker’s types', async () => {
    expect(await pin('team/single:v1')).toBe(`${front.host}/team/single:v1@${single.digest}`);
    expect(await pin('team/multi:v1')).toBe(`${front.host}/team/multi:v1@${index.digest}`);
    expect(await pin('team/docker:v1')).toBe(`${front.host}/team/docker:v1@${docker.digest}`);
    expect(index.children).not.toContain(index.digest);
  });

  test('[C39] the index is pinned whatever machine renders, unless a platform is named', async () => {
    const own = Object.getOwnPropertyDescriptor(process, 'arch') as PropertyDescriptor;
    try {
      for (const arch of ['x64', 'arm64']) {
        Object.defineProperty(process, 'arch', { ...own, value: arch });
        expect(await pin('team/multi:v1')).toBe(`${front.host}/team/multi:v1@${index.digest}`);
        expect(await pin('team/multi:v1', 'linux/arm64')).toBe(
          `${front.host}/team/multi:v1@${index.children[1]}`,
        );
      }
    } finally {
      Object.defineProperty(process, 'arch', own);
    }
  });

  test.each([
    ['linux/amd64', 0],
    ['linux/amd64/v1', 0],
    ['linux/arm64', 1],
    ['linux/arm64/v8', 1],
  ])('the platform %s chooses one child of an index', async (platform, child) => {
    expect(await pin('team/multi:v1', platform)).toBe(`${front.host}/team/multi:v1@${index.children[child]}`);
    expect(await pin('team/docker:v1', platform)).toBe(
      `${front.host}/team/docker:v1@${docker.children[child]}`,
    );
  });

  test('no child or several for the platform is an error that lists what there is', async () => {
    await expect(pin('team/multi:v1', 'linux/s390x')).rejects.toMatchObject({
      message: `${front.host}/team/multi:v1 cannot be pinned`,
      why: [expect.stringMatching(/one image for linux\/s390x: none .* linux\/amd64, linux\/arm64\/v8/)],
    });
    await expect(pin('team/multi:v1', 'linux/arm64/v9')).rejects.toThrow('cannot be pinned');
    await expect(pin('team/multi:v1', 'windows/amd64')).rejects.toThrow('cannot be pinned');
    await expect(pin('team/arms:v1', 'linux/arm')).rejects.toMatchObject({
      why: [expect.stringMatching(/one image for linux\/arm: 2 .* linux\/arm\/v6, linux\/arm\/v7/)],
    });
    expect(await pin('team/arms:v1', 'linux/arm/v6')).toContain('@sha256:');
  });

  test('a single image’s platform is verified in its configuration', async () => {
    expect(await pin('team/single:v1', 'linux/amd64')).toBe(`${front.host}/team/single:v1@${single.digest}`);
    await expect(pin('team/single:v1', 'linux/arm64')).rejects.toMatchObject({
      why: [expect.stringContaining('it is an image for linux/amd64 alone')],
    });
  });

  test('a platform is os/architecture or os/architecture/variant', async () => {
    for (const platform of ['amd64', 'linux/', 'Linux/amd64', 'linux/arm/v7/x', '']) {
      await expect(pin('team/single:v1', platform)).rejects.toMatchObject({
        exit: 2,
        message: `'${platform}' is not a platform`,
      });
    }
    expect(front.seen).toEqual([]);
  });

  test('one successful HEAD per distinct image, and nothing else', async () => {
    const references = ['team/single:v1', 'team/single:v2', 'team/multi:v1'].flatMap((path) =>
      Array.from({ length: 10 }, () => `${front.host}/${path}`),
    );
    const given = `${front.host}/team/multi:v1@${ABSENT}`;
    const pinned = await pinImages([...references, given], { registries: insecure(), env: {} });
    expect([...pinned.keys()].sort()).toEqual([...new Set(references), given].sort());
    expect(pinned.get(given)).toBe(given);
    expect(front.seen.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'HEAD /v2/team/multi/manifests/v1',
      'HEAD /v2/team/single/manifests/v1',
      'HEAD /v2/team/single/manifests/v2',
    ]);
  });

  test('spellings of one image share a look-up, also one that is pinned by platform', async () => {
    const references = [`${front.host}/team/multi`, `${front.host}/team/multi:latest`];
    await pushImage(`${registry.host}/team/multi:latest`, [AMD64, ARM64], { label: 'latest' });
    const pinned = await pinImages(references, { platform: 'linux/amd64', registries: insecure(), env: {} });
    expect(new Set(pinned.values()).size).toBe(1);
    expect(front.succeeded('HEAD')).toEqual(['HEAD /v2/team/multi/manifests/latest']);
    expect(front.succeeded('GET')).toHaveLength(2);
  });

  test('look-ups run at the same time', async () => {
    // Neither of the two answers comes before both requests are there.
    const waiting: ((change: undefined) => void)[] = [];
    const gate = await record(
      registry,
      () =>
        new Promise((open) => {
          waiting.push(open);
          if (waiting.length === 2) for (const each of waiting) each(undefined);
        }),
    );
    try {
      const references = [`${gate.host}/team/single:v1`, `${gate.host}/team/multi:v1`];
      const registries = { [gate.host]: { insecure: true } };
      expect((await pinImages(references, { registries, env: {}, timeoutMs: 10_000 })).size).toBe(2);
    } finally {
      await gate.stop();
    }
  });

  test('all images that do not exist are named, and nothing is written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mlcc-pin-'));
    const lockFile = join(folder, 'mlcc.lock.json');
    try {
      const paths = ['team/single:v1', 'team/single:absent', 'nowhere/at-all:v1'];
      const references = paths.map((path) => `${front.host}/${path}`);
      const failing = pinImages(references, { lockFile, registries: insecure(), env: {} });
      await expect(failing).rejects.toMatchObject({
        name: 'Failure',
        why: expect.arrayContaining([
          `${references[1]} cannot be pinned`,
          `${references[2]} cannot be pinned`,
        ]),
      });
      expect(existsSync(lockFile)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a lock is written, spares the look-ups of the next render, and keeps what others put there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mlcc-pin-'));
    const lockFile = join(folder, 'mlcc.lock.json');
    try {
      const options = { lockFile, registries: insecure(), env: {} };
      const [first, second] = [`${front.host}/team/single:v1`, `${front.host}/team/multi:v1`];
      await pinImages([first], options);
      await pinImages([second, `${front.host}/team/x@${ABSENT}`], options);
      await pinImages([second, first], options);
      expect(front.seen).toHaveLength(2);
      expect(JSON.parse(readFileSync(lockFile, 'utf8'))).toEqual({
        lockVersion: 1,
        images: { [second]: { digest: index.digest }, [first]: { digest: single.digest } },
      });
      expect((await pinImages([first], { ...options, offline: true })).get(first)).toBe(
        `${first}@${single.digest}`,
      );

      // What was chosen for one platform is not an answer for another.
      await pinImages([second], { ...options, platform: 'linux/arm64' });
      expect(JSON.parse(readFileSync(lockFile, 'utf8')).images[second]).toEqual({
        digest: index.children[1],
        platform: 'linux/arm64',
      });
      await expect(
        pinImages([second], { ...options, offline: true, platform: 'linux/amd64' }),
      ).rejects.toMatchObject({
        why: [`${second} (locked for linux/arm64, not for linux/amd64)`],
      });
      expect((await pinImages([second], options)).get(second)).toBe(`${second}@${index.digest}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
