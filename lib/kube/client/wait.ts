import { Failure } from '../../failure/index.js';
import type { ObjectKey } from '../deployed.js';
import type { Cluster } from './cluster.js';
import { explain } from './explain.js';
import { type LiveObject, nameOf } from './objects.js';
import { duration, poll, type Verdict } from './poll.js';
import { hasReadiness, verdictOf } from './readiness.js';
import type { Report } from './report.js';

export interface WaitOptions {
  /** For all objects together, in milliseconds; absent: as long as it takes, but a Pod must start in time. */
  limitMs?: number | undefined;
  report: Report;
}

/** Longest time for a Pod to get to run where nothing else limits the wait: nodes and large images take their time. */
const START_LIMIT_MS = 30 * 60_000;

/**
 * Waits until objects do what they are there for, by their status: a Deployment is available, an endpoint is deployed, a
 * Pod of its own has ended. Throws a Failure with the reasons of their Pods where they do not in time. Returns the exit
 * code of the Pod, 0 where there is none.
 */
export async function waitUntilReady(
  cluster: Cluster,
  keys: readonly ObjectKey[],
  { limitMs, report }: WaitOptions,
): Promise<number> {
  const start = Date.now();
  let exitCode = 0;
  for (const key of keys.filter(hasReadiness)) {
    const left = limitMs === undefined ? undefined : Math.max(0, start + limitMs - Date.now());
    const what = nameOf(key);
    const seen: { object?: LiveObject } = {};
    const look = async () => inTime(await lookAt(cluster, key, seen), seen.object, start, limitMs);
    const verdict = await poll(look, { what, limitMs: left, report });
    if (verdict.kind !== 'done') throw await notReady(cluster, key, seen.object, verdict, Date.now() - start);
    report(`${what}: ${verdict.state} (${duration(Date.now() - start)})`);
    exitCode ||= verdict.exitCode ?? 0;
  }
  return exitCode;
}

async function lookAt(cluster: Cluster, key: ObjectKey, seen: { object?: LiveObject }): Promise<Verdict> {
  const object = await cluster.get(key);
  if (!object) return { kind: 'failed', state: 'gone', why: ['it was deleted while it was waited for'] };
  seen.object = object;
  return verdictOf(object);
}

/** A Pod that nothing starts is not waited for without end. */
function inTime(
  verdict: Verdict,
  object: LiveObject | undefined,
  start: number,
  limitMs: number | undefined,
): Verdict {
  const isUnlimited = limitMs === undefined && verdict.kind === 'waiting';
  if (!isUnlimited || object?.kind !== 'Pod' || object.status?.phase === 'Running') return verdict;
  if (Date.now() - start < START_LIMIT_MS) return verdict;
  return { kind: 'failed', state: verdict.state, why: [`it has not started in ${duration(START_LIMIT_MS)}`] };
}

async function notReady(
  cluster: Cluster,
  key: ObjectKey,
  object: LiveObject | undefined,
  verdict: Exclude<Verdict, { kind: 'done' }>,
  took: number,
): Promise<Failure> {
  const isOver = verdict.kind === 'failed';
  const reasons = object && verdict.state !== 'gone' ? await explain(cluster, object) : [];
  return new Failure({
    what: `${nameOf(key)} is not ready${isOver ? '' : ` after ${duration(took)}`}: ${verdict.state}`,
    why: [...new Set([...(isOver ? verdict.why : []), ...reasons])],
    next: isOver
      ? 'correct the cause and apply again; what was applied is still there'
      : 'wait on with mlcc kube rollout-status, or apply again with a longer --timeout',
  });
}
