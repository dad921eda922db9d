import { Failure } from '../../failure/index.js';

/** The `Status` that an API server refuses a request with. */
export interface ApiStatus {
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    kind?: string;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}

/** A refusal by the API server. */
export class ApiRefusal extends Failure {
  constructor(
    readonly code: number,
    readonly status: ApiStatus,
    what: string,
    { why, next }: { why: readonly string[]; next?: string | undefined },
  ) {
    super({ what, why, ...(next === undefined ? {} : { next }) });
  }

  get isNotFound(): boolean {
    return this.code === 404;
  }
}

/** What is forbidden to everybody: a quota, a policy or a webhook objects to the object itself. */
const ADMISSION = /is forbidden: (?!user )|denied the request/i;
const NO_SERVICE_ACCOUNT = /error looking up service account ([^/\s]+)\/([^:\s]+): .*not found/;

/** What helps where the cluster would not take the object from anyone. */
function admissionRemedy(said: string): string {
  const [, namespace, name] = NO_SERVICE_ACCOUNT.exec(said) ?? [];
  return name === undefined
    ? 'change what the cluster objects to, or ask those who run it to allow it'
    : `create it: kubectl create serviceaccount ${name} --namespace ${namespace}`;
}

/** Makes a Failure of an answer that is no success. `action` completes the sentence "… was refused". */
export function refusal(
  action: string,
  code: number,
  body: unknown,
  { context, server }: { context: string; server: string },
): ApiRefusal {
  const status = isStatus(body) ? body : {};
  const message = status.message ?? (typeof body === 'string' ? body.trim().slice(0, 300) : '');
  const said = message === '' ? `the server answered ${code}` : message;
  const where = `context ${context} (${server})`;
  if (code === 401) {
    return new ApiRefusal(code, status, `the cluster does not accept the login of ${where}`, {
      why: [said],
      next: 'log in anew: aws sso login, or make the kubeconfig anew with aws eks update-kubeconfig --name CLUSTER',
    });
  }
  if (code === 403 && ADMISSION.test(said)) {
    return new ApiRefusal(code, status, `${action} was refused`, {
      why: [said],
      next: admissionRemedy(said),
    });
  }
  if (code === 403) {
    return new ApiRefusal(code, status, `${action} is forbidden`, {
      why: [said],
      next: `ask for the right, or use another login; this one is of ${where}`,
    });
  }
  if (code === 409 && conflictsOf(status).length > 0) {
    return new ApiRefusal(code, status, `${action}: others own fields of it`, {
      why: conflictsOf(status).map(({ field, manager }) => `${field} is set by ${manager}`),
      next: 'leave these fields to them, or take them over with --force-conflicts',
    });
  }
  const next = code === 429 ? 'the cluster has too much to do: try again later' : undefined;
  return new ApiRefusal(code, status, `${action} was refused`, { why: reasons(status, said), next });
}

/** The fields of a conflict, and who set them. */
function conflictsOf({ details }: ApiStatus): { field: string; manager: string }[] {
  return (details?.causes ?? [])
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => ({
      field,
      manager: /conflicts? with "([^"]+)"/.exec(message)?.[1] ?? message,
    }));
}

/** Each cause on a line of its own, where the server names them. */
function reasons({ details }: ApiStatus, said: string): string[] {
  const causes = (details?.causes ?? []).filter(({ message }) => message);
  if (causes.length === 0) return said.split('\n');
  return causes.map(({ field, message }) => (field ? `${field}: ${message}` : (message ?? '')));
}

function isStatus(body: unknown): body is ApiStatus {
  return typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'Status';
}

const TLS_PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself alone',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is signed by an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an authority that is not trusted',
  CERT_SIGNATURE_FAILURE: 'its certificate is not signed by the authority of the kubeconfig',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: is this machine’s clock right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

const NETWORK_PROBLEMS: Readonly<Record<string, [why: string, next: string]>> = {
  ECONNREFUSED: ['nothing listens there', 'start the cluster, or correct its address in the kubeconfig'],
  ENOTFOUND: [
    'there is no such host',
    'correct the address in the kubeconfig; a private cluster may need a VPN',
  ],
  EAI_AGAIN: ['its name cannot be looked up', 'check the network; a private cluster may need a VPN'],
  EHOSTUNREACH: ['there is no way to that host', 'check the network; a private cluster may need a VPN'],
  ENETUNREACH: ['there is no network to that host', 'check the network'],
  ECONNRESET: ['the connection was broken off', 'try again'],
};

/** Makes a Failure of a connection that was not to be had; one that is a Failure already stays. */
export function noConnection(
  error: Error,
  { server, context, route }: { server: string; context: string; route: string },
): Failure {
  if (error instanceof Failure) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const what = `the cluster of context ${context} cannot be reached at ${server} ${route}`;
  const tls = TLS_PROBLEMS[code];
  if (tls !== undefined) {
    const next = 'make the kubeconfig anew, or correct its certificate-authority';
    return new Failure({ what, why: `${tls} (${code})`, next, cause: error });
  }
  if (code === 'EPROTO' || /wrong version number|packet length too long/.test(message)) {
    const next = 'correct the address in the kubeconfig: the server may speak plain HTTP';
    return new Failure({ what, why: 'the server does not speak TLS', next, cause: error });
  }
  // Several addresses were tried, none answered.
  const first = (error as AggregateError).errors?.[0] as Error | undefined;
  if (first && code !== '') return noConnection(Object.assign(first, { code }), { server, context, route });
  const [why, next] = NETWORK_PROBLEMS[code] ?? [
    message,
    'check the network, and the address in the kubeconfig',
  ];
  return new Failure({ what, why, next, cause: error });
}
