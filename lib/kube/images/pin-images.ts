import { Failure } from '../../failure/index.js';
import { combined } from './combined-failure.js';
import { type LockedImages, readLock, writeLock } from './lock-file.js';
import { LockedDigests } from './locked-digests.js';
import { parsePlatform } from './platform.js';
import {
  canonicalHost,
  type ImageReference,
  isRegistryHost,
  parseReference,
  pinnedReference,
} from './reference.js';
import { PlatformDigests, Registries, RegistryDigests } from './registry-digests.js';
import { type DigestResolver, FirstAnswer, GivenDigest, OncePerImage } from './resolver.js';
import type { RegistrySettings } from './transport.js';

export interface PinOptions {
  /** `os/architecture[/variant]`: pin the one image for it. Unset: pin an index as it is, the same on every machine. */
  readonly platform?: string | undefined;
  /** mlcc.lock.json: what it holds is not looked up; what was looked up is added to it. */
  readonly lockFile?: string | undefined;
  /** Open no socket: each image must have a digest or stand in the lock. */
  readonly offline?: boolean | undefined;
  /** By registry host, with its port. */
  readonly registries?: Readonly<Record<string, RegistrySettings>> | undefined;
  /** Where proxies, DOCKER_CONFIG, HOME and PATH are looked up. Default: this process's. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** For each request and each credential helper, in milliseconds. Default: 20 s. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 20_000;
const MOST_AT_ONCE = 8;

/**
 * Pins image references to digests: from each reference as it was given to `repo:tag@sha256:…`. A digest that stands in
 * the reference is kept; others come from the lock, else from the registry, once per distinct image. All or nothing:
 * where some cannot be pinned, a Failure names all of them, and the lock is left as it was.
 */
export async function pinImages(
  references: Iterable<string>,
  options: PinOptions = {},
): Promise<Map<string, string>> {
  const { platform, lockFile, offline = false, env = process.env, timeoutMs = TIMEOUT_MS } = options;
  const images = parseAll(new Set(references));
  const wanted = platform === undefined ? undefined : parsePlatform(platform);
  const settings = registrySettings(options.registries ?? {});
  const locked: LockedImages = lockFile === undefined ? new Map() : readLock(lockFile);

  const known = [new GivenDigest(), new LockedDigests(locked, platform)];
  if (offline) {
    const digests = await resolveAll(images, new FirstAnswer(known));
    requireAll(images, digests, locked, options);
    return pinned(images, digests);
  }
  const registries = new Registries(settings, env, timeoutMs);
  try {
    const tags = new RegistryDigests(registries);
    const lookUp = wanted ? new PlatformDigests(tags, registries, wanted) : tags;
    const digests = await resolveAll(images, new OncePerImage(new FirstAnswer([...known, lookUp])));
    if (lockFile !== undefined) writeLock(lockFile, extendedLock(locked, images, digests, platform));
    return pinned(images, digests);
  } finally {
    await registries.close();
  }
}

/** The digest of each image, in their order; undefined where the resolver has none. */
async function resolveAll(
  images: readonly ImageReference[],
  resolver: DigestResolver,
): Promise<(string | undefined)[]> {
  const digests: (string | undefined)[] = [];
  const failures: Failure[] = [];
  const waiting = [...images.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [position, image] = next;
      try {
        digests[position] = await resolver.resolve(image);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  if (failures.length > 0) throw combined(failures, 'The images could not be pinned to their digests');
  return digests;
}

function pinned(
  images: readonly ImageReference[],
  digests: readonly (string | undefined)[],
): Map<string, string> {
  return new Map(
    images.map((image, i) => {
      const digest = digests[i];
      if (digest === undefined) throw new Error(`no resolver answered for ${image.text}`);
      return [image.text, pinnedReference(image, digest)];
    }),
  );
}

function requireAll(
  images: readonly ImageReference[],
  digests: readonly (string | undefined)[],
  locked: LockedImages,
  { lockFile, platform }: PinOptions,
): void {
  const missing = images.filter((_, i) => digests[i] === undefined);
  if (missing.length === 0) return;
  const lines = missing.map(({ text, identity }) => {
    const entry = locked.get(identity);
    return entry
      ? `${text} (locked for ${entry.platform ?? 'any platform'}, not for ${platform ?? 'any platform'})`
      : text;
  });
  throw new Failure({
    what: `Offline, and ${lockFile === undefined ? 'no lock file is named' : `${lockFile} lacks images`}`,
    why: lines.sort(),
    next: `Render once with --lock ${lockFile ?? 'mlcc.lock.json'} and without --offline, or give these images by digest.`,
  });
}

/** What was locked before stays, since one lock may serve several renders; digests that were given need no lock. */
function extendedLock(
  locked: LockedImages,
  images: readonly ImageReference[],
  digests: readonly (string | undefined)[],
  platform: string | undefined,
): LockedImages {
  const lock = new Map(locked);
  for (const [i, image] of images.entries()) {
    const digest = digests[i];
    if (image.digest === undefined && digest !== undefined) lock.set(image.identity, { digest, platform });
  }
  return lock;
}

function parseAll(references: ReadonlySet<string>): ImageReference[] {
  const images: ImageReference[] = [];
  const failures: Failure[] = [];
  for (const reference of references) {
    try {
      images.push(parseReference(reference));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw combined(failures, 'Some image references are not valid');
  return images;
}

function registrySettings(
  registries: Readonly<Record<string, RegistrySettings>>,
): Map<string, RegistrySettings> {
  const settings = new Map<string, RegistrySettings>();
  for (const [host, values] of Object.entries(registries)) {
    if (!isRegistryHost(host)) {
      throw new Failure({
        what: `'${host}' is no registry host`,
        why: 'Settings for a registry stand under its host as images name it, with the port and without https://.',
        next: 'Correct the name of the [registries."…"] table in the profile.',
        exit: 2,
      });
    }
    settings.set(canonicalHost(host), values);
  }
  return settings;
}
