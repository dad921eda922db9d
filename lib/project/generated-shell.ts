/** A shell file that is derived from the descriptors as a whole. */
export function generatedShell(source: string, lines: readonly string[]): string {
  return [
    '# shellcheck shell=bash disable=SC2034 # read by the file that sources this one',
    `# >>> GENERATED from ${source}: edit the descriptors there, not this file`,
    ...lines,
    '# <<< END GENERATED',
    '',
  ].join('\n');
}
