import { createHash, createHmac } from 'node:crypto';

const PREFIX = 'k8s-aws-v1.';
/** How long EKS takes a token, from its signing on. */
const LONGEST_LIFE_MS = 15 * 60_000;

/** The credentials that the tests' clients sign with. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Whether a bearer token is one that `aws eks get-token` made with these credentials, lately, for that cluster: the
 * token is a presigned sts:GetCallerIdentity, and the cluster's name is a header that the signature covers.
 */
export function isEksToken(
  token: string,
  cluster: string,
  credentials: Credentials,
  now = Date.now(),
): boolean {
  if (!token.startsWith(PREFIX)) return false;
  let url: URL;
  try {
    url = new URL(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  } catch {
    return false;
  }
  const query = url.searchParams;
  const date = query.get('X-Amz-Date') ?? '';
  const age =
    now - Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const signedHeaders = (query.get('X-Amz-SignedHeaders') ?? '').split(';');
  return (
    query.get('Action') === 'GetCallerIdentity' &&
    age > -LONGEST_LIFE_MS &&
    age < LONGEST_LIFE_MS &&
    signedHeaders.includes('x-k8s-aws-id') &&
    query.get('X-Amz-Signature') === signatureOf(url, signedHeaders, cluster, credentials)
  );
}

/** The signature (version 4) that the presigned URL must have. */
function signatureOf(
  url: URL,
  signedHeaders: string[],
  cluster: string,
  credentials: Credentials,
): string | undefined {
  const [accessKeyId, ...scope] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  if (accessKeyId !== credentials.accessKeyId) return undefined;
  const values: Record<string, string> = { host: url.host, 'x-k8s-aws-id': cluster };
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const headers = signedHeaders.map((name) => `${name}:${values[name] ?? ''}\n`).join('');
  const request = ['GET', url.pathname, query, headers, signedHeaders.join(';'), sha256('')].join('\n');
  const date = url.searchParams.get('X-Amz-Date') ?? '';
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(request)].join('\n');
  let key: Buffer | string = `AWS4${credentials.secretAccessKey}`;
  for (const part of scope) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(text).digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
