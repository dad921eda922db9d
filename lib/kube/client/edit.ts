import { Failure } from '../../failure/index.js';
import type { ObjectKey } from '../deployed.js';
import { parseReference } from '../images/index.js';
import type { Cluster } from './cluster.js';
import { ApiRefusal } from './failures.js';
import { type LiveObject, nameOf } from './objects.js';
import { mustGet, pickContainer } from './target.js';

/** The annotation that kubectl restarts with, so that either tool sees the other's restarts. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Sets the image of a container; `container` may be left out where there is one. */
export async function setImage(
  cluster: Cluster,
  key: ObjectKey,
  { image, container }: { image: string; container?: string | undefined },
): Promise<LiveObject> {
  parseReference(image);
  const { name } = pickContainer(await mustGet(cluster, key), container);
  if (key.kind === 'InferenceEndpointConfig') return cluster.patch(key, { spec: { worker: { image } } });
  return cluster.patch(key, inTemplate({ spec: { containers: [{ name, image }] } }));
}

/** The image of a container. */
export async function currentImage(cluster: Cluster, key: ObjectKey, container?: string): Promise<string> {
  return pickContainer(await mustGet(cluster, key), container).image;
}

/** Lets a workload, or all Pods of a service account, pull with a secret, which must be there. */
export async function setPullSecret(cluster: Cluster, key: ObjectKey, secret: string): Promise<LiveObject> {
  const live = await mustGet(cluster, key);
  await requireSecret(cluster, live, secret);
  const imagePullSecrets = [{ name: secret }];
  if (key.kind === 'ServiceAccount') return cluster.patch(key, { imagePullSecrets });
  return cluster.patch(key, inTemplate({ spec: { imagePullSecrets } }));
}

async function requireSecret(cluster: Cluster, { metadata }: LiveObject, name: string): Promise<void> {
  const key = { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name } };
  try {
    if (await cluster.exists(key)) return;
  } catch (error) {
    // Who may not look at secrets may still name one.
    if (error instanceof ApiRefusal && error.code === 403) return;
    throw error;
  }
  throw new Failure({
    what: `there is no secret ${name} in namespace ${metadata.namespace}`,
    next: `kubectl create secret docker-registry ${name} --namespace ${metadata.namespace} …`,
  });
}

/** How many Pods more or fewer than wanted there may be during an update: a number, or a percentage. */
export interface RollingUpdate {
  maxSurge?: string | undefined;
  maxUnavailable?: string | undefined;
}

/** Sets how a Deployment's Pods are replaced. */
export async function setRollingUpdate(
  cluster: Cluster,
  key: ObjectKey,
  change: RollingUpdate,
): Promise<LiveObject> {
  const entries = Object.entries(change).filter(([, text]) => text !== undefined);
  if (entries.length === 0) {
    const next = 'add --max-surge, --max-unavailable, or both';
    throw new Failure({ what: 'nothing says how to update', next, exit: 2 });
  }
  for (const [, text] of entries) {
    if (/^[0-9]+%?$/.test(text ?? '')) continue;
    throw new Failure({
      what: `\`${text}\` is neither a number nor a percentage`,
      next: 'write 1 or 25%',
      exit: 2,
    });
  }
  const live = await mustGet(cluster, key);
  const rollingUpdate = {
    ...live.spec?.strategy?.rollingUpdate,
    ...Object.fromEntries(
      entries.map(([name, text = '']) => [name, text.endsWith('%') ? text : Number(text)]),
    ),
  };
  if (
    ['maxSurge', 'maxUnavailable'].every((name) => Number.parseInt(rollingUpdate[name] ?? '25%', 10) === 0)
  ) {
    throw new Failure({
      what: 'with no Pod more and none fewer, no Pod can be replaced',
      next: 'make one of --max-surge and --max-unavailable more than 0',
      exit: 2,
    });
  }
  return cluster.patch(key, { spec: { strategy: { type: 'RollingUpdate', rollingUpdate } } });
}

/** Replaces all Pods of a Deployment by new ones. */
export async function restart(cluster: Cluster, key: ObjectKey, now: Date): Promise<LiveObject> {
  const live = await mustGet(cluster, key);
  if (live.spec?.paused) {
    throw new Failure({
      what: `${nameOf(key)} is paused: nothing would be restarted`,
      next: `kubectl rollout resume deployment/${key.metadata.name}`,
    });
  }
  return cluster.patch(key, inTemplate({ metadata: { annotations: { [RESTARTED_AT]: now.toISOString() } } }));
}

function inTemplate(template: object): object {
  return { spec: { template } };
}
