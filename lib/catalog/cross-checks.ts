import { escapePointer, type Fault } from './faults.js';
import type { Engine, Target } from './types.js';

/** Faults and warnings that no single descriptor shows: what two descriptors, or two of its fields, say about each other. */
export interface CrossChecks {
  faults: Fault[];
  warnings: Fault[];
}

const WORKLOADS: Record<Target['manifest']['family'], readonly string[]> = {
  'sagemaker-endpoint': ['none'],
  'sagemaker-job': ['none'],
  kubernetes: ['deployment', 'inference-endpoint-config'],
};

/** Prefixes whose meaning is shared; a kubernetes target that invents one beside HP_ splits the configuration. */
const KUBERNETES_PREFIX = 'HP_';
const SHARED_PREFIXES = ['HP_', 'DEPLOYMENT_TARGET_', 'IC_ENV_', 'SERVING_'];

export function crossChecks(
  targets: readonly Target[],
  engines: readonly Engine[],
  sharedNames: ReadonlySet<string>,
): CrossChecks {
  return {
    faults: [
      ...targets.flatMap((target) => withinTarget(target, sharedNames)),
      ...unique(targets, 'status_var', (t) => [t.manifest.status_var]),
      ...unique(targets, 'answer_key', (t) => [t.manifest.answer_key]),
      ...unique(targets, 'target', (t) => [t.manifest.target, ...t.manifest.aliases]),
      ...flagMeanings(targets),
      ...engines.flatMap(withinEngine),
      ...unique(engines, 'env_var_prefix', (e) => [e.manifest.env_var_prefix]),
    ],
    warnings: targets.flatMap((target) => inventedPrefixes(target, sharedNames)),
  };
}

function withinTarget({ manifest, location }: Target, sharedNames: ReadonlySet<string>): Fault[] {
  const faults = folderName(location, 'target', manifest.target);
  const fault = (pointer: string, message: string) =>
    faults.push({ file: fileOf(location), pointer, message });

  if (!manifest.runtime_owned_vars.includes(manifest.status_var)) {
    fault('/runtime_owned_vars', `${manifest.status_var} (status_var) is not listed; scripts write it`);
  }
  if (camelCase(manifest.status_var) !== manifest.answer_key) {
    fault(
      '/answer_key',
      `found "${manifest.answer_key}"; status_var asks for "${camelCase(manifest.status_var)}"`,
    );
  }
  for (const name of manifest.required_vars) {
    if (name in manifest.optional_vars) fault(`/optional_vars/${name}`, `${name} is in required_vars too`);
  }
  for (const kind of ['deploy', 'clean'] as const) {
    const expected = `${kind}.d/${manifest.target}`;
    const found = manifest[`${kind}_script`];
    if (found !== expected) fault(`/${kind}_script`, `found "${found}"; target asks for "${expected}"`);
  }
  const workloads = WORKLOADS[manifest.family];
  if (!workloads.includes(manifest.workload)) {
    fault(
      '/workload',
      `found "${manifest.workload}"; family "${manifest.family}" allows: ${workloads.join(', ')}`,
    );
  }
  for (const [name, value] of Object.entries(manifest.optional_vars)) {
    const param = manifest.params?.[name];
    if (value !== '' && param?.enum && !param.enum.includes(value)) {
      fault(`/optional_vars/${name}`, `the default "${value}" is not in params/${name}/enum`);
    }
    if (value !== '' && param?.pattern && !new RegExp(param.pattern, 'u').test(value)) {
      fault(`/optional_vars/${name}`, `the default "${value}" does not match params/${name}/pattern`);
    }
  }
  for (const [name, { default_from: source }] of Object.entries(manifest.params ?? {})) {
    if (source !== undefined && !sharedNames.has(source)) {
      fault(`/params/${name}/default_from`, `${source} is no variable that all targets share`);
    }
    if (!manifest.required_vars.includes(name) && !(name in manifest.optional_vars)) {
      fault(`/params/${name}`, `${name} is neither in required_vars nor in optional_vars`);
    }
  }
  for (const verb of Object.keys(manifest.verb_guidance ?? {})) {
    if (manifest.verbs[verb as keyof typeof manifest.verbs]) {
      fault(`/verb_guidance/${escapePointer(verb)}`, `guidance for a verb that verbs/${verb} allows`);
    }
  }
  return faults;
}

