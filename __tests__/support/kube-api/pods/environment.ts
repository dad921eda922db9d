import { isObject, type JsonObject, type KubeObject, listAt, valueAt } from '../json.js';
import { resourceOfKind } from '../resources.js';
import type { Store } from '../store.js';

/** The environment that a container of a Pod starts with, or why it cannot start. */
export type Environment = { values: Record<string, string> } | { missing: string };

/** Resolves `envFrom`, `env` and their references as a kubelet does. */
export function containerEnvironment(store: Store, pod: KubeObject, container: JsonObject): Environment {
  const namespace = pod.metadata.namespace;
  const values: Record<string, string> = {};
  for (const source of listAt(container, 'envFrom')) {
    const reference = source.secretRef ?? source.configMapRef;
    const kind = source.secretRef ? 'Secret' : 'ConfigMap';
    if (!isObject(reference)) continue;
    const data = dataOf(store, kind, namespace, String(reference.name));
    if (!data && reference.optional !== true)
      return { missing: `${kind.toLowerCase()} "${reference.name}" not found` };
    for (const [key, value] of Object.entries(data ?? {})) values[`${source.prefix ?? ''}${key}`] = value;
  }
  for (const entry of listAt(container, 'env')) {
    const name = String(entry.name);
    if (!isObject(entry.valueFrom)) {
      values[name] = expand(String(entry.value ?? ''), values);
      continue;
    }
    const found = fromReference(store, pod, entry.valueFrom);
    if ('missing' in found) return found;
    if (found.value !== undefined) values[name] = found.value;
  }
  return { values };
}

function fromReference(
  store: Store,
  pod: KubeObject,
  from: JsonObject,
): { value?: string } | { missing: string } {
  for (const [field, kind] of [
    ['secretKeyRef', 'Secret'],
    ['configMapKeyRef', 'ConfigMap'],
  ] as const) {
    const reference = from[field];
    if (!isObject(reference)) continue;
    const data = dataOf(store, kind, pod.metadata.namespace, String(reference.name));
    const value = data?.[String(reference.key)];
    if (value !== undefined) return { value };
    if (reference.optional === true) return {};
    if (!data) return { missing: `${kind.toLowerCase()} "${reference.name}" not found` };
    return {
      missing: `couldn't find key ${reference.key} in ${kind} ${pod.metadata.namespace}/${reference.name}`,
    };
  }
  const path = valueAt(from, 'fieldRef', 'fieldPath');
  if (typeof path === 'string') {
    const entry = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
    const value = entry
      ? valueAt(pod.metadata, entry[1] ?? '', entry[2] ?? '')
      : valueAt(pod, ...path.split('.'));
    return { value: String(value ?? '') };
  }
  return { value: '' };
}

function dataOf(
  store: Store,
  kind: 'Secret' | 'ConfigMap',
  namespace: string | undefined,
  name: string,
): Record<string, string> | undefined {
  const object = store.get(resourceOfKind(kind), namespace, name);
  if (!object) return undefined;
  const data = (object.data ?? {}) as Record<string, string>;
  if (kind === 'ConfigMap') return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

/** `$(NAME)` of an earlier name becomes its value, `$$` one dollar; an unknown name stays as it is written. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(values, name) ? (values[name] ?? '') : whole;
  });
}
