import type { SchemaObject } from 'ajv';
import { schemaOf } from '../../lib/kube/schemas/validate.js';

/** One key that a schema knows. */
export interface SchemaKey {
  /** Its path in a file; `*` stands for any name or position. */
  path: string[];
  schema: SchemaObject;
  /** The names of the table that it stands in. */
  siblings: string[];
}

/** Every key of a file's schema that holds a value: tables and lists of tables only lead to keys. */
export function keysOf(name: 'profile' | 'manifest'): SchemaKey[] {
  const root = schemaOf(name);
  const resolve = (schema: SchemaObject): SchemaObject => {
    if (typeof schema.$ref !== 'string') return schema;
    const target = root.$defs[schema.$ref.replace('#/$defs/', '')] as SchemaObject;
    return { ...resolve(target), ...schema, $ref: undefined };
  };
  const visit = (schema: SchemaObject, path: string[], siblings: string[]): SchemaKey[] => {
    const own = resolve(schema);
    const properties = Object.entries((own.properties ?? {}) as Record<string, SchemaObject>);
    const names = properties.map(([key]) => key);
    const inside = properties.flatMap(([key, value]) => visit(value, [...path, key], names));
    const others =
      typeof own.additionalProperties === 'object' ? visit(own.additionalProperties, [...path, '*'], []) : [];
    const items =
      own.items && resolve(own.items).type === 'object' ? visit(own.items, [...path, '*'], []) : [];
    const keys = [...inside, ...others, ...items];
    return keys.length > 0 ? keys : [{ path, schema: own, siblings }];
  };
  return visit(root, [], []);
}
