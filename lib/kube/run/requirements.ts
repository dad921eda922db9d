import type { Faults } from '../faults.js';
import { DEPLOY_FACTS, type Manifest } from '../manifest.js';
import type { ProfileSource } from '../profile.js';
import type { LoopMode, PlaybookMode, RunInput } from './input.js';
import { deployTargets } from './projection.js';

/** The facts that every run needs, known to be there. */
export interface RequiredFacts {
  loopNamespace: string;
  rigNamespace: string;
  serviceAccount: string;
  loopImage: string;
}

/** Adds a fault for every key that the mode needs and that is not there. */
export function checkRequirements(
  mode: RunInput['mode'],
  manifest: Manifest,
  { profile, document }: ProfileSource,
  faults: Faults,
): RequiredFacts {
  const { cluster, image, secrets } = profile;
  const needProfile = (table: string, key: string, value: string | undefined, why: string): string => {
    if (value === undefined) faults.add(document.where(`/${table}`), `set \`${key}\` in [${table}]: ${why}`);
    return value ?? '';
  };
  const required = {
    loopNamespace: needProfile(
      'cluster',
      'loop_namespace',
      cluster?.loop_namespace,
      'the run’s Pod lives there',
    ),
    rigNamespace: needProfile(
      'cluster',
      'rig_namespace',
      cluster?.rig_namespace,
      'the run changes the rig there',
    ),
    serviceAccount: needProfile('cluster', 'service_account', cluster?.service_account, 'the run acts as it'),
    loopImage: needProfile('image', 'loop', image?.loop, 'the run’s image'),
  };
  if (mode.kind === 'playbook') return required;
  needProfile('cluster', 'supervisor_image', cluster?.supervisor_image, 'the loop’s sandbox needs it');
  const needManifest = (table: string, missing: boolean, message: string) => {
    if (missing) faults.add(manifest.document.where(table), message);
  };
  const { agent } = manifest.data;
  needManifest(
    '/agent',
    !agent?.sandbox_image,
    'set `sandbox_image` in [agent]: the loop’s agent works in it',
  );
  const targets = deployTargets(manifest);
  const facts = DEPLOY_FACTS.join(', ');
  needManifest(
    '/deploy',
    targets.length === 0,
    `[deploy] is missing: the loop builds and deploys (${facts}, env)`,
  );
  const pushes = agent?.broker?.build && targets.some(({ target }) => target.registry !== undefined);
  if (pushes) {
    const why = 'the broker builds and [deploy] names a registry to push to';
    needProfile('secrets', 'push_authfile', secrets?.push_authfile, why);
  }
  return required;
}

/** Adds a fault for each limit and parameter of a run that is missing or wrong. */
export function checkLimits(mode: RunInput['mode'], faults: Faults): void {
  if (mode.kind === 'playbook') checkPlaybook(mode, faults);
  else checkLoop(mode, faults);
}

function checkLoop({ iterations, maxCost }: LoopMode, faults: Faults): void {
  if (iterations === undefined) faults.add('--iterations', 'say how many iterations the loop may run');
  else if (!Number.isSafeInteger(iterations) || iterations < 1) {
    faults.add('--iterations', `\`${iterations}\` is not a whole number above 0`);
  }
  checkCost(maxCost, faults);
}

function checkPlaybook({ maxCost, maxTime, params }: PlaybookMode, faults: Faults): void {
  checkCost(maxCost, faults);
  if (maxTime === undefined) faults.add('--max-time', 'say how long the playbook may run, such as 90m');
  else if (!/^(?:[0-9]+[hms])+$/.test(maxTime) || !/[1-9]/.test(maxTime)) {
    faults.add(
      '--max-time',
      `\`${maxTime}\` is not a duration: write hours, minutes and seconds as in 1h30m`,
    );
  }
  const seen = new Set<string>();
  for (const param of params) {
    const key = param.slice(0, Math.max(0, param.indexOf('=')));
    if (key === '') faults.add('--param', `\`${param}\` is not KEY=VALUE`);
    else if (seen.has(key)) faults.add('--param', `\`${key}\` is given twice`);
    seen.add(key);
  }
}

function checkCost(maxCost: number | undefined, faults: Faults): void {
  if (maxCost === undefined) faults.add('--max-cost', 'say what the run may cost, in US dollars');
  else if (!Number.isFinite(maxCost) || maxCost <= 0)
    faults.add('--max-cost', `\`${maxCost}\` is not an amount above 0`);
}
