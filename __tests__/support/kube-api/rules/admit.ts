import { forbidden } from '../api-error.js';
import { isObject, type KubeObject, valueAt } from '../json.js';
import { type ApiResource, resourceOfKind } from '../resources.js';
import type { Store } from '../store.js';

/** What admission adds to a new object, and the references it insists on. */
export function admit({ store }: { store: Store }, resource: ApiResource, object: KubeObject): void {
  if (resource.kind === 'Pod' && isObject(object.spec)) {
    object.spec.serviceAccountName ??= 'default';
    object.spec.serviceAccount ??= object.spec.serviceAccountName;
    const account = String(object.spec.serviceAccountName);
    const namespace = object.metadata.namespace ?? '';
    if (!store.get(resourceOfKind('ServiceAccount'), namespace, account)) {
      const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
      throw forbidden(resource, object.metadata.name || (object.metadata.generateName ?? ''), why);
    }
  }
  if (
    resource.kind === 'Service' &&
    isObject(object.spec) &&
    valueAt(object, 'spec', 'type') !== 'ExternalName'
  ) {
    object.spec.clusterIP ??= freeClusterIp(store, resource);
    object.spec.clusterIPs ??= [object.spec.clusterIP];
    object.spec.ipFamilies ??= ['IPv4'];
    object.spec.ipFamilyPolicy ??= 'SingleStack';
  }
}

function freeClusterIp(store: Store, services: ApiResource): string {
  const taken = new Set(store.list(services).map((service) => valueAt(service, 'spec', 'clusterIP')));
  for (let host = 1; ; host += 1) {
    const address = `10.96.${host >> 8}.${host & 255}`;
    if (!taken.has(address)) return address;
  }
}
