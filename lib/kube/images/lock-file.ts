import { readFileSync } from 'node:fs';
import { Failure } from '../../failure/index.js';
import { writeWholeFile } from '../whole-file.js';
import { isDigest, parseReference } from './reference.js';

/** What a lock knows of one image: its digest, and the platform for which that was chosen, if for any. */
export interface LockedImage {
  readonly digest: string;
  readonly platform?: string | undefined;
}

/** From an image's identity (`docker.io/library/nginx:latest`) to what is locked for it. */
export type LockedImages = ReadonlyMap<string, LockedImage>;

const LOCK_VERSION = 1;

/** Reads a lock. A file that does not exist locks nothing; one that is damaged is a Failure. */
export function readLock(file: string): LockedImages {
  const text = readIfThere(file);
  if (text === undefined) return new Map();
  let lock: unknown;
  try {
    lock = JSON.parse(text);
  } catch (error) {
    throw damaged(file, `it is not JSON: ${(error as Error).message}`);
  }
  if (!isRecord(lock) || !isRecord(lock.images)) throw damaged(file, "it has no map 'images'");
  if (lock.lockVersion !== LOCK_VERSION) {
    throw damaged(
      file,
      `its lockVersion is ${JSON.stringify(lock.lockVersion)}; this version of mlcc reads 1`,
    );
  }
  const images = new Map<string, LockedImage>();
  for (const [name, entry] of Object.entries(lock.images)) {
    const { identity } = lockedReference(file, name);
    const image = lockedImage(file, name, entry);
    const other = images.get(identity);
    if (other && (other.digest !== image.digest || other.platform !== image.platform)) {
      throw damaged(file, `'${identity}' stands there twice, with different digests or platforms`);
    }
    images.set(identity, image);
  }
  return images;
}

/** Writes a lock: sorted, the same bytes for the same images, all of it or nothing; unchanged bytes are not written. */
export function writeLock(file: string, images: LockedImages): void {
  const text = serializeLock(images);
  if (readIfThere(file) !== text) writeWholeFile(file, text);
}

function serializeLock(images: LockedImages): string {
  const sorted = [...images].sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = sorted.map(([identity, { digest, platform }]) => [
    identity,
    platform === undefined ? { digest } : { digest, platform },
  ]);
  return `${JSON.stringify({ lockVersion: LOCK_VERSION, images: Object.fromEntries(entries) }, null, 2)}\n`;
}

function lockedReference(file: string, name: string): { identity: string } {
  try {
    return parseReference(name);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    throw damaged(file, [cause.message, ...cause.why]);
  }
}

function lockedImage(file: string, name: string, entry: unknown): LockedImage {
  if (!isRecord(entry) || !isDigest(entry.digest)) {
    throw damaged(file, `'${name}' has no digest of sha256: and 64 lower-case hex digits`);
  }
  const { digest, platform } = entry;
  if (platform === undefined) return { digest };
  if (typeof platform !== 'string') throw damaged(file, `the platform of '${name}' is not text`);
  return { digest, platform };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure({
      what: `The lock file ${file} could not be read`,
      why: (cause as Error).message,
      next: 'Name a file that can be read, or leave --lock out.',
      cause,
    });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(file: string, why: string | string[]): Failure {
  return new Failure({
    what: `The lock file ${file} is damaged`,
    why,
    next: `Repair it, or delete it and render again without --offline: the images are looked up anew.`,
    exit: 2,
  });
}
