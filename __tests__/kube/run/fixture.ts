import { stringify, type TomlTable } from 'smol-toml';
import type { Failure } from '../../../lib/failure/index.js';
import {
  type KubeObject,
  type PinImages,
  type RunInput,
  renderRun,
  toYaml,
} from '../../../lib/kube/index.js';

/** A file as data, so that a test can change one key of it. */
export type Data = { [key: string]: unknown };

/** A composite in which every kind of manifest key stands. */
export const MANIFEST: Data = {
  composite: { name: 'pd-rollout' },
  component: [
    { name: 'engine', dir: 'components/engine' },
    { name: 'router', dir: 'components/router' },
  ],
  agent: {
    sandbox_image: 'registry.example.com/crucible/sandbox:v7',
    env: { AGENT_STYLE: 'terse' },
    broker: { bind: '127.0.0.1:7070', name: 'pd-broker', build: true },
  },
  judge: { measure_cmd: './measure.sh' },
  world: { apply_cmd: './apply.sh' },
  workspace: { dir: 'workspace' },
  deploy: {
    registry: 'registry.example.com/team',
    dockerfile: 'Dockerfile',
    base_ref: 'v0.9.1',
    env: { SHARED_SETTING: 'one' },
    engine: { deploy_name: 'engine-decode', env: { ENGINE_SETTING: 'two' } },
    router: { deploy_name: 'router', dockerfile: 'Dockerfile.router' },
  },
  workflow: { type: 'loop' },
};

/** A profile in which every kind of profile key stands. */
export const PROFILE: Data = {
  expand: false,
  cluster: {
    context: 'research',
    loop_namespace: 'loops',
    rig_namespace: 'rig',
    serving_namespace: 'serving',
    service_account: 'loop-runner',
    kubeconfig_configmap: 'loop-kubeconfig',
    supervisor_image: 'registry.example.com/openshell/supervisor:v1',
    platform: 'linux/amd64',
    results_bucket: 'research-results',
    aws_role_arn: 'arn:aws:iam::111122223333:role/loop',
    ingest_url: 'https://ingest.example.com/a',
    state_claim: 'loop-state',
    prior_candidate_configmap: 'prior-candidate',
    avoid_nodes: ['node-7'],
  },
  image: {
    loop: 'registry.example.com/crucible/loop:v7',
    pull_secret: 'registry-pull',
    domains_root: '/opt/domains',
  },
  resources: { cpu_request: 4, mem_request: '8Gi', cpu_limit: 16, mem_limit: '32Gi', gpu: 2 },
  secrets: { pull_authfile: 'sandbox-pull', push_authfile: 'forge-push' },
  env: { RIG_SETTING: 'three', LITERAL_PRICE: '$(POD_NAME)' },
  secret_env: [{ name: 'HF_TOKEN', secret: 'hub', key: 'hub-token' }],
  domain: {
    'pd-rollout': {
      resources: { cpu_request: 5, mem_request: '9Gi', cpu_limit: 17, mem_limit: '33Gi', gpu: 3 },
      env: { DOMAIN_SETTING: 'four' },
      secret_env: [{ name: 'DOMAIN_TOKEN', secret: 'domain', key: 'domain-token' }],
    },
  },
  registries: { 'registry.example.com': { insecure: false, ca_file: '/etc/ssl/registry.pem' } },
};

export interface RunOverrides {
  manifest?: Data;
  profile?: Data;
  mode?: RunInput['mode'];
  folder?: string;
  pack?: RunInput['pack'];
}

export const LOOP: RunInput['mode'] = { kind: 'loop', iterations: 20, maxCost: 50 };
export const PLAYBOOK: RunInput['mode'] = {
  kind: 'playbook',
  maxCost: 5,
  maxTime: '90m',
  params: ['MODEL=small', 'ROUNDS=3'],
};

export function runInput({
  manifest = MANIFEST,
  profile = PROFILE,
  mode = LOOP,
  folder = 'rollout',
  pack,
}: RunOverrides = {}): RunInput {
  return {
    manifest: { file: 'crucible.toml', text: toml(manifest), name: 'crucible.toml', folder },
    profile: { file: 'profile.test.toml', text: toml(profile) },
    mode,
    ...(pack ? { pack } : {}),
  };
}

export function toml(data: Data): string {
  return stringify(data as TomlTable);
}

/** Pins each image to a digest of its own that is the same each time. */
export const pinByName: PinImages = async (references) =>
  new Map(
    references.map((image) => [
      image,
      `${image}@sha256:${Buffer.from(image).toString('hex').padEnd(64, '0').slice(-64)}`,
    ]),
  );

export function render(overrides: RunOverrides = {}): Promise<KubeObject[]> {
  return renderRun(runInput(overrides), pinByName);
}

export async function renderYaml(overrides: RunOverrides = {}): Promise<string> {
  return toYaml(await render(overrides));
}

/** The faults that rendering lists; empty where it succeeds. */
export async function faultsOf(overrides: RunOverrides): Promise<readonly string[]> {
  return faultsOfInput(runInput(overrides));
}

export async function faultsOfInput(input: RunInput): Promise<readonly string[]> {
  const pin: PinImages = async (references) => {
    looked = true;
    return pinByName(references, { registries: {} });
  };
  let looked = false;
  try {
    await renderRun(input, pin);
    return [];
  } catch (error) {
    if (looked) throw new Error('an image was looked up before the input was checked');
    const failure = error as Failure;
    if (failure.exit !== 2) throw error;
    return failure.why;
  }
}

/** A copy of the data with the value at a path replaced, or taken away where it is undefined. */
export function withValue(data: Data, path: readonly string[], value: unknown): Data {
  const copy = structuredClone(data);
  let parent = copy as Record<string, unknown>;
  for (const part of path.slice(0, -1)) {
    parent[part] ??= {};
    parent = parent[part] as Record<string, unknown>;
  }
  const last = path.at(-1) as string;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** The container of a run's Pod. */
export function containerOf(objects: readonly KubeObject[]) {
  const pod = objects.find(({ kind }) => kind === 'Pod') as KubeObject & { spec: PodSpec };
  return { pod, spec: pod.spec, container: pod.spec.containers[0] as Container };
}

interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes: { name: string; [source: string]: unknown }[];
  restartPolicy: string;
  [key: string]: unknown;
}

interface Container {
  name: string;
  image: string;
  command: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: unknown }[];
  resources?: unknown;
  volumeMounts: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[];
}

export function environmentOf(objects: readonly KubeObject[]): Record<string, unknown> {
  return Object.fromEntries(
    (containerOf(objects).container.env ?? []).map(({ name, value, valueFrom }) => [
      name,
      value ?? valueFrom,
    ]),
  );
}
