import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../do/support/pod-project.js';
import type { CompiledCli } from '../../support/compiled-cli.js';
import { type KubeApi, type KubeObject, startKubeApi } from '../../support/kube-api/index.js';
import type { EmulatedAws } from './emulated-aws.js';
import {
  EKS_CLUSTER,
  GIVEN_NAMESPACE,
  HYPERPOD_CLUSTER,
  INSTANCE_TYPE,
  type KubeSubject,
  TOKEN,
  TOKEN_SECRET,
} from './kubernetes.js';
import { LiveProject } from './live-project.js';

/** Programs that a project starts, as the process list showed them. */
export interface Start {
  program: 'kubectl' | 'mlcc';
  /** The kubeconfig that it was given in its environment. */
  kubeconfig: string;
  words: readonly string[];
}

/** The context that people use themselves. */
export const OWN_CONTEXT = 'mine';
/** One that leads nowhere. */
export const DEAD_CONTEXT = 'elsewhere';

/** A cloud with a cluster behind it, and a project whose scripts reach both with the real programs. */
export class KubePlace {
  readonly project: LiveProject;
  #folder: string;

  private constructor(
    readonly cloud: EmulatedAws,
    readonly api: KubeApi,
    readonly subject: KubeSubject,
    readonly secretArn: string,
    folder: string,
    cli: CompiledCli,
    isFirst: boolean,
    projectName: string,
  ) {
    this.#folder = folder;
    if (isFirst) this.#writePrograms(cli);
    const PATH = [folder, cloud.environment.PATH].join(delimiter);
    const environment = { ...cloud.environment, PATH, MLCC: join(folder, 'mlcc') };
    this.project = new LiveProject(
      environment,
      { ...subject.settings, HF_TOKEN_ARN: secretArn },
      projectName,
    );
    mkdirSync(join(this.project.project.home, '.kube'));
    this.useContext(subject.way === 'current context' ? OWN_CONTEXT : DEAD_CONTEXT);
  }

  /** Puts the clusters and the token into the cloud, and makes the project. */
  static async make(cloud: EmulatedAws, cli: CompiledCli, subject: KubeSubject): Promise<KubePlace> {
    const api = await startCluster(cloud, EKS_CLUSTER, HYPERPOD_CLUSTER);
    const secret = { Name: TOKEN_SECRET, SecretString: TOKEN };
    const { ARN } = await callAws(cloud, 'secretsmanager', 'create-secret', secret);
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-kube-')));
    return new KubePlace(cloud, api, subject, String(ARN), folder, cli, true, 'demo');
  }

  /** Another project on the same cloud and cluster. */
  neighbour(cli: CompiledCli, subject: KubeSubject, projectName: string): KubePlace {
    return new KubePlace(
      this.cloud,
      this.api,
      subject,
      this.secretArn,
      this.#folder,
      cli,
      false,
      projectName,
    );
  }

  /** The kubeconfig that is the person's own. */
  get ownKubeconfig(): string {
    return join(this.project.project.home, '.kube', 'config');
  }

  /** Makes it the person's current context; one is the test's cluster, the other leads nowhere. */
  useContext(context: string): void {
    const config = JSON.parse(this.api.kubeconfig());
    for (const list of ['clusters', 'users', 'contexts']) {
      const [own] = config[list];
      const dead = structuredClone(own);
      own.name = OWN_CONTEXT;
      dead.name = DEAD_CONTEXT;
      if (dead.cluster) dead.cluster.server = 'https://127.0.0.1:1';
      for (const { name, context: to } of [own, dead])
        if (to) Object.assign(to, { cluster: name, user: name });
      config[list] = [own, dead];
    }
    writeFileSync(this.ownKubeconfig, JSON.stringify({ ...config, 'current-context': context }));
  }

