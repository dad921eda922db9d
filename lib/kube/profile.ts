import type { Faults } from './faults.js';
import { quantitySize } from './quantities.js';
import { checkSchema } from './schemas/validate.js';
import { parseToml, type SourceFile, type TomlDocument } from './toml/document.js';
import { pointer } from './toml/positions.js';

/** A variable whose value is a key of a secret. */
export interface SecretVariable {
  name: string;
  secret: string;
  key: string;
}

interface Overlay {
  resources?: Resources;
  env?: Record<string, string>;
  secret_env?: SecretVariable[];
}

interface Resources {
  cpu_request?: string | number;
  mem_request?: string | number;
  cpu_limit?: string | number;
  mem_limit?: string | number;
  gpu?: number;
}

/** The profile as it is written: the keys are those of its JSON Schema. */
export interface Profile extends Overlay {
  expand?: boolean;
  cluster?: {
    context?: string;
    loop_namespace?: string;
    rig_namespace?: string;
    serving_namespace?: string;
    service_account?: string;
    kubeconfig_configmap?: string;
    supervisor_image?: string;
    platform?: string;
    results_bucket?: string;
    aws_role_arn?: string;
    ingest_url?: string;
    state_claim?: string;
    prior_candidate_configmap?: string;
    avoid_nodes?: string[];
  };
  image?: { loop?: string; pull_secret?: string; domains_root?: string };
  secrets?: { pull_authfile?: string; push_authfile?: string };
  domain?: Record<string, Overlay>;
  registries?: Record<string, { insecure?: boolean; ca_file?: string }>;
}

/** A profile with its place in the file, for messages. */
export interface ProfileSource {
  profile: Profile;
  document: TomlDocument;
}

/** What a container asks for; every value is a Kubernetes quantity. */
export interface EffectiveResources {
  cpuRequest: string;
  memoryRequest: string;
  cpuLimit: string;
  memoryLimit: string;
  /** Whole GPUs; request and limit are always the same. */
  gpu: number;
}

/** What the profile says for one domain: its own values with the domain's overlay on top. */
export interface DomainSettings {
  resources: EffectiveResources;
  env: ReadonlyMap<string, string>;
  secretEnv: readonly SecretVariable[];
}

/** Reads a profile and checks it against its schema. There is none after a syntax error. */
export function readProfile(source: SourceFile, faults: Faults): ProfileSource | undefined {
  const document = parseToml(source, faults);
  if (document === undefined) return undefined;
  const before = faults.count;
  checkSchema('profile', document, faults);
  if (faults.count > before) return undefined;
  return { profile: document.data as unknown as Profile, document };
}

/**
 * Lays the overlay `[domain.<name>]` over the profile. A domain's variable replaces the profile's of the same name, also
 * where one is a literal and the other comes from a secret; within one level a literal wins.
 */
export function settingsFor(
  { profile, document }: ProfileSource,
  domain: string,
  faults: Faults,
): DomainSettings {
  const overlay = Object.entries(profile.domain ?? {}).find(([name]) => name === domain)?.[1] ?? {};
  const overlayPath = pointer(['domain', domain]);
  checkUnique(profile.secret_env, '/secret_env', document, faults);
  checkUnique(overlay.secret_env, `${overlayPath}/secret_env`, document, faults);
  return {
    resources: effectiveResources(profile, overlay, document, overlayPath, faults),
    ...mergeVariables(profile, overlay),
  };
}

function mergeVariables(base: Overlay, overlay: Overlay): Pick<DomainSettings, 'env' | 'secretEnv'> {
  const env = new Map<string, string>();
  const secrets = new Map<string, SecretVariable>();
  for (const level of [base, overlay]) {
    for (const entry of level.secret_env ?? []) {
      env.delete(entry.name);
      secrets.set(entry.name, entry);
    }
    for (const [name, value] of Object.entries(level.env ?? {})) {
      secrets.delete(name);
      env.set(name, value);
    }
  }
  return { env, secretEnv: [...secrets.values()] };
}

function checkUnique(
  entries: readonly SecretVariable[] = [],
  path: string,
  document: TomlDocument,
  faults: Faults,
): void {
  const seen = new Set<string>();
  entries.forEach(({ name }, index) => {
    if (seen.has(name))
      faults.add(document.where(`${path}/${index}/name`), `secret_env names \`${name}\` twice`);
    seen.add(name);
  });
}

function effectiveResources(
  profile: Profile,
  overlay: Overlay,
  document: TomlDocument,
  overlayPath: string,
  faults: Faults,
): EffectiveResources {
  const chosen: Resources = { ...profile.resources, ...overlay.resources };
  const resources = {
    cpuRequest: String(chosen.cpu_request ?? '2'),
    memoryRequest: String(chosen.mem_request ?? "6Gi"),
    cpuLimit: String(chosen.cpu_limit ?? '8'),
    memoryLimit: String(chosen.mem_limit ?? "16Gi"),
    gpu: chosen.gpu ?? 0,
  };
  const compare = (key: 'cpu' | 'mem', request: string, limit: string) => {
    if ((quantitySize(request) ?? 0) <= (quantitySize(limit) ?? 0)) return;
    const keys = [`${key}_request`, `${key}_limit`];
    const path = keys
      .flatMap((name) => [`${overlayPath}/resources/${name}`, `/resources/${name}`])
      .find(document.at);
    faults.add(
      document.where(path ?? '/resources'),
      `${keys[0]} ${request} is more than ${keys[1]} ${limit}`,
    );
  };
  compare('cpu', resources.cpuRequest, resources.cpuLimit);
  compare('mem', resources.memoryRequest, resources.memoryLimit);
  return resources;
}
