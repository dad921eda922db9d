import { Failure } from '../../failure/index.js';

/** An image reference, split by the distribution project's rules and with its defaults filled in. */
export interface ImageReference {
  /** As it was written. */
  readonly text: string;
  /** Registry with its port, as images are named by it: `docker.io`, `localhost:5000`. */
  readonly host: string;
  /** Path in the registry, `library/` included: `library/nginx`. */
  readonly repository: string;
  /** Host and repository. */
  readonly name: string;
  /** The tag; `latest` where neither tag nor digest was given, undefined where only a digest was. */
  readonly tag: string | undefined;
  /** The digest that was given. */
  readonly digest: string | undefined;
  /** The full spelling without the digest: two references with the same identity are the same image. */
  readonly identity: string;
}

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9A-Fa-f:]+\\])(?::[0-9]+)?`;
const HOST_ONLY = new RegExp(`^${HOST}$`);
const REPOSITORY_ONLY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const TAG_ONLY = /^\w[\w.-]{0,127}$/;
const DIGEST_ONLY = /^sha256:[0-9a-f]{64}$/;
const LONGEST_NAME = 255;

/** Whether the text is a digest that a manifest can be pinned to: `sha256:` and 64 lower-case hex digits. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && DIGEST_ONLY.test(text);
}

/** Whether the text is a registry's host with an optional port. */
export function isRegistryHost(text: string): boolean {
  return HOST_ONLY.test(text);
}

/** Docker Hub's other spellings become `docker.io`; the others only lose their case. */
export function canonicalHost(host: string): string {
  const lower = host.toLowerCase();
  return lower === 'index.docker.io' || lower === 'registry-1.docker.io' ? 'docker.io' : lower;
}

/** What is wrong with an image reference, in one line; undefined for a good one. */
export function referenceFault(text: string): string | undefined {
  try {
    parseReference(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [error.message, ...error.why].join(': ');
  }
}

/** Splits an image reference. Throws a Failure that says which part is wrong. */
export function parseReference(text: string): ImageReference {
  if (/^[a-z]+:\/\//i.test(text)) throw invalid(text, 'a reference has no scheme such as https://');
  const at = text.indexOf('@');
  const named = at < 0 ? text : text.slice(0, at);
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !isDigest(digest)) {
    throw invalid(text, `the digest '${digest}' is not sha256: and 64 lower-case hex digits`);
  }

  const { host, rest } = splitHost(named);
  if (!isRegistryHost(host)) throw invalid(text, `'${host}' is no registry host`);
  const colon = rest.indexOf(':');
  const path = colon < 0 ? rest : rest.slice(0, colon);
  const tag = colon < 0 ? undefined : rest.slice(colon + 1);
  if (tag !== undefined && !TAG_ONLY.test(tag)) {
    throw invalid(text, `the tag '${tag}' is not 1 to 128 letters, digits, '_', '.' and '-'`);
  }
  const repository = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path;
  checkRepository(text, path, repository);
  const name = `${host}/${repository}`;
  if (name.length > LONGEST_NAME) throw invalid(text, `the name is longer than ${LONGEST_NAME} characters`);

  const effectiveTag = tag ?? (digest === undefined ? 'latest' : undefined);
  const identity = effectiveTag === undefined ? name : `${name}:${effectiveTag}`;
  return { text, host, repository, name, tag: effectiveTag, digest, identity };
}

/** The pinned spelling of an image: `repo:tag@sha256:…`. */
export function pinnedReference(reference: ImageReference, digest: string): string {
  return `${reference.identity}@${digest}`;
}

/** The first part is a host only with a dot, a port or capitals, or if it is `localhost`; else it is Docker Hub's. */
function splitHost(named: string): { host: string; rest: string } {
  const slash = named.indexOf('/');
  const first = slash < 0 ? '' : named.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (!isHost) return { host: 'docker.io', rest: named };
  return { host: first === 'index.docker.io' ? 'docker.io' : first, rest: named.slice(slash + 1) };
}

function checkRepository(text: string, path: string, repository: string): void {
  if (REPOSITORY_ONLY.test(repository)) {
    // Docker takes a bare 64-digit name for an image's id, so no registry can serve it under that name.
    if (/^[0-9a-f]{64}$/.test(path)) throw invalid(text, `'${path}' is an image id, not a name`);
    return;
  }
  if (path === '') throw invalid(text, 'the repository is missing');
  if (path !== path.toLowerCase()) throw invalid(text, `the repository '${path}' must be lower case`);
  throw invalid(
    text,
    `'${path}' is no repository: lower-case letters and digits, joined by '.', '_', '-' and '/'`,
  );
}

function invalid(text: string, why: string): Failure {
  return new Failure({
    what: `'${text}' is not a valid image reference`,
    why,
    next: 'Write it as HOST[:PORT]/REPOSITORY[:TAG][@sha256:DIGEST].',
    exit: 2,
  });
}
