import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Target } from '../../../lib/catalog/index.js';
import {
  type KubeObject,
  leaveUnpinned,
  readServingProject,
  renderServing,
} from '../../../lib/kube/index.js';
import { type KubeApi, startKubeApi } from '../../support/kube-api/index.js';
import { makeProject, type TestProject } from '../../support/project.js';
import { fakeProgram } from './fake-program.js';
import { setConfig } from './probe.js';
import { usePython } from './python.js';

export const NAMESPACE = 'models';

/** Records of a target, `DEPLOYMENT_TARGET_<TAG>_<WHAT>`. */
export function setRecords(
  project: TestProject,
  { status_var }: Target['manifest'],
  records: Readonly<Record<string, string>>,
): void {
  const prefix = status_var.replace(/STATUS$/, '');
  setConfig(
    project,
    Object.fromEntries(Object.entries(records).map(([what, value]) => [prefix + what, value])),
  );
}

/** A project whose target on Kubernetes is deployed to a cluster of the test's own. */
export class PodProject {
  private constructor(
    readonly project: TestProject,
    readonly api: KubeApi,
    readonly manifest: Target['manifest'],
    /** Name of the workload. */
    readonly name: string,
    private readonly workload: readonly KubeObject[],
  ) {}

  /** `objects`: whether the workload's objects are there. */
  static async start(manifest: Target['manifest'], { objects = true } = {}): Promise<PodProject> {
    const project = makeProject({ answers: { deploymentTarget: manifest.target } });
    const api = await startKubeApi({
      namespaces: [NAMESPACE],
      context: 'recorded',
      nodes: [{ labels: { 'node.kubernetes.io/instance-type': 'ml.g5.xlarge' } }],
    });
    const settings = {
      AWS_REGION: 'eu-west-1',
      INSTANCE_TYPE: 'ml.g5.xlarge',
      HP_CLUSTER_NAME: 'cluster',
      HP_GPU_COUNT: '1',
      HP_NAMESPACE: NAMESPACE,
      ECR_IMAGE_URI: `registry.test/demo@sha256:${'a'.repeat(64)}`,
      HF_MODEL_ID: 'org/model',
    };
    setConfig(project, settings);
    const workload = await renderServing(readServingProject(project.dir, { env: {} }), leaveUnpinned);
    const name = workload[0]?.metadata.name ?? '';
    setRecords(project, manifest, {
      STATUS: manifest.success_status,
      KUBECONFIG: api.kubeconfigPath,
      CONTEXT: 'recorded',
      NAMESPACE,
      NAME: name,
    });
    const made = new PodProject(project, api, manifest, name, workload);
    if (objects) made.createObjects();
    return made;
  }

  /** Puts the workload's objects into the cluster. */
  createObjects(): void {
    for (const { kind, ...object } of this.workload) this.api.objects.create(kind, object as never);
  }

  /**
   * The scripts' environment: a kubectl that notes each start before it goes on as the real one, and a configuration of the
   * user's that leads nowhere, so that nothing but the records leads to the cluster.
   */
  get env(): Record<string, string> {
    const path = process.env.PATH ?? '';
    usePython(this.project);
    const note = `printf '%s %s\\n' $$ "$*" >>"$HOME/kubectl"`;
    return {
      PATH: fakeProgram(this.project, 'kubectl', `${note}\nPATH='${path}' exec kubectl "$@"`),
      KUBECONFIG: join(this.project.home, 'nowhere'),
      TMPDIR: this.project.home,
    };
  }

  /** The starts of kubectl since the last question. */
  takeKubectls(): { pid: number; args: string }[] {
    const file = join(this.project.home, 'kubectl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    rmSync(file);
    return lines.map((line) => ({ pid: Number.parseInt(line, 10), args: line.replace(/^\d+ /, '') }));
  }

  async remove(): Promise<void> {
    await this.api.stop();
    this.project.remove();
  }

  /** Waits until there is a Pod of the workload of which this holds. */
  async untilPod(holds: (status: Record<string, unknown>) => unknown): Promise<void> {
    await until(() =>
      this.api.objects.list('Pod', NAMESPACE).some(({ status }) => holds((status ?? {}) as never)),
    );
  }

  /** Waits until a Pod of the workload is ready. */
  async untilReady(): Promise<void> {
    await this.untilPod(({ conditions }) =>
      ((conditions ?? []) as { type: string; status: string }[]).some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      ),
    );
  }
}

export async function until(holds: () => boolean): Promise<void> {
  const giveUp = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > giveUp) throw new Error(`never: ${holds.toString()}`);
    await new Promise((later) => setTimeout(later, 10));
  }
}

/** A server of the test's own on a free port of 127.0.0.1. */
export async function serve(
  listener: RequestListener,
): Promise<{ port: number; server: Server; stop(): void }> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    server,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
