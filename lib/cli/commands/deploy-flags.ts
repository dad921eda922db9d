import { usage } from '../flag-values.js';

/** The flags of `mlcc deploy`, as they were given. */
export interface DeployFlags {
  project?: string;
  target?: string;
  manifest?: string;
  profile?: string;
  playbook?: boolean;
  iterations?: string;
  maxCost?: string;
  maxTime?: string;
  param?: string[];
  pack?: string | true;
  lock?: string;
  offline?: boolean;
  /** False for --no-pin. */
  pin?: boolean;
}

const FOR_RUNS = ['playbook', 'iterations', 'maxCost', 'maxTime', 'param', 'pack'] as const;

/** Throws a Failure for flags that do not go together. */
export function checkFlags(flags: DeployFlags): void {
  const { project, manifest, profile, target, playbook } = flags;
  if ((project === undefined) === (manifest === undefined)) {
    throw usage(
      project === undefined ? 'nothing says what to deploy' : '--project and --manifest are two deployments',
      'name a project (--project DIR), or a run (--manifest FILE --profile FILE)',
    );
  }
  if (project !== undefined) {
    const given = FOR_RUNS.filter((flag) => flags[flag] !== undefined).map(dashed);
    if (given.length > 0)
      throw usage(`${given.join(', ')}: for a run only`, 'leave it out, or name a --manifest');
    return;
  }
  if (profile === undefined) throw usage('a run needs the profile of its cluster', 'add --profile FILE');
  if (target !== undefined) throw usage('--target is for a project only', 'leave it out');
  const [mode, others] = playbook
    ? ['the loop', ['iterations'] as const]
    : ['a playbook', ['maxTime', 'param'] as const];
  const misplaced = others.filter((flag) => flags[flag] !== undefined).map(dashed);
  if (misplaced.length > 0) {
    throw usage(
      `${misplaced.join(', ')}: for ${mode} only`,
      playbook ? 'leave it out, or leave out --playbook' : 'leave it out, or add --playbook',
    );
  }
}

/** Throws a Failure for contradicting flags about digests. */
export function checkPinFlags({ pin, lock }: DeployFlags): void {
  if (pin === false && lock !== undefined) {
    throw usage('--no-pin and --lock contradict each other', 'leave one of them out');
  }
}

const dashed = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
