import type { Plan } from '../../support/aws/index.js';
import type { Scenario } from './scenarios.js';
import type { SweepFault } from './sweep-faults.js';

/** A change that goes in another way than it should. */
export interface Turn {
  name: string;
  plan: Plan;
  ends: SweepFault['ends'];
  says?: RegExp;
  /** The status that do/config holds afterwards. */
  status: string;
  /** What shows best whether the project can go on: CI tries this one alone. */
  recovery: 'again' | 'clean';
}

const REASON = 'the reason that the service gives';
const SAYS = new RegExp(REASON);

/** All other ways that the changes of a scenario can go. */
export function turnsOf(
  { kind, subject: { target, settings } }: Scenario,
  changes: readonly string[],
): Turn[] {
  const success = target.success_status;
  const status = { deploy: 'Failed', update: success, clean: 'Deleting', read: success }[kind];
  const found: Turn[] = [];
  const add = (name: string, plan: Plan, ends: Turn['ends'] = 'badly', says: RegExp = SAYS, after = status) =>
    found.push({
      name: `${plan.on} of the ${plan.kind} ${name}`,
      plan,
      ends,
      says,
      status: after,
      recovery: plan.looks === undefined && ends === 'badly' ? 'again' : 'clean',
    });
  for (const change of changes) {
    const [on, resource] = CHANGES[change] ?? [];
    if (!on || !resource) continue;
    const plan = { kind: resource, on };
    add('never ends', { ...plan, looks: Number.POSITIVE_INFINITY }, 'badly', /: still [A-Z][A-Za-z]+ after /);
    if (on !== 'stop')
      add('fails', { ...plan, fails: REASON }, 'badly', SAYS, kind === 'update' ? 'Failed' : status);
    if (on === 'update') add('is rolled back', { ...plan, rollsBack: REASON });
    if (on === 'update' && resource === 'endpoint')
      add('cannot be rolled back', { ...plan, rollbackFails: REASON });
    if (on === 'create') add('is not seen at once', { ...plan, unseen: 2 }, 'well', SAYS, success);
  }
  return settings.ENDPOINT_STRATEGY === 'existing'
    ? found.filter(({ plan }) => plan.kind !== 'endpoint')
    : found;
}

/** The operations that begin a change that lasts. */
const CHANGES: Readonly<Record<string, readonly [Plan['on'], Plan['kind']]>> = {
  CreateEndpoint: ['create', 'endpoint'],
  UpdateEndpoint: ['update', 'endpoint'],
  DeleteEndpoint: ['delete', 'endpoint'],
  CreateInferenceComponent: ['create', 'inference-component'],
  UpdateInferenceComponent: ['update', 'inference-component'],
  UpdateInferenceComponentRuntimeConfig: ['update', 'inference-component'],
  DeleteInferenceComponent: ['delete', 'inference-component'],
  CreateTransformJob: ['create', 'transform-job'],
  StopTransformJob: ['stop', 'transform-job'],
};
