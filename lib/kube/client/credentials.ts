import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Failure } from '../../failure/index.js';
import type { Access, ExecEntry } from './kubeconfig.js';

/** What is added to each request and connection. */
export interface AppliedCredentials {
  headers: Record<string, string>;
  cert?: string | Buffer;
  key?: string | Buffer;
}

const PROGRAM_TIMEOUT_MS = 60_000;

/** The credentials of a kubeconfig's user. */
export class Credentials {
  constructor(
    private readonly access: Access,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** Reads files, and asks programs and services, anew. Throws a Failure that says how to log in. */
  async find(): Promise<AppliedCredentials> {
    const { user } = this.access;
    const certificates = {
      ...pem('cert', user['client-certificate-data'], user['client-certificate']),
      ...pem('key', user['client-key-data'], user['client-key']),
    };
    const impersonation: Record<string, string> = user.as ? { 'impersonate-user': user.as } : {};
    const bearer = (token: string) => ({
      ...certificates,
      headers: { ...impersonation, authorization: `Bearer ${token}` },
    });
    if (user.token) return bearer(user.token);
    if (user.tokenFile) return bearer(readFile(user.tokenFile).toString('utf8').trim());
    if (user.username) {
      const login = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
      return { ...certificates, headers: { ...impersonation, authorization: `Basic ${login}` } };
    }
    if (user.exec) {
      const { authorization, cert, key } = await this.#runProgram(user.exec);
      const headers: Record<string, string> = authorization
        ? { ...impersonation, authorization }
        : impersonation;
      return { ...certificates, ...(cert && key ? { cert, key } : {}), headers };
    }
    if (user['auth-provider']) return bearer(await this.#askProvider(user['auth-provider']));
    return { ...certificates, headers: impersonation };
  }

  /** The official client runs the program; we say in which environment, and for how long at most. */
  async #runProgram(exec: ExecEntry): Promise<{ authorization?: string; cert?: string; key?: string }> {
    const { ExecAuth } = await import('@kubernetes/client-node/dist/exec_auth.js');
    const program = new ExecAuth();
    // biome-ignore lint/complexity/useLiteralKeys: the client's tests set it, its type says private
    program['execFn'] = ((command: string, args: string[] = []) => {
      const variables = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
      const env = { ...this.env, KUBERNETES_EXEC_INFO: this.#execInfo(exec), ...variables };
      const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      // Node's own time limit would keep this process alive where the program could not be started.
      const timer = setTimeout(() => child.kill('SIGKILL'), PROGRAM_TIMEOUT_MS);
      child.once('close', () => clearTimeout(timer));
      return child;
    }) as never;
    const options: { headers: Record<string, string>; cert?: string; key?: string } = { headers: {} };
    try {
      await program.applyAuthentication({ name: this.access.context, exec } as never, options as never);
    } catch (cause) {
      throw programFailure(exec, cause as NodeJS.ErrnoException);
    }
    const { headers, cert, key } = options;
    if (!headers.Authorization && !(cert && key)) {
      throw programFailure(exec, new Error('it printed neither a token nor a certificate'));
    }
    return {
      ...(headers.Authorization && { authorization: headers.Authorization }),
      ...(cert && key && { cert, key }),
    };
  }

  /** What the program is told about the request, by the protocol of credential plugins. */
  #execInfo({ apiVersion, provideClusterInfo }: ExecEntry): string {
    const { cluster } = this.access;
    const data =
      cluster['certificate-authority-data'] ??
      (cluster['certificate-authority'] && readFile(cluster['certificate-authority']).toString('base64'));
    const info = {
      server: cluster.server,
      ...(cluster['tls-server-name'] && { 'tls-server-name': cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
      ...(data && { 'certificate-authority-data': data }),
      ...(cluster['proxy-url'] && { 'proxy-url': cluster['proxy-url'] }),
    };
    return JSON.stringify({
      apiVersion: apiVersion ?? 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, ...(provideClusterInfo ? { cluster: info } : {}) },
    });
  }

  async #askProvider(provider: { name: string; config?: Record<string, string> }): Promise<string> {
    const where = `the context \`${this.access.context}\``;
    if (provider.name !== 'oidc') {
      throw new Failure({
        what: `${where} logs in through \`auth-provider: ${provider.name}\`, which kubectl no longer has either`,
        next: 'make the kubeconfig anew with the cluster provider’s own tool: it then names a program (exec)',
      });
    }
    const { OpenIDConnectAuth } = await import('@kubernetes/client-node/dist/oidc_auth.js');
    const options: { headers: Record<string, string> } = { headers: {} };
    try {
      const user = { name: this.access.context, authProvider: provider };
      await new OpenIDConnectAuth().applyAuthentication(user as never, options as never);
    } catch (cause) {
      throw new Failure({
        what: `${where} could not log in`,
        why: (cause as Error).message,
        next: 'log in anew',
        cause,
      });
    }
    const token = /^Bearer (.+)$/.exec(options.headers.Authorization ?? '')?.[1];
    if (token) return token;
    throw new Failure({ what: `the login of ${where} has ended`, next: 'log in anew with its own tool' });
  }
}

function pem(
  name: 'cert' | 'key',
  data: string | undefined,
  file: string | undefined,
): Partial<AppliedCredentials> {
  if (data) return { [name]: Buffer.from(data, 'base64') };
  return file ? { [name]: readFile(file) } : {};
}

/** Reads a file that the kubeconfig names. */
export function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Failure({ what: 'a file that the kubeconfig names cannot be read', why, cause });
  }
}

function programFailure(exec: ExecEntry, cause: NodeJS.ErrnoException): Failure {
  if (cause.code === 'ENOENT' || cause.code === 'EACCES') {
    const why = cause.code === 'ENOENT' ? 'there is no such program' : 'it may not be run';
    return new Failure({
      what: `the kubeconfig logs in with \`${exec.command}\``,
      why,
      next: exec.installHint?.trim() || `install ${exec.command}, or make the kubeconfig anew`,
      cause,
    });
  }
  const lines = cause.message.trim().split('\n').slice(-5);
  return new Failure({
    what: `\`${[exec.command, ...(exec.args ?? [])].join(' ')}\`, with which the kubeconfig logs in, failed`,
    why: lines[0] === '' ? 'it said nothing; it may have taken too long' : lines,
    next: 'run it yourself to see why',
    cause,
  });
}
