import { Readable } from 'node:stream';
import { run, type Terminal } from '../../lib/cli/index.js';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `mlcc` in this process, with nobody to ask. */
export async function mlcc(
  args: readonly string[],
  {
    cwd,
    env = {},
    stdin,
    platform = 'linux',
  }: { cwd: string; env?: Record<string, string>; stdin?: string; platform?: NodeJS.Platform },
): Promise<CommandResult> {
  const result = { code: 0, stdout: '', stderr: '' };
  const terminal: Terminal = {
    argv: args,
    env,
    cwd,
    interactive: false,
    platform,
    colour: false,
    ...(stdin !== undefined && { stdin: Readable.from([Buffer.from(stdin)]) }),
    out: (text) => {
      result.stdout += asText(text);
    },
    err: (text) => {
      result.stderr += asText(text);
    },
  };
  result.code = await run(terminal);
  return result;
}

const asText = (given: string | Uint8Array): string =>
  typeof given === 'string' ? given : Buffer.from(given).toString();
