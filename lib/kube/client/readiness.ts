import { messagesOf } from './gone.js';
import type { LiveObject } from './objects.js';
import type { Verdict } from './poll.js';

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

interface ContainerStatus {
  name: string;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    running?: object;
    terminated?: { exitCode: number; reason?: string; message?: string };
  };
  lastState?: ContainerStatus['state'];
}

/** Whether an object does what it is there for, read from its status; kinds without one are ready at once. */
export function verdictOf(object: LiveObject): Verdict {
  if (object.kind === 'Deployment') return deploymentVerdict(object);
  if (object.kind === 'InferenceEndpointConfig') return endpointVerdict(object);
  if (object.kind === 'Pod') return podVerdict(object);
  return { kind: 'done', state: 'there' };
}

/** Whether the kind has a state that is worth waiting for. */
export function hasReadiness({ kind }: Pick<LiveObject, 'kind'>): boolean {
  return ['Deployment', 'InferenceEndpointConfig', 'Pod'].includes(kind);
}

function deploymentVerdict({ metadata, spec, status = {} }: LiveObject): Verdict {
  const wanted: number = spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const state = `${availableReplicas} of ${wanted} available`;
  if (observedGeneration < (metadata.generation ?? 0)) return { kind: 'waiting', state };
  const failed = conditionsOf(status).find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  if (failed) return { kind: 'failed', state, why: [failed.message ?? 'its progress deadline has passed'] };
  const isDone = updatedReplicas === wanted && availableReplicas === wanted && replicas === wanted;
  return { kind: isDone ? 'done' : 'waiting', state };
}

function endpointVerdict({ metadata, status = {} }: LiveObject): Verdict {
  const state: string = status.state ?? 'not seen by the operator yet';
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return { kind: 'waiting', state };
  if (state === 'DeploymentComplete') return { kind: 'done', state };
  if (state !== 'DeploymentFailed') return { kind: 'waiting', state };
  const why = messagesOf(conditionsOf(status));
  return { kind: 'failed', state, why: why.length > 0 ? why : ['the operator gave no reason'] };
}

/** A Pod of its own is done when it has ended; its exit code is the first one of its containers that is not 0. */
function podVerdict({ status = {} }: LiveObject): Verdict {
  const { phase = 'Pending', reason, message } = status;
  if (phase !== 'Succeeded' && phase !== 'Failed') {
    return { kind: 'waiting', state: podReasons(status)[0] ?? phase };
  }
  const codes = containersOf(status).flatMap(({ state }) => state?.terminated?.exitCode ?? []);
  const exitCode = codes.find((code) => code !== 0) ?? (phase === 'Succeeded' ? 0 : undefined);
  if (exitCode !== undefined) return { kind: 'done', state: `ended with exit code ${exitCode}`, exitCode };
  return {
    kind: 'failed',
    state: phase,
    why: [[reason, message].filter(Boolean).join(': ') || 'no reason given'],
  };
}

/** Why a Pod does not run, as its status says: not scheduled, images, crashes. */
export function podReasons(status: LiveObject['status'] = {}): string[] {
  const unscheduled = conditionsOf(status)
    .filter(({ type, status }) => type === 'PodScheduled' && status === 'False')
    .map(({ reason, message }) => said(reason ?? 'not scheduled', message));
  const containers = containersOf(status).flatMap(({ name, state, lastState, restartCount = 0 }) => {
    const { waiting, terminated } = state ?? {};
    const last = lastState?.terminated;
    const before = last ? `, ended with exit code ${last.exitCode} (${restartCount} restarts)` : '';
    if (waiting?.reason && waiting.reason !== 'ContainerCreating' && waiting.reason !== 'PodInitializing')
      return [`container ${name}: ${said(waiting.reason, waiting.message)}${before}`];
    if (terminated && terminated.exitCode !== 0)
      return [`container ${name}: ended with exit code ${terminated.exitCode}`];
    return last && !waiting ? [`container ${name}: running again${before}`] : [];
  });
  return [...unscheduled, ...containers];
}

function said(reason: string, message: string | undefined): string {
  return message ? `${reason}: ${message}` : reason;
}

function conditionsOf(status: LiveObject['status']): Condition[] {
  return status?.conditions ?? [];
}

function containersOf(status: LiveObject['status']): ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}
