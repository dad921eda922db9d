import { labelValue } from '../names.js';
import { APPLY_MANAGER, type LiveObject } from './objects.js';

/**
 * Whether an object was made by mlcc, for this project or run where one is named: its labels say so, or, where labels
 * say nothing, its field managers do.
 */
export function isOurs({ metadata }: LiveObject, partOf?: string): boolean {
  const { labels = {}, managedFields = [] } = metadata;
  const manager = labels['app.kubernetes.io/managed-by'];
  const owner = labels['app.kubernetes.io/part-of'];
  const isOwners = partOf === undefined || owner === undefined || owner === labelValue(partOf);
  if (manager !== undefined) return manager === APPLY_MANAGER && isOwners;
  const isApplied = managedFields.some(
    ({ manager, operation }) => manager === APPLY_MANAGER && operation === 'Apply',
  );
  return isApplied && isOwners;
}
