import { resourceOfKind } from '../resources.js';
import type { Controller } from './tools.js';

/** Gives a namespace its default service account and the cluster's CA, and takes all it holds with it when it goes. */
export const namespaceController =
  (certificateAuthority: string): Controller =>
  (event, tools) => {
    const { object, type } = event;
    if (object.kind === 'Namespace' && type === 'ADDED') {
      const namespace = object.metadata.name;
      tools.create('ServiceAccount', { metadata: { name: 'default', namespace } });
      const data = { 'ca.crt': certificateAuthority };
      tools.create('ConfigMap', { metadata: { name: 'kube-root-ca.crt', namespace }, data });
      tools.updateStatus(object, (draft) => {
        draft.status = { phase: 'Active' };
      });
    }
    const name = (object.kind === 'Namespace' ? object.metadata.name : object.metadata.namespace) ?? '';
    const namespace = tools.get('Namespace', undefined, name);
    if (!namespace?.metadata.deletionTimestamp) return;
    const contents = tools.store.all().filter((entry) => entry.object.metadata.namespace === name);
    for (const entry of contents) if (!entry.object.metadata.deletionTimestamp) tools.remove(entry.object);
    const isEmpty = !tools.store.all().some((entry) => entry.object.metadata.namespace === name);
    if (isEmpty && !namespace.metadata.finalizers?.length) {
      tools.store.remove(resourceOfKind('Namespace'), undefined, name);
    }
  };
