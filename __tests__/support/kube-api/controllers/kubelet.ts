import { type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';
import { containerEnvironment } from '../pods/environment.js';
import { isFinished } from './conditions.js';
import type { Plans, PodPlan } from './plans.js';
import { type ContainerState, podStatus } from './pod-status.js';
import type { Controller, Tools } from './tools.js';

const START_SECONDS = 1;
const READY_SECONDS = 2;
const END_SECONDS = 1;
const BACK_OFF_SECONDS = 10;
/** A crashing container is restarted this often; then its back-off no longer ends. */
const RESTARTS = 3;

/** Starts the containers of each Pod that has a node, lets them fare as planned, and ends them. */
export const kubelet =
  (plans: Plans): Controller =>
  ({ object, previous, type }, tools) => {
    if (object.kind === 'Pod' && type === 'MODIFIED') {
      if (valueAt(object, 'spec', 'nodeName') && !valueAt(previous, 'spec', 'nodeName')) {
        tools.clock.after(START_SECONDS, () => start(object, tools, plans));
      }
      if (
        object.metadata.deletionTimestamp &&
        !previous?.metadata.deletionTimestamp &&
        plans.forPod(object).deletion !== 'never'
      ) {
        tools.clock.after(END_SECONDS, () => tools.remove(object, { gracePeriodSeconds: 0 }));
      }
    }
    if ((object.kind === 'Secret' || object.kind === 'ConfigMap') && type !== 'DELETED') {
      for (const pod of tools.list('Pod', object.metadata.namespace)) {
        if (valueAt(pod, 'spec', 'nodeName') && valueAt(pod, 'status', 'phase') === 'Pending') {
          tools.clock.after(START_SECONDS, () => start(pod, tools, plans));
        }
      }
    }
  };

/** The Pod as it is now, or undefined when it is gone, ended or ending. */
function alive(pod: KubeObject, tools: Tools): KubeObject | undefined {
  const current = tools.get('Pod', pod.metadata.namespace, pod.metadata.name);
  if (!current || current.metadata.uid !== pod.metadata.uid) return undefined;
  return current.metadata.deletionTimestamp || isFinished(current) ? undefined : current;
}

function setState(pod: KubeObject, state: ContainerState, tools: Tools): void {
  const current = alive(pod, tools);
  if (!current) return;
  tools.updateStatus(
    current,
    (draft) => {
      draft.status = podStatus(draft, state, tools.clock.timestamp());
    },
    'kubelet',
  );
}

function start(pod: KubeObject, tools: Tools, plans: Plans): void {
  const current = alive(pod, tools);
  if (!current || valueAt(current, 'status', 'phase') === 'Running') return;
  const volume = missingVolume(current, tools);
  if (volume) {
    setState(pod, { kind: 'waiting', reason: 'ContainerCreating' }, tools);
    tools.event(pod, 'Warning', 'FailedMount', volume, 'kubelet');
    return;
  }
  for (const container of listAt(current, 'spec', 'containers')) {
    const environment = containerEnvironment(tools.store, current, container);
    if ('missing' in environment) {
      setState(
        pod,
        { kind: 'waiting', reason: 'CreateContainerConfigError', message: environment.missing },
        tools,
      );
      tools.event(pod, 'Warning', 'Failed', `Error: ${environment.missing}`, 'kubelet');
      return;
    }
  }
  const plan = plans.forPod(current);
  if (plan.kind === 'image-error') {
    const image = listAt(current, 'spec', 'containers')[0]?.image;
    const message = plan.message ?? `Back-off pulling image "${image}"`;
    setState(pod, { kind: 'waiting', reason: 'ImagePullBackOff', message }, tools);
    tools.event(pod, 'Warning', 'Failed', `Error: ImagePullBackOff: ${message}`, 'kubelet');
    return;
  }
  setState(pod, { kind: 'running', ready: false }, tools);
  tools.event(pod, 'Normal', 'Started', 'Started container', 'kubelet');
  proceed(pod, plan, tools);
}

function proceed(pod: KubeObject, plan: PodPlan, tools: Tools): void {
  if (plan.kind === 'ready') {
    tools.clock.after(plan.afterSeconds ?? READY_SECONDS, () =>
      setState(pod, { kind: 'running', ready: true }, tools),
    );
  } else if (plan.kind === 'not-ready') {
    tools.event(pod, 'Warning', 'Unhealthy', 'Readiness probe failed: connection refused', 'kubelet');
  } else if (plan.kind === 'crash-loop') {
    crash(pod, plan.exitCode ?? 1, 0, tools);
  } else if (plan.kind === 'exits') {
    setState(pod, { kind: 'running', ready: true }, tools);
    tools.clock.after(plan.afterSeconds ?? READY_SECONDS, () => exit(pod, plan.exitCode, tools));
  }
}

function exit(pod: KubeObject, exitCode: number, tools: Tools): void {
  const policy = valueAt(pod, 'spec', 'restartPolicy');
  const isFinal = policy === 'Never' || (policy === 'OnFailure' && exitCode === 0);
  if (isFinal) setState(pod, { kind: 'terminated', exitCode }, tools);
  else crash(pod, exitCode, 0, tools);
}

function crash(pod: KubeObject, exitCode: number, restarts: number, tools: Tools): void {
  if (!alive(pod, tools)) return;
  setState(pod, { kind: 'waiting', reason: 'CrashLoopBackOff', lastExitCode: exitCode, restarts }, tools);
  tools.event(pod, 'Warning', 'BackOff', 'Back-off restarting failed container', 'kubelet');
  if (restarts >= RESTARTS) return;
  tools.clock.after(BACK_OFF_SECONDS * 2 ** restarts, () => {
    setState(pod, { kind: 'running', ready: false, lastExitCode: exitCode, restarts: restarts + 1 }, tools);
    tools.clock.after(START_SECONDS, () => crash(pod, exitCode, restarts + 1, tools));
  });
}

/** A Secret or ConfigMap that a volume needs and that is not there. */
function missingVolume(pod: KubeObject, tools: Tools): string | undefined {
  for (const volume of listAt(pod, 'spec', 'volumes')) {
    const sources: JsonObject[] = [volume, ...listAt(volume, 'projected', 'sources')];
    for (const source of sources) {
      for (const [field, kind, nameField] of [
        ['secret', 'Secret', source === volume ? 'secretName' : 'name'],
        ['configMap', 'ConfigMap', 'name'],
      ] as const) {
        const name = valueAt(source, field, nameField);
        if (name === undefined || valueAt(source, field, 'optional') === true) continue;
        if (!tools.get(kind, pod.metadata.namespace, String(name))) {
          return `MountVolume.SetUp failed for volume "${volume.name}" : ${kind.toLowerCase()} "${name}" not found`;
        }
      }
    }
  }
  return undefined;
}