  /** The starts of kubectl and mlcc since the last question. */
  takeStarts(): Start[] {
    const file = join(this.#folder, 'starts');
    if (!existsSync(file)) return [];
    const records = readFileSync(file, 'utf8').split('\x1e').slice(0, -1);
    rmSync(file);
    return records.map((record) => {
      const [program = '', kubeconfig = '', ...words] = record.split('\x1f');
      return { program: program as Start['program'], kubeconfig, words };
    });
  }

  /** All objects of all kinds but events, as they are. */
  objects(): Map<string, string> {
    const all = this.api.store.all().filter(({ object }) => object.kind !== 'Event');
    return new Map(all.map(({ object }) => [keyOf(object), JSON.stringify(object)]));
  }

  /** Waits until the cluster is as it was then: what pods leave behind goes a little later. */
  async untilAsBefore(before: ReadonlyMap<string, string>): Promise<void> {
    const differences = () => {
      const now = this.objects();
      const keys = new Set([...before.keys(), ...now.keys()]);
      return [...keys].filter((key) => before.get(key) !== now.get(key));
    };
    await until(() => differences().length === 0).catch(() => {
      throw new Error(`not as before: ${differences().join(', ')}`);
    });
  }

  /** The images of the pods that are not on their way out. */
  images(): string[] {
    const pods = this.api.objects.list('Pod').filter(({ metadata }) => !metadata.deletionTimestamp);
    const specs = pods.map(({ spec }) => spec as { containers: { image: string }[] });
    return [...new Set(specs.flatMap(({ containers }) => containers.map((container) => container.image)))];
  }

  async remove(): Promise<void> {
    this.project.remove();
    await this.api.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A kubectl and an mlcc that note each start before they go on as the real ones. */
  #writePrograms(cli: CompiledCli): void {
    const note = (name: string) =>
      `{ printf '%s\\037%s' ${name} "\${KUBECONFIG:-}"; printf '\\037%s' "$@"; printf '\\036'; } >>'${this.#folder}/starts'`;
    const programs = {
      kubectl: `exec '${programPath('kubectl')}' "$@"`,
      mlcc: `exec '${process.execPath}' '${cli.program}' "$@"`,
    };
    for (const [name, run] of Object.entries(programs)) {
      const file = join(this.#folder, name);
      writeFileSync(file, `#!/bin/sh\n${note(name)}\n${run}\n`);
      chmodSync(file, 0o755);
    }
  }
}

function programPath(name: string): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}

const keyOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

/** A cluster that EKS, and HyperPod, know by these names. */
export async function startCluster(cloud: EmulatedAws, eks: string, hyperpod: string): Promise<KubeApi> {
  const api = await startKubeApi({
    namespaces: [GIVEN_NAMESPACE],
    nodes: [{ labels: { 'node.kubernetes.io/instance-type': INSTANCE_TYPE } }],
    acceptToken: (token) => cloud.aws.acceptsEksToken(token, eks),
  });
  const others = { name: 'others', namespace: GIVEN_NAMESPACE };
  api.objects.create('ConfigMap', { metadata: others, data: { a: 'b' } });
  const { certificateAuthority } = api;
  await cloud.aws.addEksCluster(eks, { endpoint: api.url, certificateAuthority });
  const region = cloud.environment.AWS_DEFAULT_REGION;
  await callAws(cloud, 'sagemaker', 'create-cluster', {
    ClusterName: hyperpod,
    InstanceGroups: [
      {
        InstanceGroupName: 'workers',
        InstanceType: INSTANCE_TYPE,
        InstanceCount: 1,
        ExecutionRole: 'arn:aws:iam::123456789012:role/nodes',
        LifeCycleConfig: { SourceS3Uri: 's3://sagemaker-data/life', OnCreate: 'on.sh' },
      },
    ],
    Orchestrator: { Eks: { ClusterArn: `arn:aws:eks:${region}:123456789012:cluster/${eks}` } },
  });
  return api;
}

/** One call of a person's own. */
async function callAws(
  { environment }: EmulatedAws,
  service: string,
  operation: string,
  request: object,
): Promise<Record<string, unknown>> {
  const args = [service, operation, '--cli-input-json', JSON.stringify(request), '--output', 'json'];
  const { stdout } = await promisify(execFile)('aws', args, { env: environment });
  return JSON.parse(stdout);
}
