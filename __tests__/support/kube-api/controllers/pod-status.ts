import { type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';
import { type Condition, withCondition } from './conditions.js';

/** What all containers of a Pod do at the moment. */
export type ContainerState = { lastExitCode?: number; restarts?: number } & (
  | { kind: 'waiting'; reason: string; message?: string }
  | { kind: 'running'; ready: boolean }
  | { kind: 'terminated'; exitCode: number }
);

/** A Pod's whole status, as a kubelet writes it. */
export function podStatus(pod: KubeObject, state: ContainerState, time: string): JsonObject {
  const isReady = state.kind === 'running' && state.ready;
  const readiness = {
    status: isReady ? 'True' : 'False',
    ...(isReady ? {} : { reason: 'ContainersNotReady' }),
  } as const;
  const conditions: Condition[] = [
    { type: 'Initialized', status: 'True' },
    { type: 'ContainersReady', ...readiness },
    { type: 'Ready', ...readiness },
  ];
  const status: JsonObject = {
    ...(pod.status as JsonObject | undefined),
    phase: phaseOf(state),
    startTime: (valueAt(pod, 'status', 'startTime') as string | undefined) ?? time,
    hostIP: '10.0.0.1',
    podIP: '10.1.0.1',
    podIPs: [{ ip: '10.1.0.1' }],
    qosClass: 'Burstable',
    containerStatuses: listAt(pod, 'spec', 'containers').map((container) =>
      containerStatus(container, state, isReady, time),
    ),
  };
  const initContainers = listAt(pod, 'spec', 'initContainers');
  if (initContainers.length > 0) {
    const isDone = state.kind !== 'waiting' || state.restarts !== undefined;
    const done: ContainerState = isDone ? { kind: 'terminated', exitCode: 0 } : state;
    status.initContainerStatuses = initContainers.map((container) =>
      containerStatus(container, done, isDone, time),
    );
  }
  for (const condition of conditions) status.conditions = withCondition({ ...pod, status }, condition, time);
  return status;
}

function phaseOf(state: ContainerState): string {
  if (state.kind === 'terminated') return state.exitCode === 0 ? 'Succeeded' : 'Failed';
  // a container that has run before counts as running while it is backed off
  return state.kind === 'running' || state.restarts !== undefined ? 'Running' : 'Pending';
}

function containerStatus(
  container: JsonObject,
  state: ContainerState,
  ready: boolean,
  time: string,
): JsonObject {
  const { name, image = '' } = container;
  return {
    name: String(name),
    image,
    imageID: state.kind === 'waiting' && state.restarts === undefined ? '' : image,
    ready,
    started: state.kind === 'running',
    restartCount: state.restarts ?? 0,
    state: stateOf(state, time),
    ...(state.lastExitCode !== undefined && {
      lastState: { terminated: terminated(state.lastExitCode, time) },
    }),
  };
}

function stateOf(state: ContainerState, time: string): JsonObject {
  if (state.kind === 'running') return { running: { startedAt: time } };
  if (state.kind === 'terminated') return { terminated: terminated(state.exitCode, time) };
  return {
    waiting: { reason: state.reason, ...(state.message !== undefined && { message: state.message }) },
  };
}

const terminated = (exitCode: number, time: string): JsonObject => ({
  exitCode,
  reason: exitCode === 0 ? 'Completed' : 'Error',
  startedAt: time,
  finishedAt: time,
});
