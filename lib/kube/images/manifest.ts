import { createHash } from 'node:crypto';
import type { Platform } from './platform.js';

const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** The Accept header: an index is preferred, so that one and the same digest is found on every kind of machine. */
export const ACCEPTED_TYPES = [...INDEX_TYPES, ...MANIFEST_TYPES].join(', ');

/** A part that a manifest or an index names by its digest. */
export interface Descriptor {
  readonly digest: string;
  readonly platform?: Platform | undefined;
}

/** What was read and verified: one image, or an index of images for several platforms. */
export type Manifest =
  | { readonly kind: 'image'; readonly digest: string; readonly config: Descriptor }
  | { readonly kind: 'index'; readonly digest: string; readonly children: readonly Descriptor[] };

/** Whether a Content-Type is that of an image or an index. */
export function isManifestType(contentType: string | undefined): boolean {
  return contentType !== undefined && [...MANIFEST_TYPES, ...INDEX_TYPES].includes(mediaType(contentType));
}

/** Reads a manifest's body. Throws an Error that says what is wrong with it. */
export function parseManifest(body: Buffer, contentType: string | undefined): Manifest {
  const json = parseJson(body);
  const declared = typeof json.mediaType === 'string' ? json.mediaType : undefined;
  const served = isManifestType(contentType) ? mediaType(contentType ?? '') : undefined;
  // One body that can be read in two ways would be pinned as one thing and run as another.
  if (declared && served && declared !== served)
    throw new Error(`it is served as ${served} but says ${declared}`);
  const type = served ?? declared ?? mediaType(contentType ?? 'nothing');
  const digest = digestOf(body);
  if (INDEX_TYPES.includes(type)) return { kind: 'index', digest, children: descriptors(json.manifests) };
  if (MANIFEST_TYPES.includes(type)) {
    const [config] = descriptors([json.config]);
    if (config) return { kind: 'image', digest, config };
  }
  throw new Error(`it is of the type ${type}, which is neither an image nor an index of images`);
}

/** The platform in an image's configuration. Throws an Error where the blob is none. */
export function parseImagePlatform(body: Buffer): Platform {
  return platformIn(parseJson(body));
}

/** The sha256 digest of bytes. */
function digestOf(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** Whether bytes have the digest, of any algorithm that registries use. Throws an Error for a text that is no digest. */
export function hasDigest(body: Buffer, digest: string): boolean {
  const match = /^(sha256|sha512):([0-9a-f]+)$/.exec(digest);
  if (!match) throw new Error(`'${digest}' is not a digest`);
  return (
    createHash(match[1] ?? '')
      .update(body)
      .digest('hex') === match[2]
  );
}

function descriptors(list: unknown): Descriptor[] {
  if (!Array.isArray(list)) throw new Error('it has no list of manifests');
  return list.map((item: unknown) => {
    const { digest, platform } = (item ?? {}) as Record<string, unknown>;
    if (typeof digest !== 'string') throw new Error('it names a part without its digest');
    return { digest, platform: typeof platform === 'object' && platform ? platformIn(platform) : undefined };
  });
}

function platformIn(value: object): Platform {
  const { os, architecture, variant } = value as Record<string, unknown>;
  const text = (field: unknown) => (typeof field === 'string' && field !== '' ? field : undefined);
  return { os: text(os), architecture: text(architecture), variant: text(variant) };
}

function parseJson(body: Buffer): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Error('it is not JSON');
  }
  if (typeof json !== 'object' || json === null) throw new Error('it is no JSON object');
  return json as Record<string, unknown>;
}

function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}
