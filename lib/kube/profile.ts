import { Faults } from './faults.js';
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

/** Resources as a profile writes them. */
export interface Resources {
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
  cpuLimit?: string;
  memoryLimit?: string;
  /** Whole GPUs; request and limit are always the same. */
  gpu: number;
}

/** Resources where a profile names none. */
export type DefaultResources = Resources & Required<Pick<Resources, 'cpu_request' | 'mem_request' | 'gpu'>>;

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
 * @param defaults resources where the profile names none
 */
export function settingsFor(
  { profile, document }: ProfileSource,
  domain: string,
  defaults: DefaultResources,
  faults: Faults,
): DomainSettings {
  const overlay = Object.entries(profile.domain ?? {}).find(([name]) => name === domain)?.[1] ?? {};
  const overlayPath = pointer(['domain', domain]);
  checkUnique(profile.secret_env, '/secret_env', document, faults);
  checkUnique(overlay.secret_env, `${overlayPath}/secret_env`, document, faults);
  const places = { document, tables: [`${overlayPath}/resources`, '/resources'] };
  return {
    resources: effectiveResources(
      { ...defaults, ...profile.resources, ...overlay.resources },
      places,
      faults,
    ),
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
  chosen: DefaultResources & Resources,
  { document, tables }: { document: TomlDocument; tables: readonly string[] },
  faults: Faults,
): EffectiveResources {
  for (const kind of ['cpu', 'mem'] as const) {
    const [request, limit] = [chosen[`${kind}_request`], chosen[`${kind}_limit`]];
    if (limit === undefined || (quantitySize(String(request)) ?? 0) <= (quantitySize(String(limit)) ?? 0))
      continue;
    const keys = tables.flatMap((table) => [`${table}/${kind}_request`, `${table}/${kind}_limit`]);
    const where = document.where(keys.find(document.at) ?? '/resources');
    faults.add(where, `${kind}_request ${request} is more than ${kind}_limit ${limit}`);
  }
  return {
    cpuRequest: String(chosen.cpu_request),
    memoryRequest: String(chosen.mem_request),
    ...(chosen.cpu_limit === undefined ? {} : { cpuLimit: String(chosen.cpu_limit) }),
    ...(chosen.mem_limit === undefined ? {} : { memoryLimit: String(chosen.mem_limit) }),
    gpu: chosen.gpu,
  };
}

/** The kubeconfig context that a profile names; undefined: the current one. Throws a Failure for a faulty profile. */
export function contextOf(source: SourceFile): string | undefined {
  const faults = new Faults();
  const profile = readProfile(source, faults)?.profile;
  faults.throwIfAny(`${source.file} cannot be used`);
  return profile?.cluster?.context;
}
