import { spawnSync } from 'node:child_process';

/** Whether a merged text may be written: a script must still parse, and JSON must still be JSON. */
export function isValidText(path: string, text: string): boolean {
  if (path.endsWith('.json')) return isJson(text);
  if (path.endsWith('.sh') || /^#!.*\b(?:ba)?sh\b/.test(text)) {
    const { status, error } = spawnSync('bash', ['-n'], { input: text, stdio: ['pipe', 'ignore', 'ignore'] });
    return error !== undefined || status === 0;
  }
  return !path.endsWith('.py') || isPython(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isPython(text: string): boolean {
  const { status, error } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
    input: text,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return error !== undefined || status === 0;
}
