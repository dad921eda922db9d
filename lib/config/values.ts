import { Failure } from '../failure/index.js';
import { isVariableName } from '../shell/index.js';

/** How the secrets begin that people paste by mistake, and what they are. The shell and Python carry the same list. */
const SECRET_KINDS: Readonly<Record<string, string>> = {
  hf_: 'a Hugging Face token',
  'nvapi-': 'an NVIDIA API key',
  AKIA: 'an AWS access key',
  ASIA: 'an AWS access key',
  ghp_: 'a GitHub token',
  gho_: 'a GitHub token',
  ghu_: 'a GitHub token',
  ghs_: 'a GitHub token',
  ghr_: 'a GitHub token',
  github_pat_: 'a GitHub token',
  'glpat-': 'a GitLab token',
  'sk-ant-': 'an Anthropic API key',
  'sk-proj-': 'an OpenAI API key',
  'xoxb-': 'a Slack token',
  'xoxp-': 'a Slack token',
};

export const SECRET_PREFIXES: readonly string[] = Object.keys(SECRET_KINDS);

const PRIVATE_KEY = /-----BEGIN.*PRIVATE KEY/s;
const STARTS_WITH_SECRET = new RegExp(`^[ \\t]*(${SECRET_PREFIXES.join('|')})`);
const HOLDS_SECRET = new RegExp(`[^A-Za-z0-9_-](${SECRET_PREFIXES.join('|')})[A-Za-z0-9]{16}`);

/** What kind of secret a value is or holds ("a GitHub token"), if any: such a value is never stored. */
export function secretKind(value: string): string | undefined {
  if (PRIVATE_KEY.test(value)) return 'a private key';
  const prefix = STARTS_WITH_SECRET.exec(value)?.[1] ?? HOLDS_SECRET.exec(value)?.[1];
  return prefix === undefined ? undefined : SECRET_KINDS[prefix];
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
  const kind = secretKind(value);
  if (kind === undefined) return;
  throw new Failure({
    what: `the value for ${key} was not stored`,
    why: `it looks like ${kind}, and do/config is no place for secrets`,
    next: 'store it in AWS Secrets Manager and put its ARN into the matching *_ARN variable',
    exit: 2,
  });
}

/** Why a text cannot be a value of do/config, or undefined when it can. */
export function valueFault(value: string): string | undefined {
  if (value.includes('\n')) return 'it spans lines, and a value is one line';
  if (value.includes('\0')) return 'it holds a NUL character';
  if (Buffer.from(value, 'utf8').toString('utf8') !== value) return 'it is not valid Unicode text';
  return undefined;
}
