import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalog } from '../../../lib/catalog/index.js';
import { packageRoot } from '../../../lib/package/index.js';
import { exportLine } from '../../../lib/shell/index.js';
import type { KubeApi } from '../../support/kube-api/index.js';
import { type CommandResult, mlcc } from '../../support/mlcc.js';
import { makeProject } from '../../support/project.js';

const EXAMPLES = join(packageRoot, 'docs', 'examples');
const catalog = loadCatalog();

/** The targets with a workload for Kubernetes. */
export const KUBERNETES_TARGETS = catalog.targets
  .map(({ manifest }) => manifest)
  .filter(({ workload }) => workload !== 'none');

/** A target by its workload, so that no test names one. */
export function targetWith(workload: 'none' | 'deployment' | 'inference-endpoint-config') {
  const found = catalog.targets.find(({ manifest }) => manifest.workload === workload)?.manifest;
  if (!found) throw new Error(`no target with ${workload}`);
  return found;
}

export const LOOP = ['--iterations', '3', '--max-cost', '5'];
export const PLAYBOOK = ['--playbook', '--max-cost', '5', '--max-time', '10m'];

const MANIFEST = `
[agent]
sandbox_image = "registry.test/sandbox:1"
[deploy]
dockerfile = "Dockerfile"
`;

const PROFILE = `
[cluster]
loop_namespace = "loops"
rig_namespace = "rig"
service_account = "runner"
supervisor_image = "registry.test/supervisor:1"
[image]
loop = "registry.test/loop:1"
`;

/** A folder with runs and projects to deploy, and a HOME without anything in it. */
export class Workplace {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-deploy-')));
  readonly env: Record<string, string>;

  constructor(api?: KubeApi) {
    mkdirSync(join(this.dir, 'home'));
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: join(this.dir, 'home'),
      ...(api && { KUBECONFIG: api.kubeconfigPath }),
    };
    this.writeRun();
  }

  /** Writes the run `tuning` anew; the profile's text may have more at its end. */
  writeRun({ manifest = MANIFEST, profile = PROFILE, more = '' } = {}): void {
    mkdirSync(join(this.dir, 'tuning'), { recursive: true });
    writeFileSync(join(this.dir, 'tuning', 'crucible.toml'), manifest);
    writeFileSync(join(this.dir, 'profile.toml'), profile + more);
  }

  /** The flags that name the run. */
  readonly run = ['--manifest', 'tuning/crucible.toml', '--profile', 'profile.toml'];

  /** A scaffolded project with settings on top; returns its folder. */
  project(deploymentTarget: string, settings: Record<string, string> = {}): string {
    const project = makeProject({ answers: { projectName: 'chat', deploymentTarget } });
    const config = {
      ECR_IMAGE_URI: 'registry.test/chat:1',
      MODEL_NAME: 'org/model',
      HP_GPU_COUNT: '1',
      HP_NAMESPACE: 'serving',
      AWS_REGION: 'eu-west-1',
      INSTANCE_TYPE: 'ml.g5.2xlarge',
      HP_CLUSTER_NAME: 'cluster',
      ...settings,
    };
    const text = project.tree.get('do/config')?.contents ?? '';
    const lines = Object.entries(config).map(([key, value]) => exportLine(key, value));
    const dir = join(this.dir, `project-${deploymentTarget}`);
    cpSync(project.dir, dir, { recursive: true });
    writeFileSync(join(dir, 'do', 'config'), `${text}\n${lines.join('\n')}\n`);
    project.remove();
    return dir;
  }

  mlcc(args: readonly string[], env: Record<string, string> = {}, stdin?: string): Promise<CommandResult> {
    const input = stdin === undefined ? {} : { stdin };
    return mlcc(args, { cwd: this.dir, env: { ...this.env, ...env }, ...input });
  }

  /** Applies the run, unpinned. */
  applyRun(args: readonly string[] = LOOP): Promise<CommandResult> {
    return this.mlcc(['deploy', 'apply', ...this.run, '--no-pin', ...args]);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export { EXAMPLES };
