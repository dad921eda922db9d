import { resolve } from 'node:path';
import { Failure } from '../../failure/index.js';
import type { Terminal } from '../terminal.js';

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

/** The number behind a flag; undefined where it is not given. */
export function numberOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text);
  throw usage(`--${flag}: \`${text}\` is not a number`, `write --${flag} 20`);
}

/** The time behind a flag in milliseconds: `90`, `90s`, `15m`, `1h30m`; undefined where it is not given. */
export function durationOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, hours, minutes, seconds] = /^(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s?)?$/.exec(text) ?? [];
  const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  if (total > 0) return total * 1000;
  throw usage(`--${flag}: \`${text}\` is not a time above 0`, `write --${flag} 90s, or --${flag} 1h30m`);
}

/** A path as it was given where it means the same to this process, so that messages show what was typed. */
export function pathIn({ cwd }: Terminal, path: string): string {
  return cwd === process.cwd() ? path : resolve(cwd, path);
}

export function usage(what: string, next: string): Failure {
  return new Failure({ what, next, exit: 2 });
}

const dashed = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
