import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Stub, stubs } from '../../../lib/authoring/index.js';
import { type Catalog, loadCatalog, type TargetManifest } from '../../../lib/catalog/index.js';
import { parseConfig } from '../../../lib/config/index.js';
import { image, ROLE } from '../../do/support/aws-project.js';
import { snapshot } from '../../do/support/deploy-project.js';
import { FakeKubectl } from '../../do/support/fake-kubectl.js';
import { setConfig } from '../../do/support/probe.js';
import { FakeAws } from '../../support/fake-aws/index.js';
import { type CommandResult, mlcc } from '../../support/mlcc.js';
import { makeProject, type RunResult, type TestProject } from '../../support/project.js';

const READY = {
  deployment: ['deployments.apps', '1|1|1|1|1|1|NewReplicaSetAvailable|'],
  'inference-endpoint-config': ['inferenceendpointconfigs', '1|1|DeploymentComplete|'],
  none: ['nothing', ''],
} as const;

/** `edge-<family>` for the usual kind of a family, with more words for the others. */
export function edgeName(stub: Stub): string {
  const { family, invocation, workload } = stub;
  const isUsual = stubs().find((other) => other.family === family) === stub;
  const workloadName = workload === 'none' ? '' : `-${workload.split('-')[0]}`;
  return isUsual ? `edge-${family}` : `edge-${invocation}${workloadName}`;
}

export const kindFlags = ({ family, invocation, workload }: Stub): string[] => [
  '--family',
  family,
  '--invocation',
  invocation,
  '--workload',
  workload,
];

/** A fresh project to which targets are added, and the AWS, cluster and mlcc that its scripts talk to. */
export class NewTargetProject {
  readonly project: TestProject;
  readonly aws: FakeAws;
  readonly kubectl: FakeKubectl;

  constructor(catalog: Catalog = loadCatalog()) {
    this.project = makeProject({ catalog });
    this.aws = new FakeAws(join(this.project.home, 'aws'));
    this.kubectl = new FakeKubectl(join(this.project.home, 'cluster'), this.aws.bin);
    this.aws.setState({
      buckets: ['data'],
      eks: ['an-eks-cluster'],
      cluster: {
        pods: {
          ClusterStatus: 'InService',
          Orchestrator: { Eks: { ClusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/an-eks-cluster' } },
        },
      },
    });
    this.kubectl.answer('config current-context', 'my-context\n');
    this.kubectl.answer('get namespace default', 'namespace/default\n');
    writeFileSync(join(this.aws.bin, 'mlcc'), '#!/bin/bash\nexit 0\n', { mode: 0o755 });
  }

  /** mlcc in the project, with nobody to ask. */
  mlcc(...args: string[]): Promise<CommandResult> {
    return mlcc(args, { cwd: this.project.dir });
  }

  async succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.mlcc(...args);
    if (code !== 0) throw new Error(`mlcc ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  run(verb: string, ...args: string[]): RunResult {
    return this.project.run(`do/${verb}`, args, {
      env: { PATH: `${this.aws.bin}:${process.env.PATH}`, ...this.aws.env },
    });
  }

  /** A verb that must succeed; what it said on both channels. */
  do(verb: string, ...args: string[]): string {
    const { code, stdout, stderr } = this.run(verb, ...args);
    if (code !== 0) throw new Error(`do/${verb} ended with ${code}:\n${stdout}${stderr}`);
    return stdout + stderr;
  }

  /** The settings that a person would make before the first deploy of that target. */
  prepare({ target, required_vars: required }: TargetManifest): void {
    const values: Record<string, string> = { INSTANCE_TYPE: 'ml.g5.xlarge', HP_CLUSTER_NAME: 'pods' };
    for (const name of required) {
      const value = values[name] ?? `s3://data/${name.toLowerCase()}`;
      setConfig(this.project, { [name]: value });
    }
    setConfig(this.project, {
      DEPLOYMENT_TARGET: target,
      AWS_REGION: 'eu-west-1',
      ROLE_ARN: ROLE,
      ECR_IMAGE_URI: image('a'),
    });
  }

  /** What the cluster says about the workload from now on. */
  workload({ workload }: TargetManifest, state: 'ready' | 'gone'): void {
    const [kind, ready] = READY[workload];
    this.kubectl.answer(`get ${kind}`, state === 'ready' ? ready : 'fail Error from server (NotFound): gone');
  }

  read(path: string): string {
    return readFileSync(join(this.project.dir, path), 'utf8');
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.project.dir, path), text);
  }

  delete(path: string): void {
    rmSync(join(this.project.dir, path));
  }

  manifest(target: string): TargetManifest {
    return JSON.parse(this.read(`do/targets.d/${target}/manifest.json`)) as TargetManifest;
  }

  config(key: string): string | undefined {
    return parseConfig(this.read('do/config')).get(key);
  }

  /** Every file with its mode and contents, but for what the lock of do/config leaves. */
  snapshot(): Record<string, string> {
    const { 'do/config.owner': _lock, ...files } = snapshot(this.project.dir);
    return files;
  }

  remove(): void {
    this.project.remove();
  }
}
