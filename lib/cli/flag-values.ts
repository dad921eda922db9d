import { resolve } from 'node:path';
import { Failure } from '../failure/index.js';
import type { Terminal } from './terminal.js';

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

/** The failure of a command line that cannot be meant. */
export function usage(what: string, next: string): Failure {
  return new Failure({ what, next, exit: 2 });
}
