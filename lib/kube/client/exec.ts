import type { Readable, Writable } from 'node:stream';
import { Failure } from '../../failure/index.js';
import type { Cluster } from './cluster.js';
import type { LiveObject } from './objects.js';
import { pickContainer } from './target.js';

export interface ExecOptions {
  command: readonly string[];
  container?: string | undefined;
  stdin?: Readable | undefined;
  stdout: Writable;
  stderr: Writable;
  /** Time for the connection to come about, in milliseconds. */
  timeoutMs?: number;
}

interface ExecStatus {
  status?: string;
  message?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Runs a command in a running Pod by the official client, and returns its exit code. */
export async function execInPod(cluster: Cluster, pod: LiveObject, options: ExecOptions): Promise<number> {
  const { name, namespace = '' } = pod.metadata;
  const container = pickContainer(pod, options.container).name;
  const { phase } = pod.status ?? {};
  if (phase !== 'Running') {
    throw new Failure({
      what: `pod/${name} does not run: it is ${phase ?? 'Pending'}`,
      next: 'name a running one',
    });
  }
  // Only the parts that are needed are loaded: all of the client takes a second.
  const { Exec } = await import('@kubernetes/client-node/dist/exec.js');
  const { server, ...connection } = await cluster.socketOptions();
  const config = {
    getCurrentCluster: () => ({ server }),
    applyToHTTPSOptions: async (target: object) => Object.assign(target, connection),
  };
  const exec = new Exec(config as never);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(execFailure(error, cluster, `pod/${name}`));
    const timer = setTimeout(() => fail(new Error('no answer')), options.timeoutMs ?? CONNECT_TIMEOUT_MS);
    let ended: number | undefined;
    const onStatus = (status: ExecStatus) => {
      try {
        ended = exitCodeOf(status, `pod/${name}`);
        resolve(ended);
      } catch (error) {
        reject(error);
      }
    };
    const { command, stdout, stderr, stdin = null } = options;
    exec
      .exec(namespace, name, container, [...command], stdout, stderr, stdin, false, onStatus as never)
      .then((socket) => {
        clearTimeout(timer);
        socket.onclose = () => {
          if (ended === undefined) fail(new Error('the connection was closed before the command ended'));
        };
      })
      .catch((error: unknown) => {
        clearTimeout(timer);
        fail(error);
      });
  });
}

function exitCodeOf({ status, message, details }: ExecStatus, pod: string): number {
  if (status === 'Success') return 0;
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (code !== undefined && /^[0-9]+$/.test(code)) return Number(code);
  throw new Failure({
    what: `the command could not be run in ${pod}`,
    why: message ?? 'no reason was given',
  });
}

/** The client reports what went wrong as an event with a text. */
function execFailure(error: unknown, cluster: Cluster, pod: string): Failure {
  const { message = String(error) } = error as { message?: string };
  const status = Number(/Unexpected server response: (\d+)/.exec(message)?.[1]);
  if (status) return cluster.refused(`running a command in ${pod}`, { status, body: '' });
  return new Failure({ what: `the connection to ${pod} failed`, why: message, cause: error });
}
