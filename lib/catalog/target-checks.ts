import type { Fault } from './faults.js';
import { escapePointer } from './faults.js';
import { camelCase, RESERVED_VARIABLES } from './names.js';
import type { Catalog, Target } from './types.js';

type Variables = Catalog['variables'];
type Report = (pointer: string, message: string) => void;

const WORKLOADS: Record<Target['manifest']['family'], readonly string[]> = {
  'sagemaker-endpoint': ['none'],
  'sagemaker-job': ['none'],
  kubernetes: ['deployment', 'inference-endpoint-config'],
};

/** What fields of one descriptor say about each other, about its folder and about the variables that all targets share. */
export function targetFaults(target: Target, variables: Variables): Fault[] {
  const { manifest, location } = target;
  const faults = folderName(location, 'target', manifest.target);
  const report: Report = (pointer, message) => faults.push({ file: fileOf(location), pointer, message });
  derivedFields(target, report);
  const workloads = WORKLOADS[manifest.family];
  if (!workloads.includes(manifest.workload)) {
    const allowed = `family "${manifest.family}" allows: ${workloads.join(', ')}`;
    report('/workload', `found "${manifest.workload}"; ${allowed}`);
  }
  variableNames(target, variables, report);
  records(target, report);
  defaults(target, report);
  params(target, variables, report);
  for (const verb of Object.keys(manifest.verb_guidance ?? {})) {
    if (manifest.verbs[verb as keyof typeof manifest.verbs]) {
      report(`/verb_guidance/${escapePointer(verb)}`, `guidance for a verb that verbs/${verb} allows`);
    }
  }
  return faults;
}

/** Fields that follow from another one. */
function derivedFields({ manifest }: Target, report: Report): void {
  const answer = camelCase(manifest.status_var);
  if (answer !== manifest.answer_key) {
    report('/answer_key', `found "${manifest.answer_key}"; status_var asks for "${answer}"`);
  }
  for (const kind of ['deploy', 'clean'] as const) {
    const expected = `${kind}.d/${manifest.target}`;
    const found = manifest[`${kind}_script`];
    if (found !== expected) report(`/${kind}_script`, `found "${found}"; target asks for "${expected}"`);
  }
}

/** Every variable of a descriptor, with the pointer to it. */
function* namedVariables({ manifest }: Target): Generator<[name: string, pointer: string]> {
  for (const [index, name] of manifest.required_vars.entries()) yield [name, `/required_vars/${index}`];
  for (const name of Object.keys(manifest.optional_vars)) yield [name, `/optional_vars/${name}`];
  for (const [index, name] of manifest.runtime_owned_vars.entries())
    yield [name, `/runtime_owned_vars/${index}`];
}

function variableNames(target: Target, variables: Variables, report: Report): void {
  const { required_vars: required, optional_vars: optional } = target.manifest;
  for (const name of required) {
    if (name in optional) report(`/optional_vars/${name}`, `${name} is in required_vars too`);
  }
  const answers = new Map(
    Object.entries(variables).flatMap(([name, { answer }]) => (answer ? [[answer, name] as const] : [])),
  );
  for (const [name, pointer] of namedVariables(target)) {
    if (RESERVED_VARIABLES.includes(name))
      report(pointer, `${name} belongs to the shell or to the scripts; call it something else`);
    const owner = answers.get(camelCase(name));
    if (!variables[name] && owner !== undefined) {
      report(pointer, `${name}: its answer "${camelCase(name)}" is that of ${owner}; call it something else`);
    }
  }
}

/** What a deploy records stands under the target's own tag, and is no setting: so no live target overwrites another's state. */
function records({ manifest }: Target, report: Report): void {
  const own = manifest.status_var.replace(/STATUS$/, '');
  if (!manifest.runtime_owned_vars.includes(manifest.status_var)) {
    report('/runtime_owned_vars', `${manifest.status_var} (status_var) is not listed; scripts write it`);
  }
  for (const [index, name] of manifest.runtime_owned_vars.entries()) {
    if (name.startsWith('DEPLOYMENT_TARGET_') && !name.startsWith(own))
      report(
        `/runtime_owned_vars/${index}`,
        `${name} is a record of another target; this one's begin with ${own}`,
      );
  }
  for (const name of [...manifest.required_vars, ...Object.keys(manifest.optional_vars)]) {
    if (name.startsWith('DEPLOYMENT_TARGET_'))
      report('', `${name} is a record that scripts write, and no setting`);
  }
}

function defaults({ manifest }: Target, report: Report): void {
  for (const [name, value] of Object.entries(manifest.optional_vars)) {
    const param = manifest.params?.[name];
    if (value !== '' && param?.enum && !param.enum.includes(value)) {
      report(`/optional_vars/${name}`, `the default "${value}" is not in params/${name}/enum`);
    }
    if (value !== '' && param?.pattern && !new RegExp(param.pattern, 'u').test(value)) {
      report(`/optional_vars/${name}`, `the default "${value}" does not match params/${name}/pattern`);
    }
  }
}

function params({ manifest }: Target, variables: Variables, report: Report): void {
  for (const [name, { default_from: source }] of Object.entries(manifest.params ?? {})) {
    if (source !== undefined && !variables[source]) {
      report(`/params/${name}/default_from`, `${source} is no variable that all targets share`);
    }
    if (!manifest.required_vars.includes(name) && !(name in manifest.optional_vars)) {
      report(`/params/${name}`, `${name} is neither in required_vars nor in optional_vars`);
    }
  }
}

/** Prefixes whose meaning is shared; a kubernetes target that invents one beside HP_ splits the configuration. */
const KUBERNETES_PREFIX = 'HP_';
const SHARED_PREFIXES = [KUBERNETES_PREFIX, 'DEPLOYMENT_TARGET_', 'IC_ENV_', 'SERVING_'];

export function prefixWarnings(target: Target, variables: Variables): Fault[] {
  if (target.manifest.family !== 'kubernetes') return [];
  const names = new Set([...namedVariables(target)].map(([name]) => name));
  return [...names]
    .filter((name) => !variables[name] && name !== 'KUBECONFIG')
    .filter((name) => !SHARED_PREFIXES.some((prefix) => name.startsWith(prefix)))
    .map((name) => ({
      file: fileOf(target.location),
      pointer: '',
      message: `${name}: kubernetes targets share the prefix ${KUBERNETES_PREFIX}; a new one splits the configuration`,
    }));
}

export function folderName(location: string, field: string, name: string): Fault[] {
  const folder = location.slice(location.lastIndexOf('/') + 1);
  if (folder === name) return [];
  const message = `found "${name}"; the folder is called "${folder}"`;
  return [{ file: fileOf(location), pointer: `/${field}`, message }];
}

export const fileOf = (location: string): string => `${location}/manifest.json`;
