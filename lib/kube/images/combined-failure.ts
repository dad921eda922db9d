import { Failure } from '../../failure/index.js';

/** One failure out of several. What befell several images at once, such as a registry that is down, is said once. */
export function combined(failures: readonly Failure[], what: string): Failure {
  const distinct = [...new Map(failures.map((failure) => [failure.lines().join('\n'), failure])).values()];
  const [only] = distinct;
  if (only && distinct.length === 1) return only;
  const sorted = distinct.sort((a, b) => (a.message < b.message ? -1 : 1));
  return new Failure({
    what,
    why: sorted.flatMap((failure) => [failure.message, ...failure.why.map((line) => `  ${line}`)]),
    next: [...new Set(sorted.map(({ next }) => next))].filter(Boolean).join(' '),
    exit: sorted.some(({ exit }) => exit === 2) ? 2 : 1,
    cause: failures,
  });
}
