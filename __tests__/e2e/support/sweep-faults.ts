import type { CloudCall } from '../../support/aws/index.js';
import type { Stage } from './stage.js';

/** A call of a scenario's run, as it was recorded when nothing went wrong. */
export interface RecordedCall {
  /** Counted from 1, over all calls of the run. */
  number: number;
  service: string;
  operation: string;
  /** Counted from 1, over the calls of that operation. */
  turn: number;
  /** Whether it changes something. */
  changes: boolean;
  /** Whether it is a check before the work. */
  isCheck: boolean;
  /** From where in the scripts it comes; calls of several scenarios may come from one place. */
  path: string;
}

/** Where a script runs: its cloud and its project. */
export type Place = Pick<Stage, 'cloud' | 'project'>;

/** What goes wrong in one call, and how the script is to take it. */
export interface SweepFault {
  name: string;
  /** Only where an answer can be lost of something that was done. */
  changesOnly?: boolean;
  arm(stage: Place, call: RecordedCall): void;
  /** How the script ends: by itself with an exit code, or by the signal. */
  ends: 'well' | 'badly' | 'interrupted' | 'killed';
  /** What the script says when it ends badly. */
  says?: RegExp;
}

// An answer to HEAD has no body, so that the service's words are not in it.
const WORDLESS = 'An error occurred \\((400|403|500|503)\\)';

export const SWEEP_FAULTS: readonly SweepFault[] = [
  {
    name: 'access denied',
    arm: ({ cloud }, { service, operation, turn }) =>
      cloud.aws.fault({ service, operation, nth: turn, times: Infinity, fault: 'access-denied' }),
    ends: 'badly',
    says: new RegExp(`not authorized to perform|${WORDLESS}`),
  },
  {
    name: 'throttled twice',
    arm: ({ cloud }, { number }) => cloud.aws.fault({ nth: number, times: 2, fault: 'throttling' }),
    ends: 'well',
  },
  {
    name: 'an error of the service, for good',
    arm: ({ cloud }, { service, operation, turn }) =>
      cloud.aws.fault({ service, operation, nth: turn, times: Infinity, fault: 'internal-error' }),
    ends: 'badly',
    says: new RegExp(`unknown error|${WORDLESS}`),
  },
  {
    name: 'the session expires',
    arm: ({ cloud }, { number }) => cloud.aws.fault({ nth: number, times: Infinity, fault: 'expired-token' }),
    ends: 'badly',
    says: new RegExp(`token.* is expired|${WORDLESS}`),
  },
  {
    name: 'connections are refused',
    arm: ({ cloud }, { number }) => cloud.aws.fault({ nth: number, fault: 'refused' }),
    ends: 'badly',
    says: /Could not connect to the endpoint|[Cc]onnection/,
  },
  {
    name: 'the answer is lost',
    changesOnly: true,
    arm: ({ cloud }, { number }) => cloud.aws.fault({ nth: number, when: 'after', fault: 'reset' }),
    ends: 'well',
  },
  {
    name: 'Ctrl-C',
    arm: (stage, call) => signalAfter(stage, call, 'SIGINT'),
    ends: 'interrupted',
  },
  {
    name: 'killed',
    arm: (stage, call) => signalAfter(stage, call, 'SIGKILL'),
    ends: 'killed',
  },
];

/** The call is carried out, but the script never learns that: it lies between two calls. */
function signalAfter({ cloud, project }: Place, { number }: RecordedCall, signal: NodeJS.Signals): void {
  const fault = () => project.signal(signal);
  cloud.aws.fault({ nth: number, when: 'after', fault });
}

/** The fault that hurts most where the call stands: CI tries this one alone. */
export function worstFault({ operation, changes, isCheck, number }: RecordedCall): string {
  // What has been made for an update before it must go again.
  if (operation === 'CreateEndpointConfig' || operation === 'UpdateInferenceComponent')
    return 'access denied';
  // It is there already at the next try.
  if (operation === 'CreateModel') return 'the answer is lost';
  if (changes) return 'killed';
  if (isCheck) return 'access denied';
  return number % 2 === 0 ? 'the session expires' : 'Ctrl-C';
}

const READING = /^(Describe|List|Get|Head|Filter)/;

/** Numbers the calls of a run; `isCheck` says of each whether it stands before the work, `path` from where it comes. */
export function recorded(
  calls: readonly CloudCall[],
  isCheck: (index: number) => boolean,
  path: (index: number) => string = String,
): RecordedCall[] {
  const turns = new Map<string, number>();
  return calls.map(({ service, operation }, index) => {
    const name = `${service}:${operation}`;
    const turn = (turns.get(name) ?? 0) + 1;
    turns.set(name, turn);
    const changes = !READING.test(operation);
    return {
      number: index + 1,
      service,
      operation,
      turn,
      changes,
      isCheck: isCheck(index),
      path: `${name} ${path(index)}`,
    };
  });
}
