import { Failure } from '../../failure/index.js';
import type { KubeObject } from '../objects.js';
import type { Cluster } from './cluster.js';
import { ApiRefusal } from './failures.js';
import { deleteUntilGone } from './gone.js';
import { type LiveObject, nameOf } from './objects.js';
import { type Change, type PlanOptions, planStep, type Step } from './plan.js';
import type { Report } from './report.js';

export interface ApplyOptions extends PlanOptions {
  /** Ask the server what would happen, and change nothing. */
  dryRun?: boolean;
  /** For a replaced object to be gone, in milliseconds. */
  limitMs: number;
  report: Report;
}

/** What became of one object. */
export interface Applied {
  object: KubeObject;
  change: Change;
  /** As the cluster holds it now; absent in a dry run. */
  live?: LiveObject;
}

const NAMESPACE_LIMIT_MS = 60_000;

/**
 * Applies objects in their order, all or nothing: namespaces that are not there come first, then all objects are tried
 * without a change, and only when the cluster would take each of them are they applied. Throws a Failure that names all
 * that it would not take; what was made until then is taken away again.
 */
export async function applyObjects(
  cluster: Cluster,
  objects: readonly KubeObject[],
  options: ApplyOptions,
): Promise<Applied[]> {
  const missing = await missingNamespaces(cluster, objects);
  if (options.dryRun) return tryOnly(cluster, objects, missing, options);
  const made: LiveObject[] = [];
  try {
    const namespaces: Applied[] = [];
    for (const object of missing) {
      options.report(`creating ${nameOf(object)}`);
      const live = await cluster.apply(object);
      made.push(live);
      namespaces.push({ object, change: 'created', live });
    }
    const isMade = ({ kind, metadata }: KubeObject) =>
      kind === 'Namespace' && missing.some((namespace) => namespace.metadata.name === metadata.name);
    const steps = await planAll(
      cluster,
      objects.filter((object) => !isMade(object)),
      options,
    );
    return [...namespaces, ...(await carryOut(cluster, steps, made, options))];
  } catch (error) {
    throw await takeAway(cluster, made, error, options.report);
  }
}

/** The namespaces that the objects need and that are not there: those among the objects, else ones of our own. */
async function missingNamespaces(cluster: Cluster, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  const needed = new Map<string, KubeObject>();
  for (const object of objects) {
    const { kind, metadata } = object;
    if (kind === 'Namespace') needed.set(metadata.name, object);
    else if (metadata.namespace !== undefined && !needed.has(metadata.namespace))
      needed.set(metadata.namespace, namespaceFor(object));
  }
  const missing: KubeObject[] = [];
  for (const namespace of needed.values()) {
    try {
      if ((await cluster.get(namespace)) === undefined) missing.push(namespace);
    } catch (error) {
      // Many may use a namespace without being allowed to look at it; what is applied in it will tell.
      if (!(error instanceof ApiRefusal && error.code === 403)) throw error;
    }
  }
  return missing;
}

function namespaceFor({ metadata }: KubeObject): KubeObject {
  const labels = Object.fromEntries(
    ['managed-by', 'part-of', 'component'].flatMap((name) => {
      const label = `app.kubernetes.io/${name}`;
      const value = metadata.labels?.[label];
      return value === undefined ? [] : [[label, value]];
    }),
  );
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: metadata.namespace ?? '', labels } };
}

async function tryOnly(
  cluster: Cluster,
  objects: readonly KubeObject[],
  missing: readonly KubeObject[],
  options: ApplyOptions,
): Promise<Applied[]> {
  const absent = new Set(missing.map(({ metadata }) => metadata.name));
  for (const namespace of missing) await cluster.apply(namespace, { dryRun: true });
  const isUncheckable = ({ metadata }: KubeObject) => absent.has(metadata.namespace ?? '');
  const unchecked = objects.filter(isUncheckable);
  if (unchecked.length > 0) {
    const names = unchecked.map(nameOf).join(', ');
    options.report(`not checked, since the namespace does not exist yet: ${names}`);
  }
  const others = objects.filter((object) => !isUncheckable(object) && object.kind !== 'Namespace');
  const steps = await planAll(cluster, others, options);
  return [...missing, ...unchecked]
    .map((object): Applied => ({ object, change: 'created' }))
    .concat(steps.map(({ object, change }) => ({ object, change })));
}

