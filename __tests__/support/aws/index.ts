import { findAwsProgram } from './aws-program.js';
import type { Calls } from './calls.js';
import { Cloud } from './cloud.js';
import type { Container } from './containers.js';
import type { ClusterAccess } from './eks.js';
import { type Credentials, isEksToken } from './eks-token.js';
import type { FaultRule, Faults } from './faults.js';
import { logGroup, logStream } from './logs.js';
import { type S3Objects, xmlTexts } from './objects.js';
import { AwsProxy } from './proxy.js';
import type { Kind, Plan, Resource } from './sagemaker/index.js';
import { ownedOperations } from './sagemaker/index.js';
import { snapshot } from './snapshot.js';

export { AwsError } from './aws-error.js';
export { type AwsProgram, findAwsProgram } from './aws-program.js';
export type { CloudCall } from './calls.js';
export type { Invocation, Reply } from './containers.js';
export type { FaultKind, FaultRule } from './faults.js';
export { ACCOUNT } from './moto-client.js';
export type { Kind, Plan, Resource } from './sagemaker/index.js';
export { ownedOperations };

/** Where the tests' resources are unless they say otherwise. */
export const REGION = 'us-west-2';

/** The credentials of the tests' clients. */
export const CREDENTIALS: Credentials = { accessKeyId: 'testing', secretAccessKey: 'testing' };

/** A cloud of a test's own, on loopback. */
export interface Aws {
  /** Of the one endpoint that all services have. */
  url: string;
  /** What the AWS CLI needs to find it; nothing of the machine's own configuration. */
  environment: Record<string, string>;
  /** All calls, in their order. */
  calls: Calls;
  faults: Faults;
  objects: S3Objects;
  /** What went wrong in the emulation itself: empty, or it has a mistake. */
  defects: readonly string[];
  /** A fault; the returned function takes it away again. */
  fault(rule: FaultRule): () => void;
  /** How changes of some resources go from now on. */
  plan(plan: Plan): void;
  /** `describe` (the default): a look at a resource moves it on. `manual`: only `tick` does. */
  progress(mode: 'describe' | 'manual'): void;
  tick(count?: number): Promise<void>;
  /** What answers in the models' containers. */
  container(container: Container): void;
  /** SageMaker's resources of a kind, of all regions. */
  resources(kind: Kind): Resource[];
  /** Adds lines to the log of an endpoint's variant, a component or a job. */
  log(kind: Kind, name: string, owner: string, lines: readonly string[], region?: string): Promise<void>;
  /** An EKS cluster that leads to an API server of the tests. */
  addEksCluster(name: string, access: ClusterAccess, region?: string): Promise<void>;
  /** Whether a bearer token is one that a client of this cloud got for that EKS cluster. */
  acceptsEksToken(token: string, cluster: string): boolean;
  /** All resources of all services, by name; log groups that the service itself makes are left out. */
  snapshot(region?: string): Promise<string[]>;
  /** A topic; gives its ARN. */
  createTopic(name: string, region?: string): Promise<string>;
  /** Remembers SageMaker's resources as they are; the returned function brings them back. Nothing may be changing. */
  checkpoint(): () => void;
  /** Nobody listens any more; `plugIn` ends that. */
  unplug(): Promise<void>;
  plugIn(): Promise<void>;
  /** Forgets everything: resources, plans, faults, calls. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a cloud before the emulator that listens at that URL. */
export async function startAws(motoUrl: string): Promise<Aws> {
  const program = findAwsProgram();
  if (!program) throw new Error('there is no AWS CLI that runs with Python on the PATH');
  const cloud = new Cloud(motoUrl, program.dataFolder);
  const proxy = new AwsProxy(cloud);
  await proxy.plugIn();
  const url = `http://127.0.0.1:${proxy.port}`;
  return {
    url,
    environment: environmentFor(url),
    calls: proxy.calls,
    faults: proxy.faults,
    objects: cloud.objects,
    defects: proxy.defects,
    fault: (rule) => proxy.faults.add(rule),
    plan: (plan) => cloud.resources.plans.add(plan),
    progress: (mode) => {
      cloud.resources.progress = mode;
    },
    tick: (count) => cloud.tick(count),
    container: (container) => cloud.containers.set(container),
    resources: (kind) => cloud.resources.list(kind),
    log: (kind, name, owner, lines, region = REGION) =>
      cloud.logs.write(region, logGroup(kind, name), logStream(owner, name), lines),
    addEksCluster: (name, access, region = REGION) => cloud.eks.add(region, name, access),
    acceptsEksToken: (token, cluster) => isEksToken(token, cluster, CREDENTIALS),
    snapshot: (region = REGION) => snapshot(cloud, region),
    createTopic: async (name, region = REGION) => {
      const parameters = { Action: 'CreateTopic', Version: '2010-03-31', Name: name };
      return xmlTexts(await cloud.moto.query('sns', parameters, region), 'TopicArn')[0] ?? '';
    },
    checkpoint: () => cloud.resources.checkpoint(),
    unplug: () => proxy.unplug(),
    plugIn: () => proxy.plugIn(),
    reset: async () => {
      await proxy.plugIn();
      proxy.releaseHanging();
      proxy.faults.clear();
      await cloud.reset();
      proxy.calls.clear();
      proxy.defects.length = 0;
    },
    stop: () => proxy.unplug(),
  };
}

function environmentFor(url: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_DEFAULT_REGION: REGION,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
  };
}
