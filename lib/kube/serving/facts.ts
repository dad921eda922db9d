import { Faults } from '../faults.js';
import { parseReference } from '../images/index.js';
import { labelValue } from '../names.js';
import { standardLabels } from '../objects.js';
import {
  type DomainSettings,
  type Profile,
  type ProfileSource,
  readProfile,
  settingsFor,
} from '../profile.js';
import { type SettingVariables, servingEnvironment, settingVariables } from './environment.js';
import { identityOf, type ServingIdentity } from './identity.js';
import type { ServingInput } from './input.js';
import { type ModelSource, modelSourceOf } from './model-source.js';
import { SettingChecks } from './setting-checks.js';
import { Settings } from './settings.js';
import { refuseWithoutWorkload } from './workload.js';

/** A serving workload's input after every check: what the objects are made from. */
export interface ServingFacts extends ServingIdentity {
  input: ServingInput;
  profile: Profile;
  labels: Record<string, string>;
  /** What the Deployment's and the Service's selector say: never anything that changes. */
  selector: Record<string, string>;
  image: string;
  replicas: number;
  instanceType: string;
  instanceGroup: string;
  queue: string;
  region: string;
  resources: DomainSettings['resources'];
  source: ModelSource;
  secrets: SettingVariables['secrets'];
  profileSecrets: DomainSettings['secretEnv'];
  environment: ReturnType<typeof servingEnvironment>;
}

const DEFAULT_CPU = '2';
const DEFAULT_MEMORY = '8Gi';

/** Checks a serving workload's input. Throws a Failure that lists all faults at once. */
export function servingFactsOf(input: ServingInput): ServingFacts {
  const { target } = input;
  refuseWithoutWorkload(target);
  const faults = new Faults();
  const settings = new Settings(input);
  const profileSource = readProfile(input.profile ?? { file: '', text: '' }, faults);
  const identity = identityOf(settings, target, profileSource?.profile, faults);
  const { project, secretName } = identity;
  const check = new SettingChecks(settings, faults);
  const checked = {
    image: check.image(),
    replicas: check.count('HP_REPLICAS', 1),
    instanceType: settings.get('INSTANCE_TYPE'),
    instanceGroup: settings.get('HP_INSTANCE_GROUP_NAME'),
    queue: check.label('HP_QUEUE'),
    region: settings.get('AWS_REGION'),
    source: modelSourceOf(settings, faults),
  };
  const resources = profileResources(profileSource, project, check, input, faults);
  const isStaged = checked.source.kind === 's3';
  const variables = settingVariables(
    settings,
    { engine: input.engine, gpu: resources?.resources.gpu ?? 0, isStaged },
    faults,
  );
  checkWorkload(target, checked, settings, faults);
  faults.throwIfAny(`${input.config.file} cannot be rendered for ${target.target}`);
  if (profileSource === undefined || resources === undefined)
    throw new Error('a profile that gives nothing has a fault');

  const { profile } = profileSource;
  const environment = servingEnvironment(variables, secretName, profile, resources);
  const isReferred = ({ variable }: { variable: string }) =>
    environment.entries.some(
      ({ valueFrom }) =>
        valueFrom?.secretKeyRef?.name === secretName && valueFrom.secretKeyRef.key === variable,
    );
  const labels = standardLabels({ partOf: project, component: target.target });
  const version = parseReference(checked.image).tag;
  return {
    input,
    ...identity,
    ...checked,
    profile,
    labels: {
      ...labels,
      ...(version === undefined ? {} : { 'app.kubernetes.io/version': labelValue(version) }),
    },
    selector: standardLabels({ partOf: project, component: target.target }),
    resources: resources.resources,
    secrets: variables.secrets.filter(isReferred),
    profileSecrets: resources.secretEnv,
    environment,
  };
}

function profileResources(
  source: ProfileSource | undefined,
  project: string,
  check: SettingChecks,
  input: ServingInput,
  faults: Faults,
): DomainSettings | undefined {
  if (source === undefined) return undefined;
  const ownGpu = source.profile.domain?.[project]?.resources?.gpu ?? source.profile.resources?.gpu;
  const defaults = {
    cpu_request: check.quantity('HP_CPU_REQUEST', 'cpu') || DEFAULT_CPU,
    mem_request: check.quantity('HP_MEM_REQUEST', 'memory') || DEFAULT_MEMORY,
    gpu: ownGpu ?? check.gpus(input.accelerators),
  };
  return settingsFor(source, project, defaults, faults);
}

function checkWorkload(
  target: ServingInput['target'],
  { instanceType, source, region }: { instanceType: string; source: ModelSource; region: string },
  settings: Settings,
  faults: Faults,
): void {
  if (target.workload !== 'inference-endpoint-config') return;
  if (!/^ml\.[a-z0-9-]+\.[a-z0-9]+$/.test(instanceType)) {
    const shown =
      instanceType === ''
        ? 'set INSTANCE_TYPE'
        : `INSTANCE_TYPE \`${instanceType}\` is not one of HyperPod’s`;
    faults.add(settings.where('INSTANCE_TYPE'), `${shown}: write it as ml.g5.2xlarge`);
  }
  if (source.kind === 's3' && region === '') {
    faults.add(settings.where('AWS_REGION'), 'set AWS_REGION: the staged weights are in it');
  }
}
