import { run, type Terminal } from '../../lib/cli/index.js';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `mlcc` in this process, with nobody to ask. */
export async function mlcc(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<CommandResult> {
  const result = { code: 0, stdout: '', stderr: '' };
  const terminal: Terminal = {
    argv: args,
    env,
    cwd,
    interactive: false,
    colour: false,
    out: (text) => {
      result.stdout += text;
    },
    err: (text) => {
      result.stderr += text;
    },
  };
  result.code = await run(terminal);
  return result;
}
