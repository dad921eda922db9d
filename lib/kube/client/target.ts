import { Failure } from '../../failure/index.js';
import type { ObjectKey } from '../deployed.js';
import type { Cluster } from './cluster.js';
import { type LiveObject, nameOf } from './objects.js';

const KINDS: Readonly<Record<string, Pick<ObjectKey, 'apiVersion' | 'kind'>>> = {
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  inferenceendpointconfig: {
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1',
    kind: 'InferenceEndpointConfig',
  },
  pod: { apiVersion: 'v1', kind: 'Pod' },
  serviceaccount: { apiVersion: 'v1', kind: 'ServiceAccount' },
};

/**
 * What `NAME` or `KIND/NAME` means; a bare name is of the first kind. Throws a Failure for a kind that is not among these.
 */
export function targetKey(text: string, kinds: readonly string[], namespace: string): ObjectKey {
  const [, kind = kinds[0] ?? '', name = ''] = /^(?:([^/]+)\/)?([^/]+)$/.exec(text) ?? [];
  const found = KINDS[kind.toLowerCase().replace(/^deploy$/, 'deployment')];
  if (found && name !== '' && kinds.includes(found.kind.toLowerCase())) {
    return { ...found, metadata: { name, namespace } };
  }
  throw new Failure({
    what: `\`${text}\` names nothing that this works on`,
    next: `write ${kinds.map((each, index) => (index === 0 ? `NAME (${each})` : `${each}/NAME`)).join(' or ')}`,
    exit: 2,
  });
}

/** The object, which must be there. */
export async function mustGet(cluster: Cluster, key: ObjectKey): Promise<LiveObject> {
  const object = await cluster.get(key);
  if (object) return object;
  throw new Failure({
    what: `there is no ${nameOf(key)}`,
    why: `looked for on the cluster of context ${cluster.context}`,
    next: 'name another with --namespace or --context',
  });
}

interface NamedContainer {
  name: string;
  image: string;
}

/** The containers of a workload or Pod, without those that only prepare. */
export function containersOf({ kind, spec }: LiveObject): NamedContainer[] {
  if (kind === 'InferenceEndpointConfig') return [{ name: 'worker', image: spec?.worker?.image ?? '' }];
  return (kind === 'Deployment' ? spec?.template?.spec : spec)?.containers ?? [];
}

/** The named container, or the only one. */
export function pickContainer(object: LiveObject, name: string | undefined): NamedContainer {
  const all = containersOf(object);
  const found = name === undefined && all.length === 1 ? all[0] : all.find((each) => each.name === name);
  if (found) return found;
  throw new Failure({
    what: `${nameOf(object)} has ${name === undefined ? 'several containers' : `no container \`${name}\``}`,
    why: `there is ${all.map((each) => each.name).join(', ')}`,
    next: 'name one of these',
    exit: 2,
  });
}
