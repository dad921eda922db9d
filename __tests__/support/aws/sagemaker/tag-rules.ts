import { validationException } from '../aws-error.js';
import type { Tag } from './resource.js';

/** Refuses what the service's model does not rule out but the service does. */
export function checkTags(tags: readonly Tag[]): void {
  const keys = tags.map((tag) => tag.Key);
  if (new Set(keys).size < keys.length) throw validationException('Duplicate tag keys found.');
  const reserved = keys.find((key) => key.toLowerCase().startsWith('aws:'));
  if (reserved !== undefined)
    throw validationException(`Tag key "${reserved}" is reserved: aws: is a system prefix.`);
}
