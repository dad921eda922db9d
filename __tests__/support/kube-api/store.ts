import { clone, type KubeObject } from './json.js';
import type { ApiResource } from './resources.js';

export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  resource: ApiResource;
  object: KubeObject;
  /** The object before the change; a watch with a selector needs it to see objects leave. */
  previous?: KubeObject;
  resourceVersion: number;
}

/** All objects, their one growing resourceVersion, and the history that watches replay. */
export class Store {
  #objects = new Map<string, { resource: ApiResource; object: KubeObject }>();
  #version = 1000;
  #history: StoreEvent[] = [];
  #listeners = new Set<(event: StoreEvent) => void>();
  /** Watches from before this version are told that it is gone. */
  #oldest = 1000;

  get resourceVersion(): string {
    return String(this.#version);
  }

  get(resource: ApiResource, namespace: string | undefined, name: string): KubeObject | undefined {
    const found = this.#objects.get(keyOf(resource, namespace, name));
    return found && clone(found.object);
  }

  /** Objects of a resource in one namespace, or in all; by namespace and name. */
  list(resource: ApiResource, namespace?: string): KubeObject[] {
    return [...this.#objects.values()]
      .filter((entry) => entry.resource === resource)
      .filter((entry) => !namespace || entry.object.metadata.namespace === namespace)
      .map((entry) => clone(entry.object))
      .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  /** Every object there is, for controllers and for a test's "nothing is left". */
  all(): { resource: ApiResource; object: KubeObject }[] {
    return [...this.#objects.values()].map(({ resource, object }) => ({ resource, object: clone(object) }));
  }

  /** Writes an object with a new resourceVersion, and tells the watches. */
  put(resource: ApiResource, object: KubeObject): KubeObject {
    const key = keyOf(resource, object.metadata.namespace, object.metadata.name);
    const previous = this.#objects.get(key)?.object;
    this.#version += 1;
    const stored = clone(object);
    stored.metadata.resourceVersion = this.resourceVersion;
    this.#objects.set(key, { resource, object: stored });
    this.#tell({
      type: previous ? 'MODIFIED' : 'ADDED',
      resource,
      object: stored,
      ...(previous && { previous }),
      resourceVersion: this.#version,
    });
    return clone(stored);
  }

  remove(resource: ApiResource, namespace: string | undefined, name: string): void {
    const key = keyOf(resource, namespace, name);
    const previous = this.#objects.get(key)?.object;
    if (!previous) return;
    this.#objects.delete(key);
    this.#version += 1;
    const object = clone(previous);
    object.metadata.resourceVersion = this.resourceVersion;
    this.#tell({ type: 'DELETED', resource, object, previous, resourceVersion: this.#version });
  }

  /** Changes after a version, or undefined when the history no longer reaches back that far. */
  since(version: number): StoreEvent[] | undefined {
    return version < this.#oldest
      ? undefined
      : this.#history.filter((event) => event.resourceVersion > version);
  }

  /** Forgets all history, as compaction does: a watch from before now is told 410. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  /** Remembers all objects; the returned function brings them back, unseen by controllers and watches. */
  checkpoint(): () => void {
    const kept = new Map(this.#objects);
    return () => {
      this.#objects = new Map(kept);
      this.compact();
    };
  }

  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(event: StoreEvent): void {
    this.#history.push(event);
    for (const listener of [...this.#listeners]) listener(event);
  }
}

const keyOf = (resource: ApiResource, namespace: string | undefined, name: string): string =>
  [resource.group, resource.plural, resource.namespaced ? namespace : '', name].join('|');

const sortKey = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
