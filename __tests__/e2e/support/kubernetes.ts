import { loadCatalog, type Target } from '../../../lib/catalog/index.js';
import { REGION } from '../../support/aws/index.js';

/** How a project comes to its cluster. */
export type Way = 'current context' | 'EKS cluster' | 'HyperPod cluster';

/** A Kubernetes target as it is deployed in the tests. */
export interface KubeSubject {
  title: string;
  target: Target['manifest'];
  way: Way;
  settings: Readonly<Record<string, string>>;
}

export const EKS_CLUSTER = 'the-eks';
export const HYPERPOD_CLUSTER = 'the-hyperpod';
/** The settings' variable HF_TOKEN is a secret of this name. */
export const TOKEN_SECRET = 'hub-token';
export const TOKEN = 'hf_NeverOnDiskNorInAnArgument';
/** Where a project is deployed to that brings its own namespace. */
export const OWN_NAMESPACE = 'new-ns';
/** Where one is deployed to that finds its namespace. */
export const GIVEN_NAMESPACE = 'models';
export const INSTANCE_TYPE = 'ml.g5.xlarge';

/** An image by digest; another letter is another image. */
export const image = (letter: string): string =>
  `123456789012.dkr.ecr.${REGION}.amazonaws.com/demo@sha256:${letter.repeat(64)}`;

const COMMON = {
  AWS_REGION: REGION,
  ECR_IMAGE_URI: image('a'),
  HF_MODEL_ID: 'org/model',
  HP_GPU_COUNT: '1',
  INSTANCE_TYPE,
};

/** The ways to a cluster that a workload has. */
const WAYS: Readonly<Record<string, readonly Way[]>> = {
  deployment: ['EKS cluster', 'current context'],
  'inference-endpoint-config': ['HyperPod cluster'],
};

const NAMES: Readonly<Record<Way, string>> = {
  'current context': '',
  'EKS cluster': EKS_CLUSTER,
  'HyperPod cluster': HYPERPOD_CLUSTER,
};

/** Every Kubernetes target of the catalogue by every way to a cluster; a workload that nobody has thought of here is an error. */
export function kubeSubjects(): KubeSubject[] {
  return kubernetesTargets().flatMap((target) =>
    (WAYS[target.workload] ?? []).map((way) => ({
      title: `${target.target}, by ${way}`,
      target,
      way,
      settings: {
        ...COMMON,
        DEPLOYMENT_TARGET: target.target,
        HP_CLUSTER_NAME: NAMES[way],
        HP_NAMESPACE: way === 'current context' ? GIVEN_NAMESPACE : OWN_NAMESPACE,
      },
    })),
  );
}

/** The first target that gets there that way. */
export function kubeSubject(way: Way): KubeSubject {
  const found = kubeSubjects().find((subject) => subject.way === way);
  if (!found) throw new Error(`no target gets to its cluster by ${way}`);
  return found;
}

function kubernetesTargets(): Target['manifest'][] {
  const found = loadCatalog()
    .targets.map(({ manifest }) => manifest)
    .filter(({ family }) => family === 'kubernetes');
  for (const { target, workload } of found) {
    if (!WAYS[workload]) throw new Error(`${target}: no way to a cluster for the workload ${workload}`);
  }
  return found;
}
