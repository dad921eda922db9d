import { readFileSync } from 'node:fs';
import { inferenceEndpointConfigDefinitions } from '../openapi/inference-endpoint-config.js';
import type { ApiResource } from '../resources.js';

/** The part of OpenAPI that Kubernetes schemas use. */
export interface Schema {
  $ref?: string;
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  required?: string[];
  enum?: (string | number | boolean)[];
  oneOf?: { required: string[] }[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  default?: string | number | boolean;
  'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic';
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-patch-strategy'?: string;
}

const published = new URL('../openapi/generated/kubernetes-1.32.json', import.meta.url);

export const DEFINITIONS: Readonly<Record<string, Schema>> = {
  ...(JSON.parse(readFileSync(published, 'utf8')) as Record<string, Schema>),
  ...inferenceEndpointConfigDefinitions,
};

export const REF_PREFIX = '#/definitions/';

/** The schema itself, where `schema` may be a reference to it. */
export function resolve(schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const found = DEFINITIONS[schema.$ref.slice(REF_PREFIX.length)];
  if (!found) throw new Error(`no definition ${schema.$ref}`);
  return resolve(found);
}

export const schemaOf = (resource: ApiResource): Schema =>
  resolve({ $ref: REF_PREFIX + resource.definition });

/** The schema of one entry of an object; undefined where the object does not have such a field. */
export function fieldSchema(schema: Schema, key: string): Schema | undefined {
  const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
  const entry = property ?? schema.additionalProperties;
  if (entry) return { ...resolve(entry), ...mergeKeys(entry) };
  return isOpen(schema) ? {} : undefined;
}

/** A reference may carry the strategic-merge words beside it. */
function mergeKeys(entry: Schema): Schema {
  const { $ref: _, ...rest } = entry;
  return rest;
}

/** True where any field may stand: embedded documents, and schemas that say nothing at all. */
export function isOpen(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || (!schema.type && !schema.properties);
}
