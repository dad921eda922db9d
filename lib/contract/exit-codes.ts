/** What a verb's exit code says. */
export const exitCodes = {
  0: 'done, or nothing to do',
  1: 'it ran and failed; credentials and missing tools included',
  2: 'usage: an unknown flag, a missing or bad value',
  3: 'contract violation: the script does not apply to this target or state; nothing was changed',
} as const;
