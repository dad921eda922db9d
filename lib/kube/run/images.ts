import type { Faults } from '../faults.js';
import { referenceFault } from '../images/index.js';
import type { Manifest } from '../manifest.js';
import type { ProfileSource } from '../profile.js';

/** The images that a run's objects name, as they were written; a bad reference is a fault with its place. */
export function imagesOf(manifest: Manifest, { profile, document }: ProfileSource, faults: Faults): string[] {
  const found = [
    { image: profile.image?.loop, path: '/image/loop', document },
    { image: profile.cluster?.supervisor_image, path: '/cluster/supervisor_image', document },
    { image: manifest.data.agent?.sandbox_image, path: '/agent/sandbox_image', document: manifest.document },
  ].flatMap(({ image, ...place }) => (image === undefined ? [] : [{ image, ...place }]));
  for (const { image, path, document } of found) {
    const fault = referenceFault(image);
    if (fault !== undefined) faults.add(document.where(path), fault);
  }
  return [...new Set(found.map(({ image }) => image))];
}
