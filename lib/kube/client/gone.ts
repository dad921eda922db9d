import { Failure } from '../../failure/index.js';
import type { Cluster } from './cluster.js';
import { type LiveObject, nameOf } from './objects.js';
import { duration, poll, type Verdict } from './poll.js';
import type { Report } from './report.js';

/** Deletes an object and waits until it is gone. One that is gone already is no failure. */
export async function deleteUntilGone(
  cluster: Cluster,
  object: LiveObject,
  { limitMs, report }: { limitMs: number; report: Report },
): Promise<void> {
  if (object.metadata.deletionTimestamp === undefined) await cluster.delete(object);
  const what = nameOf(object);
  const verdict = await poll(() => look(cluster, object), { what, limitMs, report });
  if (verdict.kind === 'done') return;
  const held = verdict.kind === 'failed' ? verdict.why : await holders(cluster, object);
  throw new Failure({
    what: `${what} is not gone${verdict.kind === 'failed' ? '' : ` after ${duration(limitMs)}`}`,
    why: [verdict.state, ...held],
    next: 'run the same command again to go on waiting',
  });
}

async function look(cluster: Cluster, object: LiveObject): Promise<Verdict> {
  const now = await cluster.get(object);
  if (now === undefined || now.metadata.uid !== object.metadata.uid) return { kind: 'done', state: 'gone' };
  const { state, conditions = [] } = now.status ?? {};
  if (state === 'DeletionFailed') return { kind: 'failed', state, why: messagesOf(conditions) };
  return { kind: 'waiting', state: state ?? 'being deleted' };
}

/** The finalizers that hold an object, for which somebody has to do something first. */
async function holders(cluster: Cluster, object: LiveObject): Promise<string[]> {
  const { finalizers = [] } = ((await cluster.get(object))?.metadata ?? {}) as { finalizers?: string[] };
  return finalizers.length === 0 ? [] : [`held by ${finalizers.join(', ')}`];
}

/** What the conditions of a custom object say is wrong. */
export function messagesOf(
  conditions: readonly { type: string; status: string; reason?: string; message?: string }[],
): string[] {
  const told = conditions.filter(({ message }) => message);
  const failures = told.filter(({ type, status }) => status === 'True' && /Fail|Error/.test(type));
  const telling = failures.length > 0 ? failures : told.filter(({ status }) => status === 'False');
  return telling.map(({ type, message }) => `${type}: ${message}`);
}
