const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that a shell holds read-only: a sourced line that sets one of them ends the script. */
export const READONLY_SHELL_NAMES: readonly string[] = [
  'BASHOPTS',
  'BASH_VERSINFO',
  'EUID',
  'PPID',
  'SHELLOPTS',
  'UID',
];

/** Whether a sourced file can set a variable of this name. */
export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name) && !READONLY_SHELL_NAMES.includes(name);
}

/** Quotes text as one word of POSIX shell: nothing in it is expanded. The text must hold no NUL. */
export function quoteShell(text: string): string {
  if (text.includes('\0')) throw new RangeError('a shell word cannot hold a NUL byte');
  return `'${text.replaceAll("'", () => "'\\''")}'`;
}

/** The one line shape of a `do/config`, without the line end. The value must be a single line. */
export function exportLine(name: string, value: string): string {
  if (!isVariableName(name)) throw new RangeError(`not a variable name: ${name}`);
  if (value.includes('\n')) throw new RangeError(`the value of ${name} spans lines`);
  return `export ${name}=${quoteShell(value)}`;
}
