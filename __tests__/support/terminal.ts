import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../lib/package/index.js';

export interface TerminalResult {
  code: number;
  /** Everything that the terminal showed. */
  output: string;
  /** The texts of the dialogue that never came. */
  unasked: string[];
}

/** Control-C and Control-D as keys. */
export const CTRL_C = '\x03';
export const CTRL_D = '\x04';

/** Runs a command on a real pseudo-terminal: for each pair, waits for the text and then presses the keys. */
export function onTerminal(
  command: readonly string[],
  dialogue: readonly (readonly [string, string])[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): TerminalResult {
  // The environment goes as data: a python3 that is a shim would put its own programs in front of the PATH.
  const request = JSON.stringify({ command, dialogue, cwd: options.cwd, env: options.env });
  const result = spawnSync('python3', [join(packageRoot, '__tests__/support/terminal.py'), request], {
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(result.stderr);
  return JSON.parse(result.stdout) as TerminalResult;
}
