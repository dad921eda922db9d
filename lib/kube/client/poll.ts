import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from './report.js';

/** How a wait stands. */
export type Verdict =
  | { kind: 'done'; state: string; exitCode?: number }
  | { kind: 'waiting'; state: string }
  | { kind: 'failed'; state: string; why: readonly string[] };

export interface PollOptions {
  /** What is waited for, for messages. */
  what: string;
  /** In milliseconds; absent: as long as it takes. */
  limitMs?: number | undefined;
  report: Report;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
const GROWTH = 1.5;
/** A state that does not change is told again after this long. */
const SILENCE_MS = 60_000;

/** Looks again and again until the wait is over or its time is up; the verdict is then still `waiting`. */
export async function poll(
  look: () => Promise<Verdict>,
  { what, limitMs = Number.POSITIVE_INFINITY, report }: PollOptions,
): Promise<Verdict> {
  const start = Date.now();
  let told = { state: '', at: start };
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * GROWTH, LONGEST_PAUSE_MS)) {
    const verdict = await look();
    const now = Date.now();
    const left = start + limitMs - now;
    if (verdict.kind !== 'waiting' || left <= 0) return verdict;
    if (verdict.state !== told.state || now - told.at >= SILENCE_MS) {
      report(`${what}: ${verdict.state} (${duration(now - start)})`);
      told = { state: verdict.state, at: now };
    }
    await pause(Math.min(wait, left));
  }
}

/** A time as a person reads it: `45 s`, `3 min 5 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
