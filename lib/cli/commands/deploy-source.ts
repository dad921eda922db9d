import { Failure } from '../../failure/index.js';
import {
  contextOf,
  type DeployedObjects,
  type KubeObject,
  leaveUnpinned,
  type NeededSecret,
  objectsOfRun,
  objectsOfServing,
  type PinImages,
  pinImages,
  type RunInput,
  readManifestFile,
  readPackFiles,
  readServingProject,
  readSourceFile,
  renderRun,
  renderServing,
  type ServingRecords,
  secretsOfRun,
  secretsOfServing,
  servingIdentityOf,
  servingRecordsOf,
} from '../../kube/index.js';
import { numberOf, pathIn } from '../flag-values.js';
import type { Terminal } from '../terminal.js';
import { checkFlags, checkPinFlags, type DeployFlags } from './deploy-flags.js';

/** A deployment: a project's serving workload or a run. */
export interface DeploySource {
  render(): Promise<KubeObject[]>;
  secrets(): NeededSecret[];
  /** What is deleted. */
  objects(): DeployedObjects;
  /** Where it was deployed to. */
  recorded: ServingRecords;
  /** The context that the profile names. Read late, so that rendering names the faults of all files at once. */
  readonly profileContext: string | undefined;
  /** Longest time until it serves, in milliseconds; a run takes as long as it takes. */
  readonly readyLimitMs?: number;
}

/** Reads what the flags name. Throws a Failure for flags that do not go together and files that cannot be read. */
export function deploySource(flags: DeployFlags, terminal: Terminal): DeploySource {
  checkFlags(flags);
  checkPinFlags(flags);
  return flags.project === undefined ? runSource(flags, terminal) : servingSource(flags, terminal);
}

function servingSource(flags: DeployFlags, terminal: Terminal): DeploySource {
  const env = terminal.env as NodeJS.ProcessEnv;
  const profile = flags.profile === undefined ? undefined : pathIn(terminal, flags.profile);
  const input = readServingProject(pathIn(terminal, flags.project ?? '.'), {
    ...(flags.target === undefined ? {} : { target: flags.target }),
    ...(profile === undefined ? {} : { profile }),
    env,
  });
  return {
    render: () => renderServing(input, pinWith(flags, terminal)),
    secrets: () => secretsOfServing(input),
    objects: () => objectsOfServing(input),
    recorded: servingRecordsOf(input),
    get profileContext() {
      return input.profile && contextOf(input.profile);
    },
    get readyLimitMs() {
      return servingIdentityOf(input).timeout * 1000;
    },
  };
}

function runSource(flags: DeployFlags, terminal: Terminal): DeploySource {
  const manifestPath = pathIn(terminal, flags.manifest ?? '');
  const manifest = readManifestFile(manifestPath);
  const profile = readSourceFile(pathIn(terminal, flags.profile ?? ''));
  const { pack } = flags;
  const input = (): RunInput => ({
    manifest,
    profile,
    mode: modeOf(flags),
    ...(pack === undefined
      ? {}
      : { pack: { files: readPackFiles(manifestPath), ...(pack === true ? {} : { name: pack }) } }),
  });
  return {
    render: () => renderRun(input(), pinWith(flags, terminal)),
    secrets: () => secretsOfRun(input()),
    objects: () => objectsOfRun(manifest, profile, flags.playbook ? 'playbook' : 'loop'),
    recorded: {},
    get profileContext() {
      return contextOf(profile);
    },
  };
}

function modeOf(flags: DeployFlags): RunInput['mode'] {
  const iterations = numberOf('iterations', flags.iterations);
  const maxCost = numberOf('max-cost', flags.maxCost);
  const cost = maxCost === undefined ? {} : { maxCost };
  if (!flags.playbook) return { kind: 'loop', ...cost, ...(iterations === undefined ? {} : { iterations }) };
  const { maxTime, param = [] } = flags;
  return { kind: 'playbook', ...cost, ...(maxTime === undefined ? {} : { maxTime }), params: param };
}

function pinWith({ pin, lock, offline = false }: DeployFlags, terminal: Terminal): PinImages {
  if (pin === false) return leaveUnpinned;
  return (references, options) => {
    const count = `${references.length} image${references.length === 1 ? '' : 's'}`;
    terminal.err(`mlcc: pinning ${count}${offline ? ' offline' : ''}\n`);
    return pinImages(references, {
      ...options,
      offline,
      env: terminal.env as NodeJS.ProcessEnv,
      ...(lock === undefined ? {} : { lockFile: pathIn(terminal, lock) }),
    });
  };
}

/** The context and kubeconfig of a deployment. What is recorded wins over the surroundings, a flag over both. */
export function clusterOf(
  { recorded, profileContext }: DeploySource,
  flags: { context?: string; kubeconfig?: string },
): { context: string | undefined; kubeconfig: string | undefined } {
  const { context, kubeconfig } = recorded;
  if (flags.context === undefined && context && profileContext && context !== profileContext) {
    throw new Failure({
      what: 'it is not clear which cluster is meant',
      why: `the project was deployed to the context ${context}, the profile names ${profileContext}`,
      next: 'name one with --context',
      exit: 2,
    });
  }
  return {
    context: flags.context ?? context ?? profileContext,
    kubeconfig: flags.kubeconfig ?? kubeconfig,
  };
}
