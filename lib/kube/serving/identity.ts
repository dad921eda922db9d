import { Faults } from '../faults.js';
import { isDnsLabel, isDnsSubdomain } from '../names.js';
import { type Profile, readProfile } from '../profile.js';
import type { ServingInput, ServingTarget } from './input.js';
import { beginsName, resourceName } from './resource-name.js';
import { SettingChecks } from './setting-checks.js';
import { Settings } from './settings.js';

/** What a serving workload is called and where it is. What a deploy has recorded comes before what settings say now. */
export interface ServingIdentity {
  /** Name of every object of the workload. */
  name: string;
  namespace: string;
  project: string;
  /** The name of the workload's own secret. */
  secretName: string;
  /** Name of the SageMaker endpoint, for targets that have one. */
  endpointName: string;
  /** Longest time until the workload serves, in seconds. */
  timeout: number;
}

/** Where a serving workload was deployed to, as far as it is recorded. */
export interface ServingRecords {
  context?: string;
  /** Paths, parted as in KUBECONFIG. */
  kubeconfig?: string;
}

const DEFAULT_TIMEOUT = 3600;

/** The identity as settings, profile and records give it; what is wrong with them is added to the faults. */
export function identityOf(
  settings: Settings,
  target: ServingTarget,
  profile: Profile | undefined,
  faults: Faults,
): ServingIdentity {
  const check = new SettingChecks(settings, faults);
  const project = settings.get('PROJECT_NAME');
  if (project === '')
    faults.add(settings.where('PROJECT_NAME'), 'set PROJECT_NAME: the objects are named after it');
  const record = (what: string, isValid: (name: string) => boolean = isDnsLabel) => {
    const variable = recordName(target, what);
    const value = settings.get(variable);
    if (value !== '' && !isValid(value))
      faults.add(settings.where(variable), `${variable} \`${value}\` is not a name that the cluster takes`);
    return value;
  };
  const recorded = record('NAME');
  if (project !== '' && recorded === '' && !beginsName(project)) {
    const expected = 'lower-case letters, digits and inner hyphens, and a letter first';
    faults.add(settings.where('PROJECT_NAME'), `PROJECT_NAME \`${project}\` must have ${expected}`);
  }
  const name = recorded || resourceName(project, target.target);
  return {
    name,
    namespace: record('NAMESPACE') || (profile?.cluster?.serving_namespace ?? check.namespace()),
    project,
    secretName: record('SECRET', isDnsSubdomain) || `${name}-tokens`,
    endpointName: record('ENDPOINT') || name,
    timeout:
      settings.get('DEPLOY_TIMEOUT') === ''
        ? DEFAULT_TIMEOUT
        : check.count('DEPLOY_TIMEOUT', DEFAULT_TIMEOUT),
  };
}

/** The identity of a workload whose other settings may be wrong or gone by now. Throws a Failure for bad names. */
export function servingIdentityOf(input: ServingInput): ServingIdentity {
  const faults = new Faults();
  const profile = input.profile && readProfile(input.profile, faults)?.profile;
  const identity = identityOf(new Settings(input), input.target, profile, faults);
  faults.throwIfAny(`${input.config.file} does not say what the workload is called`);
  return identity;
}

/** The cluster that a deploy of the target has recorded. */
export function servingRecordsOf(input: ServingInput): ServingRecords {
  const settings = new Settings(input);
  const [context, kubeconfig] = ['CONTEXT', 'KUBECONFIG'].map((what) =>
    settings.get(recordName(input.target, what)),
  );
  return { ...(context ? { context } : {}), ...(kubeconfig ? { kubeconfig } : {}) };
}

/** Records stand beside the status variable, under the same tag. */
function recordName({ status_var: status }: ServingTarget, what: string): string {
  return status.replace(/STATUS$/, what);
}
