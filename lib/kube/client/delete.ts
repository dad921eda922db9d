import { Failure } from '../../failure/index.js';
import type { ObjectKey } from '../deployed.js';
import type { Cluster } from './cluster.js';
import { UnknownKind } from './discovery.js';
import { deleteUntilGone } from './gone.js';
import { type LiveObject, nameOf } from './objects.js';
import { isOurs } from './ownership.js';
import type { Report } from './report.js';

export interface DeleteOptions {
  /** The project or run that the objects must belong to. */
  partOf: string;
  /** For each object to be gone, in milliseconds. */
  limitMs: number;
  report: Report;
}

/**
 * Deletes objects in the given order and waits until each is gone. One that is not there is done. Nothing is deleted
 * when one of them is not ours. Returns the keys of those that were there.
 */
export async function deleteObjects(
  cluster: Cluster,
  keys: readonly ObjectKey[],
  { partOf, limitMs, report }: DeleteOptions,
): Promise<ObjectKey[]> {
  const found: LiveObject[] = [];
  for (const key of keys) {
    const object = await find(cluster, key);
    if (object) found.push(object);
  }
  const foreign = found.filter((object) => !isOurs(object, partOf));
  if (foreign.length > 0) {
    throw new Failure({
      what: 'nothing was deleted: some objects are not of this deployment',
      why: foreign.map((object) => `${nameOf(object)} ${ownerOf(object)}`),
      next: 'delete them yourself if they may go',
    });
  }
  for (const object of found) {
    report(`deleting ${nameOf(object)}`);
    await deleteUntilGone(cluster, object, { limitMs, report });
  }
  return found;
}

async function find(cluster: Cluster, key: ObjectKey): Promise<LiveObject | undefined> {
  try {
    return await cluster.get(key);
  } catch (error) {
    if (error instanceof UnknownKind) return undefined;
    throw error;
  }
}

function ownerOf({ metadata }: LiveObject): string {
  const { labels = {}, managedFields = [] } = metadata;
  const [manager, owner] = ['managed-by', 'part-of'].map((name) => labels[`app.kubernetes.io/${name}`]);
  if (manager !== undefined) return `is managed by ${manager}${owner === undefined ? '' : ` for ${owner}`}`;
  return `was made by ${managedFields[0]?.manager ?? 'somebody else'}`;
}