function withinEngine({ manifest, location }: Engine): Fault[] {
  const faults = folderName(location, 'engine', manifest.engine);
  const supported: readonly string[] = manifest.supported_algorithms;
  const fault = (pointer: string, message: string) =>
    faults.push({ file: fileOf(location), pointer, message });
  for (const name of supported) {
    if (!(name in manifest.algorithm_map))
      fault('/algorithm_map', `${name} (supported_algorithms) has no name there`);
  }
  for (const name of Object.keys(manifest.algorithm_map)) {
    if (!supported.includes(name)) fault(`/algorithm_map/${name}`, `${name} is not in supported_algorithms`);
  }
  return faults;
}

/** Every value that `values` gives must occur once in the whole catalogue; the fault names both sides. */
function unique<T extends { location: string }>(
  items: readonly T[],
  field: string,
  values: (item: T) => readonly string[],
): Fault[] {
  const owners = new Map<string, T>();
  const faults: Fault[] = [];
  for (const item of items) {
    for (const value of values(item)) {
      const owner = owners.get(value);
      if (owner) {
        const message = `"${value}" is taken by ${fileOf(owner.location)}`;
        faults.push({ file: fileOf(item.location), pointer: `/${field}`, message });
      } else owners.set(value, item);
    }
  }
  return faults;
}

/** A flag may set another variable per target, but must ask the same question: kind of value, and values allowed. */
function flagMeanings(targets: readonly Target[]): Fault[] {
  const seen = new Map<string, { location: string; meaning: string; variables: Map<string, string> }>();
  const faults: Fault[] = [];
  for (const { manifest, location } of targets) {
    const within = new Map<string, string>();
    for (const [variable, param] of Object.entries(manifest.params ?? {})) {
      if (!param.flag) continue;
      const file = fileOf(location);
      const pointer = `/params/${variable}/flag`;
      const other = within.get(param.flag);
      if (other) faults.push({ file, pointer, message: `--${param.flag} also sets ${other}` });
      within.set(param.flag, variable);
      const meaning = param.enum ? `one of ${param.enum.join(', ')}` : 'free text';
      const first = seen.get(param.flag);
      if (!first) seen.set(param.flag, { location, meaning, variables: within });
      else if (first.meaning !== meaning) {
        const message = `--${param.flag} means ${meaning} here and ${first.meaning} in ${fileOf(first.location)}`;
        faults.push({ file, pointer, message });
      }
    }
  }
  return faults;
}

function inventedPrefixes({ manifest, location }: Target, sharedNames: ReadonlySet<string>): Fault[] {
  if (manifest.family !== 'kubernetes') return [];
  const names = new Set([
    ...manifest.required_vars,
    ...Object.keys(manifest.optional_vars),
    ...manifest.runtime_owned_vars,
  ]);
  return [...names]
    .filter((name) => !sharedNames.has(name) && name !== 'KUBECONFIG')
    .filter((name) => !SHARED_PREFIXES.some((prefix) => name.startsWith(prefix)))
    .map((name) => ({
      file: fileOf(location),
      pointer: '',
      message: `${name}: kubernetes targets share the prefix ${KUBERNETES_PREFIX}; a new one splits the configuration`,
    }));
}

function folderName(location: string, field: string, name: string): Fault[] {
  const folder = location.slice(location.lastIndexOf('/') + 1);
  if (folder === name) return [];
  return [
    {
      file: fileOf(location),
      pointer: `/${field}`,
      message: `found "${name}"; the folder is called "${folder}"`,
    },
  ];
}

const fileOf = (location: string): string => `${location}/manifest.json`;

/** DEPLOYMENT_TARGET_EKS_STATUS -> deploymentTargetEksStatus: how a variable of do/config is called among the answers. */
export function camelCase(variable: string): string {
  return variable.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
