import type { Clock } from '../clock.js';
import { clone, type KubeObject, type OwnerReference } from '../json.js';
import { type DeleteOptions, deleteObject } from '../requests/delete.js';
import { type Cluster, createObject, updateObject } from '../requests/write.js';
import { type ApiResource, apiVersionOf, resourceOfKind } from '../resources.js';
import type { Store, StoreEvent } from '../store.js';

/** Reacts to a change of the store, at once or later on the clock. */
export type Controller = (event: StoreEvent, tools: Tools) => void;

/** What controllers do to the cluster; every write passes the same rules as a client's. */
export class Tools {
  constructor(private readonly cluster: Cluster) {}

  get store(): Store {
    return this.cluster.store;
  }

  get clock(): Clock {
    return this.cluster.clock;
  }

  get(kind: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.store.get(resourceOfKind(kind), namespace, name);
  }

  list(kind: string, namespace?: string): KubeObject[] {
    return this.store.list(resourceOfKind(kind), namespace);
  }

  /** Creates an object, unless its namespace is gone or ending, or it is there already. */
  create(
    kind: string,
    object: Omit<KubeObject, 'apiVersion' | 'kind'>,
    manager = 'kube-controller-manager',
  ): void {
    const resource = resourceOfKind(kind);
    const full = { ...head(resource), ...object } as KubeObject;
    const namespace = full.metadata.namespace;
    if (resource.namespaced) {
      const home = this.get('Namespace', undefined, namespace ?? '');
      if (!home || home.metadata.deletionTimestamp) return;
    }
    if (full.metadata.name && this.get(kind, namespace, full.metadata.name)) return;
    createObject(this.cluster, resource, full, { manager: updater(manager, resource), dryRun: false });
  }

  /** Changes an object as it is now; nothing happens when it is gone or the change changes nothing. */
  update(object: KubeObject, change: (draft: KubeObject) => void, manager = 'kube-controller-manager'): void {
    this.#write(object, change, manager);
  }

  /** The same for the object's status. */
  updateStatus(
    object: KubeObject,
    change: (draft: KubeObject) => void,
    manager = 'kube-controller-manager',
  ): void {
    this.#write(object, change, manager, 'status');
  }

  remove(object: KubeObject, options: Partial<DeleteOptions> = {}): void {
    const resource = resourceOfKind(object.kind);
    const { namespace, name } = object.metadata;
    if (!this.store.get(resource, namespace, name)) return;
    deleteObject(this.cluster, resource, namespace, name, {
      propagationPolicy: 'Background',
      dryRun: false,
      ...options,
    });
  }

  /** Records what a person sees under "Events". */
  event(
    about: KubeObject,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    component: string,
  ): void {
    const { name, namespace = 'default', uid = '' } = about.metadata;
    const time = this.clock.timestamp();
    this.create('Event', {
      metadata: { name: `${name}.${Number(this.store.resourceVersion).toString(16)}`, namespace },
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    });
  }

  #write(object: KubeObject, change: (draft: KubeObject) => void, manager: string, part?: 'status'): void {
    const resource = resourceOfKind(object.kind);
    const before = this.store.get(resource, object.metadata.namespace, object.metadata.name);
    // a later object of the same name is another object
    if (!before || before.metadata.uid !== object.metadata.uid) return;
    const draft = clone(before);
    change(draft);
    const written = { ...updater(manager, resource), ...(part && { subresource: part }) };
    updateObject(this.cluster, resource, before, draft, {
      manager: written,
      dryRun: false,
      ...(part && { part }),
    });
  }
}

const head = ({ group, versions, kind }: ApiResource) => ({
  apiVersion: apiVersionOf(group, versions[0] ?? ''),
  kind,
});

const updater = (name: string, resource: ApiResource) => ({
  name,
  operation: 'Update' as const,
  apiVersion: head(resource).apiVersion,
});

/** The reference by which `owner` controls another object. */
export function controlledBy(owner: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

export const isOwnedBy = (object: KubeObject, owner: KubeObject): boolean =>
  object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) === true;
