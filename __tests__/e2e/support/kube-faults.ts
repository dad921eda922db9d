import type { FaultAction } from '../../support/kube-api/index.js';
import { changes, type KubeCall, matching } from './kube-calls.js';
import type { KubePlace } from './kube-place.js';
import type { SweepFault } from './sweep-faults.js';

/** What goes wrong in one request to the cluster, and how the script is to take it. */
export interface KubeFault {
  name: string;
  /** Only where an answer can be lost of something that was done. */
  changesOnly?: boolean;
  arm(place: KubePlace, call: KubeCall): void;
  ends: SweepFault['ends'];
  /** What the script says when it ends badly. */
  says?: RegExp;
}

const refused = (code: number, reason: string, message: string): FaultAction => ({
  kind: 'status',
  code,
  reason,
  message,
});

export const KUBE_FAULTS: readonly KubeFault[] = [
  {
    name: 'forbidden',
    arm: ({ api }, call) =>
      api.faults.add({
        ...matching(call),
        from: call.turn,
        action: refused(403, 'Forbidden', 'you may not do that here'),
      }),
    ends: 'badly',
    says: /you may not do that here/,
  },
  {
    name: 'too many requests',
    arm: ({ api }, call) =>
      api.faults.add({
        ...matching(call),
        nth: call.turn,
        action: refused(429, 'TooManyRequests', 'the server is busy'),
      }),
    ends: 'well',
  },
  {
    name: 'an error of the server, for good',
    arm: ({ api }, call) =>
      api.faults.add({
        ...matching(call),
        from: call.turn,
        action: refused(500, 'InternalError', 'etcd has a bad day'),
      }),
    ends: 'badly',
    says: /etcd has a bad day/,
  },
  {
    name: 'the login ends',
    arm: (place, call) =>
      atCall(place, call, 'before', () =>
        place.api.faults.add({ action: refused(401, 'Unauthorized', 'Unauthorized') }),
      ),
    ends: 'badly',
    says: /logged in|login|[Uu]nauthorized/,
  },
  {
    name: 'connections are refused',
    arm: (place, call) => atCall(place, call, 'before', () => void place.api.unplug()),
    ends: 'badly',
    says: /refused|nothing listens|EOF|broken off/,
  },
  {
    name: 'the connection breaks once',
    arm: ({ api }, call) => api.faults.add({ ...matching(call), nth: call.turn, action: { kind: 'drop' } }),
    ends: 'well',
  },
  {
    name: 'the answer is lost',
    changesOnly: true,
    arm: ({ api }, call) =>
      api.faults.add({ ...matching(call), nth: call.turn, when: 'after', action: { kind: 'drop' } }),
    ends: 'well',
  },
  {
    name: 'Ctrl-C',
    arm: (place, call) => atCall(place, call, 'after', () => place.project.signal('SIGINT')),
    ends: 'interrupted',
  },
  {
    name: 'killed',
    arm: (place, call) => atCall(place, call, 'after', () => place.project.signal('SIGKILL')),
    ends: 'killed',
  },
];

function atCall({ api }: KubePlace, call: KubeCall, when: 'before' | 'after', run: () => void): void {
  api.faults.add({ ...matching(call), nth: call.turn, when, action: { kind: 'run', run } });
}

/** The faults that hurt most where a call stands: CI tries the one whose turn it is. */
export function worstKubeFault(call: KubeCall, index: number): string {
  if (changes(call)) return 'killed';
  return ['the login ends', 'Ctrl-C', 'forbidden', 'an error of the server, for good'][index % 4] ?? '';
}
