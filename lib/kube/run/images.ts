import { Failure } from '../../failure/index.js';
import type { Faults } from '../faults.js';
import { parseReference } from '../images/index.js';
import type { Manifest } from '../manifest.js';
import type { ProfileSource } from '../profile.js';
import type { TomlDocument } from '../toml/document.js';

/** The images that a run's objects name, as they were written; a bad reference is a fault with its place. */
export function imagesOf(manifest: Manifest, { profile, document }: ProfileSource, faults: Faults): string[] {
  const found = [
    { image: profile.image?.loop, path: '/image/loop', document },
    { image: profile.cluster?.supervisor_image, path: '/cluster/supervisor_image', document },
    { image: manifest.data.agent?.sandbox_image, path: '/agent/sandbox_image', document: manifest.document },
  ].flatMap(({ image, ...place }) => (image === undefined ? [] : [{ image, ...place }]));
  for (const { image, path, document } of found) checkReference(image, document, path, faults);
  return [...new Set(found.map(({ image }) => image))];
}

function checkReference(image: string, document: TomlDocument, path: string, faults: Faults): void {
  try {
    parseReference(image);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    faults.add(document.where(path), [error.message, ...error.why].join(': '));
  }
}
