import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../failure/index.js';
import type { KubeObject } from '../objects.js';
import type { Cluster } from './cluster.js';
import { ApiRefusal } from './failures.js';
import { APPLY_MANAGER, type LiveObject, nameOf } from './objects.js';
import { isOurs } from './ownership.js';

export type Change = 'created' | 'changed' | 'unchanged' | 'replaced';

/** What an apply will do with one object. */
export interface Step {
  object: KubeObject;
  /** The object as it is before. */
  before?: LiveObject;
  change: Change;
}

export interface PlanOptions {
  /** Delete and make again what cannot be changed in place. */
  replace?: boolean;
  /** Take over fields that others set. */
  force?: boolean;
}

/** What API servers say of fields that are fixed once an object is there. */
const FIXED = /immutable|may not change|cannot change|may not be (?:changed|updated)/i;

/** Asks the server, without a change, what an apply of the object would do. Throws a Failure where it would refuse. */
export async function planStep(cluster: Cluster, object: KubeObject, options: PlanOptions): Promise<Step> {
  const before = await cluster.get(object);
  if (!before) {
    await cluster.apply(object, { ...options, dryRun: true });
    return { object, change: 'created' };
  }
  if (before.metadata.deletionTimestamp !== undefined) return beingDeleted(cluster, object, before, options);
  let after: LiveObject;
  try {
    after = await cluster.apply(object, { ...options, dryRun: true });
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.code !== 422 || !error.why.some((line) => FIXED.test(line)))
      throw error;
    return replacement(cluster, object, before, { ...options, why: error.why.map(firstLine) });
  }
  if (object.kind === 'Pod' && !isDeepStrictEqual(before.spec, after.spec)) {
    // The cluster would change the image of a running Pod, which ends what runs in it.
    const why = ['spec: a change of the image would end what runs in it'];
    return replacement(cluster, object, before, { ...options, why });
  }
  return {
    object,
    before,
    change: isDeepStrictEqual(content(before), content(after)) ? 'unchanged' : 'changed',
  };
}

/** An object that is on its way out cannot be changed; a replacement waits for its end. */
function beingDeleted(
  cluster: Cluster,
  object: KubeObject,
  before: LiveObject,
  options: PlanOptions,
): Promise<Step> {
  if (options.replace) return replacement(cluster, object, before, { ...options, why: [] });
  throw new Failure({
    what: `${nameOf(object)} is being deleted`,
    next: 'run the same command again once it is gone, or with --replace, which waits for that',
  });
}

async function replacement(
  cluster: Cluster,
  object: KubeObject,
  before: LiveObject,
  { replace, why }: PlanOptions & { why: readonly string[] },
): Promise<Step> {
  const what = `${nameOf(object)} cannot be changed in place`;
  if (!isOurs(before)) {
    const next = 'delete it yourself if it may go, or choose another name';
    throw new Failure({ what, why: [...why, 'it was not made by mlcc, so it is not replaced'], next });
  }
  if (!replace) {
    throw new Failure({ what, why, next: 'add --replace to delete it and make it again' });
  }
  try {
    await cluster.create(object, { dryRun: true });
  } catch (error) {
    // The server looks whether the name is free last of all: the object itself is right.
    if (!(error instanceof ApiRefusal && error.code === 409)) throw error;
  }
  return { object, before, change: 'replaced' };
}

/** What counts in an object: what it says and what of it is ours, not the server's own bookkeeping. */
function content(object: LiveObject): object {
  const { metadata, status: _, ...rest } = object;
  const { managedFields = [], resourceVersion: _version, generation: _generation, ...named } = metadata;
  const own = managedFields
    .filter(({ manager, operation }) => manager === APPLY_MANAGER && operation === 'Apply')
    .map(({ fieldsV1 }) => fieldsV1);
  return { ...rest, metadata: named, own };
}

/** Servers add the whole difference below. */
function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
