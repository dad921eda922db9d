import type { LockedImages } from './lock-file.js';
import type { ImageReference } from './reference.js';
import type { DigestResolver } from './resolver.js';

/** Digests that an earlier render found. One that was chosen for another platform does not count. */
export class LockedDigests implements DigestResolver {
  constructor(
    private readonly images: LockedImages,
    private readonly platform: string | undefined,
  ) {}

  async resolve({ identity }: ImageReference): Promise<string | undefined> {
    const locked = this.images.get(identity);
    return locked !== undefined && locked.platform === this.platform ? locked.digest : undefined;
  }
}