async function planAll(
  cluster: Cluster,
  objects: readonly KubeObject[],
  options: ApplyOptions,
): Promise<Step[]> {
  options.report(`trying ${objects.length} object${objects.length === 1 ? '' : 's'} on ${cluster.context}`);
  const steps: Step[] = [];
  const failures: Failure[] = [];
  for (const object of objects) {
    try {
      steps.push(await planStep(cluster, object, options));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
      // Without a login or a connection, all others fail the same way.
      if (!(error instanceof ApiRefusal) && error.cause !== undefined) break;
      if (error instanceof ApiRefusal && error.code === 401) break;
    }
  }
  if (failures.length > 0) throw nothingApplied(failures);
  return steps;
}

function nothingApplied(failures: readonly Failure[]): Failure {
  const [first] = failures as [Failure];
  if (failures.length === 1) {
    const { message: what, why, next, exit, cause } = first;
    const shown = [...why, 'nothing was applied'];
    return new Failure({ what, why: shown, ...(next === undefined ? {} : { next }), exit, cause });
  }
  const nexts = [...new Set(failures.flatMap(({ next }) => next ?? []))];
  return new Failure({
    what: `nothing was applied: ${failures.length} objects would not be taken`,
    why: failures.flatMap(({ message, why }) => [message, ...why.map((line) => `  ${line}`)]),
    ...(nexts.length === 0 ? {} : { next: nexts.join('; ') }),
  });
}

async function carryOut(
  cluster: Cluster,
  steps: readonly Step[],
  made: LiveObject[],
  options: ApplyOptions,
): Promise<Applied[]> {
  const applied: Applied[] = [];
  try {
    for (const step of steps) {
      applied.push(await carryOutStep(cluster, step, options));
      const last = applied.at(-1);
      if (last?.change === 'created' && last.live) made.push(last.live);
    }
  } catch (error) {
    throw explained(error, applied);
  }
  return applied;
}

async function carryOutStep(
  cluster: Cluster,
  { object, before, change }: Step,
  { force = false, limitMs, report }: ApplyOptions,
): Promise<Applied> {
  if (change === 'replaced' && before) {
    report(`deleting ${nameOf(object)} to make it again`);
    await deleteUntilGone(cluster, before, { limitMs, report });
  }
  if (change === 'unchanged' && before) return { object, change, live: before };
  return { object, change, live: await cluster.apply(object, { force }) };
}

/** Adds what stays as it has been applied when a later object fails after all. */
function explained(error: unknown, applied: readonly Applied[]): unknown {
  if (!(error instanceof Failure)) return error;
  const stays = applied.filter(({ change }) => change === 'changed' || change === 'replaced');
  if (stays.length === 0) return error;
  const names = stays.map(({ object, change }) => `${nameOf(object)} (${change})`).join(', ');
  return withReason(error, `applied before that, and stays: ${names}`);
}

/** Deletes what was made, the last first, and adds to the failure what was not to be taken away. */
async function takeAway(
  cluster: Cluster,
  made: readonly LiveObject[],
  error: unknown,
  report: Report,
): Promise<unknown> {
  let failure = error;
  for (const object of [...made].reverse()) {
    report(`taking ${nameOf(object)} away again`);
    try {
      await deleteUntilGone(cluster, object, { limitMs: NAMESPACE_LIMIT_MS, report });
    } catch (second) {
      if (!(second instanceof Failure) || !(failure instanceof Failure)) throw second;
      failure = withReason(failure, `${nameOf(object)} was made and is still there: ${second.message}`);
    }
  }
  return failure;
}

function withReason({ message: what, why, next, exit, cause }: Failure, reason: string): Failure {
  return new Failure({ what, why: [...why, reason], ...(next === undefined ? {} : { next }), exit, cause });
}
