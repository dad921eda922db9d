import { Faults } from '../faults.js';
import { type Manifest, readManifest } from '../manifest.js';
import { standardLabels } from '../objects.js';
import { type DomainSettings, type Profile, readProfile, settingsFor } from '../profile.js';
import { imagesOf } from './images.js';
import type { RunInput } from './input.js';
import { podName } from './names.js';
import { checkPack } from './pack.js';
import { projectEnvironment } from './projection.js';
import { checkLimits, checkRequirements, type RequiredFacts } from './requirements.js';

/** A run's input after every check: what the objects are made from. */
export interface RunFacts {
  input: RunInput;
  manifest: Manifest;
  profile: Profile;
  required: RequiredFacts;
  settings: DomainSettings;
  /** Every image that is pinned, as it was written. */
  images: readonly string[];
  /** Name of the Pod. */
  podName: string;
  labels: Record<string, string>;
  /** The domain's folder in the container. */
  domainFolder: string;
  /** Claim that keeps the state: only the loop resumes, a playbook is one-shot. */
  stateClaim?: string;
}

const DEFAULT_RESOURCES = { cpu_request: 2, mem_request: '6Gi', cpu_limit: 8, mem_limit: '16Gi', gpu: 0 };
const DEFAULT_DOMAINS_ROOT = '/opt/crucible/domains';

/**
 * Checks a run's input. Throws a Failure that lists all faults at once.
 * @param checksLimits whether what the mode may spend, and its parameters, must be there
 */
export function factsOf(input: RunInput, { checksLimits = true } = {}): RunFacts {
  const faults = new Faults();
  const what = `${input.manifest.file} cannot be rendered with ${input.profile.file}`;
  const manifest = readManifest(input.manifest, faults);
  const profileSource = readProfile(input.profile, faults);
  if (manifest === undefined || profileSource === undefined) {
    faults.throwIfAny(what);
    throw new Error('a file that gives nothing has a fault');
  }
  const { profile } = profileSource;
  const required = checkRequirements(input.mode, manifest, profileSource, faults);
  if (checksLimits) checkLimits(input.mode, faults);
  const settings = settingsFor(profileSource, manifest.domain, DEFAULT_RESOURCES, faults);
  projectEnvironment(manifest, profile, settings, faults);
  const images = imagesOf(manifest, profileSource, faults);
  if (input.pack) checkPack(input.pack, manifest, faults);
  faults.throwIfAny(what);

  const stateClaim = input.mode.kind === 'loop' ? profile.cluster?.state_claim : undefined;
  return {
    input,
    manifest,
    profile,
    required,
    settings,
    images,
    podName: podName(manifest.name, input.mode.kind),
    labels: standardLabels({ partOf: manifest.domain, component: input.mode.kind }),
    domainFolder: `${profile.image?.domains_root ?? DEFAULT_DOMAINS_ROOT}/${input.manifest.folder}`,
    ...(stateClaim === undefined ? {} : { stateClaim }),
  };
}
