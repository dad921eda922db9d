import { spawnSync } from 'node:child_process';
import { withLf } from './merge-text.js';

type Kind = 'json' | 'shell' | 'python';

/** What a file has to be understood as; undefined: as text. */
function kindOf(path: string, text: string): Kind | undefined {
  if (path.endsWith('.json')) return 'json';
  if (path.endsWith('.py') || /^#!.*\bpython/.test(text)) return 'python';
  return path.endsWith('.sh') || /^#!.*\b(?:ba)?sh\b/.test(text) ? 'shell' : undefined;
}

/** Whether a merged text may be written: a script must still parse, and JSON must still be JSON. */
export function isValidText(path: string, text: string): boolean {
  switch (kindOf(path, text)) {
    case 'json':
      return isJson(text);
    case 'shell':
      return parses('bash', ['-n'], text);
    case 'python':
      return parses('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.buffer.read())'], text);
    default:
      return true;
  }
}

/** Whether conflict markers may stand in a file: a program or data file would not survive them. */
export const mayHoldMarkers = (path: string, text: string): boolean => kindOf(path, text) === undefined;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A parser that is not installed has no say. */
function parses(program: string, args: readonly string[], text: string): boolean {
  const { status, error } = spawnSync(program, args, {
    input: withLf(text),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return status === 0 || (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
