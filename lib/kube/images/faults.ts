import { Failure } from '../../failure/index.js';
import type { ImageReference } from './reference.js';

/*
 * The failures of a look-up. One that concerns a whole registry names no image, so that it reads the same for each of
 * its images and is reported once.
 */

const UNTRUSTED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const NOT_HTTPS =
  /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNSUPPORTED_PROTOCOL))$/;
const TIMEOUTS = /^(ABORT_ERR|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const ECR = /^\d{12}\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;

/** A request that got no answer. */
export interface LostRequest {
  readonly host: string;
  /** The way that the request took, see Route. */
  readonly route: string;
  readonly timeoutMs: number;
  readonly error: Error & { code?: unknown };
}

/** Whether the request failed for want of time. */
export function isTimeout(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name === 'TimeoutError' || TIMEOUTS.test(String(code));
}

/** Says why a request got no answer: time, certificate, plain HTTP, or the network. */
export function lostRequest({ host, route, timeoutMs, error }: LostRequest): Failure {
  const code = String(error.code ?? '');
  const settings = `[registries."${host}"] of the profile`;
  if (isTimeout(error)) {
    return new Failure({
      what: `${host} gave no answer within ${timeoutMs / 1000} s`,
      why: `It was asked ${route}.`,
      next: 'Check the network. Where it needs a proxy, set HTTPS_PROXY, and name in NO_PROXY the hosts that need none.',
      cause: error,
    });
  }
  if (UNTRUSTED.has(code)) {
    return new Failure({
      what: `The certificate of ${host} is not trusted`,
      why: error.message,
      next: `Name the certificate of its authority as ca_file in ${settings}.`,
      cause: error,
    });
  }
  if (NOT_HTTPS.test(code)) {
    return new Failure({
      what: `${host} does not speak HTTPS`,
      why: 'Plain HTTP is used only with a registry that is marked insecure.',
      next: `If that is wanted, set insecure = true in ${settings}.`,
      cause: error,
    });
  }
  return new Failure({
    what: `${host} could not be reached`,
    why: [
      code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message,
      `It was asked ${route}.`,
    ],
    next: 'Check the name and the network. Where it needs a proxy, set HTTPS_PROXY and NO_PROXY.',
    cause: error,
  });
}

/** The registry, or its token server, limits how often it may be asked. */
export function tooManyRequests(host: string, retryAfter: string | undefined): Failure {
  const wait =
    retryAfter && /^\d+$/.test(retryAfter) ? `in ${retryAfter} s` : retryAfter && `after ${retryAfter}`;
  return new Failure({
    what: `${host} limits requests (429 Too Many Requests)`,
    why: wait ? `It can be asked again ${wait}.` : 'It did not say when it can be asked again.',
    next: `Try again ${wait ?? 'later'}, log in for a higher limit, or pin the images with --lock so that they are looked up once.`,
  });
}

/** The registry wants a login and there is none. */
export function loginMissing(host: string, configFile: string): Failure {
  return new Failure({
    what: `${host} asks for a login`,
    why: `${configFile} has none for it, nor does a credential helper named there.`,
    next: loginCommand(host),
  });
}

/** The login was refused, be it by the registry or by its token server. */
export function loginRefused(host: string, by: string, hadLogin: boolean): Failure {
  return new Failure({
    what: `${by} refused ${hadLogin ? 'the login' : 'access without a login'} for ${host}`,
    why: hadLogin ? 'The login may be wrong or have expired.' : 'No login was found for it.',
    next: loginCommand(host),
  });
}

/** The registry answers in a way that the protocol does not allow, or that is not safe to follow. */
export function badAnswer(host: string, why: string): Failure {
  return new Failure({
    what: `${host} gave an answer that cannot be used`,
    why,
    next: 'Check that the address is that of a container registry, then try again.',
  });
}

/** One image cannot be pinned, while its registry is well. */
export function imageFault(reference: ImageReference, why: string, next: string): Failure {
  return new Failure({ what: `${reference.text} cannot be pinned`, why, next });
}

/** How to log in to a registry; for Amazon ECR with the command that also fetches the password. */
export function loginCommand(host: string): string {
  const region = ECR.exec(host)?.[1];
  if (region === undefined) return `Log in with: docker login ${host}`;
  const password = `aws ecr get-login-password --region ${region}`;
  return `Log in with: ${password} | docker login --username AWS --password-stdin ${host}`;
}

/** What a registry's answer says of an error, as the end of a sentence; empty where it says nothing. */
export function registryMessage(body: Buffer): string {
  try {
    const { errors } = JSON.parse(body.toString('utf8')) as {
      errors: { code?: unknown; message?: unknown }[];
    };
    const said = [errors[0]?.code, errors[0]?.message].filter((part) => typeof part === 'string').join(': ');
    return said && `: ${said.replace(/\p{Cc}/gu, ' ').slice(0, 200)}`;
  } catch {
    return '';
  }
}
