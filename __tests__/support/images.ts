import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

/** The program that pushes, from Debian's package of the same name. */
export const PUSH_PROGRAM = 'skopeo';

const run = promisify(execFile);

export interface TestPlatform {
  os: string;
  architecture: string;
  variant?: string;
}

/** A blob of an image, with what a manifest says of it. */
export interface Blob {
  descriptor: { mediaType: string; digest: string; size: number; platform?: TestPlatform };
  bytes: Buffer;
}

/** An image that differs with its platform and label, made of nothing but bytes: manifest, config and layer. */
export function makeImage(platform: TestPlatform, label = ''): { manifest: Blob; parts: Blob[] } {
  // Two zero blocks are an empty tar archive.
  const archive = Buffer.alloc(1024);
  const layer = blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(archive));
  const config = json('application/vnd.oci.image.config.v1+json', {
    ...platform,
    config: { Labels: { label } },
    rootfs: { type: 'layers', diff_ids: [digestOf(archive)] },
  });
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: config.descriptor,
    layers: [layer.descriptor],
  });
  return { manifest, parts: [layer, config] };
}

/** An index of images; each child's descriptor names its platform. */
export function makeIndex(children: readonly { manifest: Blob; platform: TestPlatform }[]): Blob {
  return json('application/vnd.oci.image.index.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: children.map(({ manifest, platform }) => ({ ...manifest.descriptor, platform })),
  });
}

export interface PushedImage {
  /** The digest of what the tag names: the index, or the single manifest. */
  digest: string;
  /** The digest of each platform's image, in the order of the platforms. */
  children: string[];
}

/**
 * Makes an image and pushes it by plain HTTP to a registry on loopback, without any other network. One platform gives
 * a single manifest, several an index.
 */
export async function pushImage(
  reference: string,
  platforms: readonly TestPlatform[],
  { label = reference, format }: { label?: string; format?: 'v2s2' } = {},
): Promise<PushedImage> {
  const images = platforms.map((platform) => ({ platform, ...makeImage(platform, label) }));
  const [only] = images;
  const top = images.length === 1 && only ? only.manifest : makeIndex(images);
  const folder = mkdtempSync(join(tmpdir(), 'mlcc-image-'));
  try {
    writeLayout(folder, top, [top, ...images.flatMap(({ manifest, parts }) => [manifest, ...parts])]);
    const conversion = format ? ['--format', format] : ['--preserve-digests'];
    const from = `oci:${folder}:pushed`;
    const to = `docker://${reference}`;
    await run(PUSH_PROGRAM, [
      'copy',
      '--insecure-policy',
      '--all',
      '--dest-tls-verify=false',
      ...conversion,
      from,
      to,
    ]);
    const raw = await run(PUSH_PROGRAM, ['inspect', '--raw', '--tls-verify=false', to]);
    const digest = digestOf(Buffer.from(raw.stdout));
    const stored = JSON.parse(raw.stdout) as { manifests?: { digest: string }[] };
    return { digest, children: stored.manifests?.map((child) => child.digest) ?? [digest] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An OCI image layout with one tag, `pushed`. */
function writeLayout(folder: string, top: Blob, blobs: readonly Blob[]): void {
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true });
  for (const { descriptor, bytes } of blobs) {
    writeFileSync(join(folder, 'blobs', 'sha256', descriptor.digest.slice('sha256:'.length)), bytes);
  }
  const tagged = { ...top.descriptor, annotations: { 'org.opencontainers.image.ref.name': 'pushed' } };
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [tagged] }));
}

/** The sha256 digest of bytes. */
export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function json(mediaType: string, value: object): Blob {
  return blob(mediaType, Buffer.from(JSON.stringify(value)));
}

function blob(mediaType: string, bytes: Buffer): Blob {
  return { descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length }, bytes };
}
