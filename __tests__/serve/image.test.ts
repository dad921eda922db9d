import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithPrograms } from '../support/programs.js';
import { catalog, renderImage } from './support/engine-run.js';

const DESCRIPTION = `R&D "7B" it's <fast> $(touch MARKER) \${HOME} \`id\` \\n 🚀`;

const dockerfileOf = (answers: Record<string, string>): string =>
  renderImage(answers).get('Dockerfile')?.contents ?? '';

test('[C14] the Dockerfile has a description literally, with no entity', () => {
  const dockerfile = dockerfileOf({ engine: 'vllm', description: `R&D "7B" it's <fast>` });
  expect(dockerfile).toContain(`description="R&D \\"7B\\" it's <fast>"\n`);
  expect(dockerfile).not.toMatch(/&amp;|&#|&lt;|&quot;/);
});

test.each(catalog.engines.map(({ manifest }) => [manifest.engine, manifest.base_image ?? '']))(
  'the image of %s starts from %s, or from the answer',
  (engine, image) => {
    expect(dockerfileOf({ engine })).toMatch(new RegExp(`^ARG BASE_IMAGE=${image}$`, 'm'));
    expect(dockerfileOf({ engine, baseImage: 'me/mine:v1' })).toMatch(/^ARG BASE_IMAGE=me\/mine:v1$/m);
  },
);

describeWithPrograms(['buildah'], 'an image that is built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mlcc image-'));
  const buildah = (...args: string[]): string =>
    execFileSync(
      'buildah',
      [
        '--root',
        join(folder, 'storage'),
        '--runroot',
        join(folder, 'run'),
        '--storage-driver',
        'vfs',
        ...args,
      ],
      {
        cwd: join(folder, 'project'),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );

  beforeAll(() => {
    for (const [path, file] of renderImage({ engine: 'sglang', description: DESCRIPTION })) {
      write(path, file.contents, file.executable);
    }
    write('code/__pycache__/engine_process.pyc', 'bytes');
    write('.env', 'TOKEN=secret');
    buildah('build', '--isolation', 'chroot', '--build-arg', 'BASE_IMAGE=scratch', '--tag', 'made', '.');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function write(path: string, contents: string, executable = false): void {
    const file = join(folder, 'project', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
    chmodSync(file, executable ? 0o755 : 0o644);
  }

  test('[C14] has the description as it was given, and starts code/serve', () => {
    const { OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', 'made'));
    expect(OCIv1.config).toMatchObject({
      Entrypoint: ['/opt/mlcc/serve'],
      Cmd: ['serve'],
      ExposedPorts: { '8080/tcp': {} },
      Labels: {
        'org.opencontainers.image.title': 'demo',
        'org.opencontainers.image.description': DESCRIPTION,
        'com.amazonaws.sagemaker.capabilities.accept-bind-to-port': 'true',
      },
    });
  });

  test('holds code/ and nothing else of the project', () => {
    const container = buildah('from', 'made').trim();
    const root = buildah('mount', container).trim();
    const paths = execFileSync('find', ['.', '-type', 'f', '-printf', '%m %P\n'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(paths.trim().split('\n').sort()).toEqual([
      '644 opt/mlcc/engine-options.sh',
      '644 opt/mlcc/engine_process.py',
      '644 opt/mlcc/sagemaker_routes.py',
      '755 opt/mlcc/serve',
    ]);
    buildah('umount', container);
  });
});
