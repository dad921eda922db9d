import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from './clock.js';
import { allControllers } from './controllers/all.js';
import { addNode, type NodeSpec } from './controllers/node.js';
import { Plans } from './controllers/plans.js';
import { runControllers } from './controllers/run.js';
import { Tools } from './controllers/tools.js';
import { PodBackends } from './pods/backends.js';
import { selfSignedCertificate } from './server/certificate.js';
import { Faults } from './server/faults.js';
import { kubeconfigText } from './server/kubeconfig.js';
import { RequestLog } from './server/request-log.js';
import { ApiServer } from './server/server.js';
import { Store } from './store.js';
import { PodStreams } from './streams/pod-streams.js';

export type { NodeSpec } from './controllers/node.js';
export type { EndpointPlan, PodPlan } from './controllers/plans.js';
export type { KubeObject } from './json.js';
export type { ExecCall, LogCall, PodBackend } from './pods/backends.js';
export { containerEnvironment } from './pods/environment.js';
export { resourceOfKind } from './resources.js';
export { validateObject } from './rules/validate-object.js';
export type { FaultAction, FaultRule } from './server/faults.js';
export type { LoggedRequest } from './server/request-log.js';

export interface KubeApiOptions {
  /** `manual`: states progress only by `clock.advance`. */
  clock?: 'auto' | 'manual';
  /** Name of the kubeconfig's context; `test` by default. */
  context?: string;
  /** Namespaces that exist at the start, beside `default` and `kube-system`. */
  namespaces?: readonly string[];
  /** One node with eight GPUs by default. */
  nodes?: readonly NodeSpec[];
  /** Tokens that are let in beside the kubeconfig's own. */
  acceptToken?: (token: string) => boolean;
}

/** A running API server with its controllers. */
export interface KubeApi {
  url: string;
  /** The server's certificate in PEM, which is its own CA. */
  certificateAuthority: string;
  token: string;
  kubeconfigPath: string;
  /** The text of a kubeconfig for this server, in a namespace of one's choice. */
  kubeconfig(namespace?: string): string;
  clock: Clock;
  /** How Pods and inference endpoints fare. */
  plans: Plans;
  /** What runs inside the Pods. */
  pods: PodBackends;
  faults: Faults;
  log: RequestLog;
  store: Store;
  /** Reads and writes that pass the server's rules, without a request. */
  objects: Tools;
  /** Remembers the cluster's objects; the returned function brings them back. Nothing may be going on. */
  checkpoint(): () => void;
  /** Nobody listens any more; `plugIn` ends that. */
  unplug(): Promise<void>;
  plugIn(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts an API server on a free loopback port; each one is a cluster of its own, and cheap: start one per test.
 *
 *     const api = await startKubeApi({ namespaces: ['ml'] });
 *     api.plans.pods({ kind: 'crash-loop' });
 *     api.pods.add(() => true, { ports: { 8080: myServerPort }, log: () => 'ready\n' });
 *     api.faults.add({ method: 'PATCH', path: '/deployments/', nth: 1, action: { kind: 'status', code: 500 } });
 *     // run something with KUBECONFIG=api.kubeconfigPath, then look at api.objects, api.store and api.log
 *     await api.stop();
 */
export async function startKubeApi(options: KubeApiOptions = {}): Promise<KubeApi> {
  const { context = 'test', namespaces = [], nodes = [{}], acceptToken = () => false } = options;
  const clock = new Clock(options.clock ?? 'auto');
  const store = new Store();
  const cluster = { store, clock };
  const faults = new Faults();
  const log = new RequestLog();
  const token = randomBytes(16).toString('hex');
  const certificate = selfSignedCertificate();
  const plans = new Plans();
  const pods = new PodBackends();
  const { drain } = runControllers(cluster, allControllers(plans, certificate.cert));
  const objects = new Tools(cluster);
  for (const name of ['default', 'kube-system', ...namespaces])
    objects.create('Namespace', { metadata: { name } });
  for (const node of nodes) addNode(node, objects);
  drain();

  const server = new ApiServer({
    cluster,
    faults,
    log,
    streams: new PodStreams(store, pods),
    acceptToken: (given) => given === token || acceptToken(given),
    certificate,
  });
  const url = `https://127.0.0.1:${await server.listen()}`;
  let isPlugged = true;
  const kubeconfig = (namespace?: string) =>
    kubeconfigText({
      url,
      cert: certificate.cert,
      token,
      context,
      ...(namespace !== undefined && { namespace }),
    });
  const folder = mkdtempSync(join(tmpdir(), 'kube-api-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigPath, kubeconfig(), { mode: 0o600 });

  return {
    url,
    certificateAuthority: certificate.cert,
    token,
    kubeconfigPath,
    kubeconfig,
    clock,
    plans,
    pods,
    faults,
    log,
    store,
    objects,
    checkpoint: () => {
      const back = store.checkpoint();
      return () => {
        // What was to happen to objects that are no longer there.
        clock.stop();
        back();
      };
    },
    unplug: async () => {
      if (isPlugged) await server.stop();
      isPlugged = false;
    },
    plugIn: async () => {
      if (!isPlugged) await server.listen();
      isPlugged = true;
    },
    stop: async () => {
      clock.stop();
      if (isPlugged) await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
