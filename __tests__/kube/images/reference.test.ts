import { describe, expect, test } from '@jest/globals';
import { Failure } from '../../../lib/failure/index.js';
import { parseReference, pinImages } from '../../../lib/kube/images/index.js';

const HEX = 'a'.repeat(64);
const DIGEST = `sha256:${HEX}`;

describe('image references', () => {
  test.each([
    ['nginx', 'docker.io', 'library/nginx', 'latest', undefined],
    ['nginx:1.27', 'docker.io', 'library/nginx', '1.27', undefined],
    ['vllm/vllm-openai', 'docker.io', 'vllm/vllm-openai', 'latest', undefined],
    ['docker.io/nginx', 'docker.io', 'library/nginx', 'latest', undefined],
    ['index.docker.io/library/nginx', 'docker.io', 'library/nginx', 'latest', undefined],
    ['localhost/a', 'localhost', 'a', 'latest', undefined],
    ['localhost:5000/a/b', 'localhost:5000', 'a/b', 'latest', undefined],
    ['localhost:5000/a/b:v1', 'localhost:5000', 'a/b', 'v1', undefined],
    ['reg:5000/a', 'reg:5000', 'a', 'latest', undefined],
    ['[::1]:5000/a:v1', '[::1]:5000', 'a', 'v1', undefined],
    ['Registry/a', 'Registry', 'a', 'latest', undefined],
    ['localhost:5000', 'docker.io', 'library/localhost', '5000', undefined],
    ['gcr.io/a-b/c_d/e__f/g.h:T_1.x-y', 'gcr.io', 'a-b/c_d/e__f/g.h', 'T_1.x-y', undefined],
    [`ghcr.io/o/i@${DIGEST}`, 'ghcr.io', 'o/i', undefined, DIGEST],
    [`localhost:5000/o/i:v1@${DIGEST}`, 'localhost:5000', 'o/i', 'v1', DIGEST],
    [
      '123456789012.dkr.ecr.us-east-1.amazonaws.com/team/model:2026-01',
      '123456789012.dkr.ecr.us-east-1.amazonaws.com',
      'team/model',
      '2026-01',
      undefined,
    ],
  ])('%s', (text, host, repository, tag, digest) => {
    expect(parseReference(text)).toMatchObject({
      text,
      host,
      repository,
      tag,
      digest,
      name: `${host}/${repository}`,
    });
  });

  test('two spellings of one image have one identity', () => {
    const identities = ['nginx', 'nginx:latest', 'docker.io/nginx', 'index.docker.io/library/nginx:latest'];
    expect(new Set(identities.map((text) => parseReference(text).identity))).toEqual(
      new Set(['docker.io/library/nginx:latest']),
    );
  });

  test.each([
    ['', 'the repository is missing'],
    [' nginx', "' nginx' is no repository"],
    ['nginx ', "'nginx ' is no repository"],
    ['nginx\n', 'is no repository'],
    ['https://ghcr.io/a', 'has no scheme'],
    ['ghcr.io/', 'the repository is missing'],
    ['ghcr.io/A/b', 'must be lower case'],
    ['Nginx', 'must be lower case'],
    ['ghcr.io/a//b', 'is no repository'],
    ['ghcr.io/a..b', 'is no repository'],
    ['ghcr.io/../a', 'is no repository'],
    ['ghcr.io/a:', "the tag ''"],
    ['ghcr.io/a:-x', "the tag '-x'"],
    [`ghcr.io/a:${'t'.repeat(129)}`, 'the tag'],
    ['-bad-.io/a', 'is no registry host'],
    ['reg:port/a', 'is no registry host'],
    [`ghcr.io/${'a'.repeat(250)}`, 'longer than 255'],
    [HEX, 'is an image id'],
    ['ghcr.io/a@', "the digest ''"],
    [`ghcr.io/a@sha256:${'a'.repeat(63)}`, '64 lower-case hex digits'],
    [`ghcr.io/a@sha256:${'A'.repeat(64)}`, '64 lower-case hex digits'],
    [`ghcr.io/a@sha512:${'a'.repeat(128)}`, '64 lower-case hex digits'],
    [`ghcr.io/a@${DIGEST}@${DIGEST}`, '64 lower-case hex digits'],
  ])('%j is refused, and it is said why', (text, why) => {
    const failure = thrownBy(() => parseReference(text));
    expect(failure.message).toContain('not a valid image reference');
    expect(failure.why.join('\n')).toContain(why);
    expect(failure.exit).toBe(2);
  });

  test('all references that are not valid are named at once', async () => {
    await expect(pinImages(['Nginx', 'good', 'a@b'])).rejects.toMatchObject({
      exit: 2,
      why: expect.arrayContaining([expect.stringContaining("'Nginx'"), expect.stringContaining("'a@b'")]),
    });
  });

  test('[C42] a tag with a digest is kept without a look-up; a digest of another shape is refused', async () => {
    // Offline there is nothing to ask, so an answer can only come from the reference itself.
    const given = `ghcr.io/o/i:v1@${DIGEST}`;
    for (const platform of [undefined, 'linux/arm64']) {
      const pinned = await pinImages([given, `nginx@${DIGEST}`], { offline: true, platform, env: {} });
      expect([...pinned]).toEqual([
        [given, given],
        [`nginx@${DIGEST}`, `docker.io/library/nginx@${DIGEST}`],
      ]);
    }
    for (const hex of ['a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(63)}g`]) {
      await expect(pinImages([`ghcr.io/o/i:v1@sha256:${hex}`])).rejects.toThrow(
        'not a valid image reference',
      );
    }
  });
});

function thrownBy(action: () => unknown): Failure {
  try {
    action();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
