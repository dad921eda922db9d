import { Failure } from '../failure/index.js';
import { isVariableName } from '../shell/index.js';

/** How the secrets begin that people paste by mistake. The shell and the Python store carry the same list. */
export const SECRET_PREFIXES: readonly string[] = [
  'hf_',
  'nvapi-',
  'AKIA',
  'ASIA',
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
  'github_pat_',
  'glpat-',
  'sk-ant-',
  'sk-proj-',
  'xoxb-',
  'xoxp-',
];

const PRIVATE_KEY = /-----BEGIN.*PRIVATE KEY/s;
const STARTS_WITH_SECRET = new RegExp(`^[ \\t]*(?:${SECRET_PREFIXES.join('|')})`);
const HOLDS_SECRET = new RegExp(`[^A-Za-z0-9_-](?:${SECRET_PREFIXES.join('|')})[A-Za-z0-9]{16}`);

/** Whether a value is, or holds, an access token or a private key: such a value is never stored. */
export function looksLikeSecret(value: string): boolean {
  return STARTS_WITH_SECRET.test(value) || HOLDS_SECRET.test(value) || PRIVATE_KEY.test(value);
}

/** Refuses (exit 2) a key that a shell could not set. */
export function checkConfigKey(key: string): void {
  if (isVariableName(key)) return;
  throw new Failure({
    what: `${JSON.stringify(key)} cannot be a key of do/config`,
    why: 'a key has letters, digits and underscores, does not begin with a digit, and is not read-only in the shell',
    exit: 2,
  });
}

/** Refuses (exit 2) a value that is not one line of text. The message never holds the value. */
export function checkConfigValue(key: string, value: string): void {
  const fault = valueFault(value);
  if (fault === undefined) return;
  throw new Failure({ what: `the value for ${key} was not stored`, why: fault, exit: 2 });
}

/** Refuses (exit 2) a secret. The message never holds the value. */
export function refuseSecret(key: string, value: string): void {
  if (!looksLikeSecret(value)) return;
  throw new Failure({
    what: `the value for ${key} was not stored`,
    why: 'it looks like an access token or a private key, and do/config is not a place for secrets',
    next: 'store it in AWS Secrets Manager and put its ARN into the matching *_ARN variable',
    exit: 2,
  });
}

function valueFault(value: string): string | undefined {
  if (value.includes('\n')) return 'it spans lines, and a value is one line';
  if (value.includes('\0')) return 'it holds a NUL character';
  if (Buffer.from(value, 'utf8').toString('utf8') !== value) return 'it is not valid Unicode text';
  return undefined;
}
