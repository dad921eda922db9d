import { isObject } from '../json.js';
import { checkFormat } from './formats.js';
import { fieldSchema, resolve, type Schema } from './schema.js';

/** One thing about a value that its schema does not allow. */
export interface Problem {
  kind: 'unknown' | 'type' | 'required' | 'enum' | 'value';
  /** Like `spec.containers[0].image`. */
  path: string;
  message: string;
  value?: unknown;
  /** What an enumeration allows. */
  known?: readonly unknown[];
}

const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
};

function typeFits(value: unknown, schema: Schema): boolean {
  const actual = jsonType(value);
  if (schema.format === 'int-or-string') return actual === 'string' || actual === 'integer';
  if (schema.format === 'quantity') return ['string', 'integer', 'number'].includes(actual);
  if (schema.type === 'number') return actual === 'integer' || actual === 'number';
  return actual === schema.type;
}

const join = (path: string, key: string): string =>
  /^[A-Za-z0-9_-]+$/.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${key}]`;

/** Everything in which `value` breaks `schema`; an empty list says that it fits. */
export function check(value: unknown, schema: Schema, path = ''): Problem[] {
  const own = resolve(schema);
  if (own.type && !typeFits(value, own)) {
    return [{ kind: 'type', path, value, message: `expected ${own.type}, got ${jsonType(value)}` }];
  }
  if (Array.isArray(value)) {
    const items = own.items ?? {};
    return [
      ...checkBounds(value, own, path),
      ...value.flatMap((item, i) => check(item, items, `${path}[${i}]`)),
    ];
  }
  if (isObject(value)) return checkObject(value, own, path);
  return checkBounds(value, own, path);
}

function checkObject(value: Record<string, unknown>, schema: Schema, path: string): Problem[] {
  const problems: Problem[] = [];
  for (const key of schema.required ?? []) {
    if (value[key] === undefined)
      problems.push({ kind: 'required', path: join(path, key), message: 'Required value' });
  }
  if (schema.oneOf) {
    const met = schema.oneOf.filter((branch) =>
      branch.required.every((key) => value[key] !== undefined),
    ).length;
    if (met !== 1) {
      const found = met === 0 ? 'Found none valid' : `Found ${met} valid alternatives`;
      const message = `"${path}" must validate one and only one schema (oneOf). ${found}`;
      problems.push({ kind: 'value', path, value: '', message });
    }
  }
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    const entrySchema = fieldSchema(schema, key);
    if (entrySchema) problems.push(...check(entry, entrySchema, join(path, key)));
    else
      problems.push({
        kind: 'unknown',
        path: join(path, key),
        message: 'field not declared in schema',
        value: entry,
      });
  }
  return problems;
}

function checkBounds(value: unknown, schema: Schema, path: string): Problem[] {
  const broken: string[] = [];
  const must = (fits: boolean, message: string) => {
    if (!fits) broken.push(message);
  };
  if (schema.enum && !schema.enum.includes(value as string)) {
    return [{ kind: 'enum', path, value, message: 'Unsupported value', known: [...new Set(schema.enum)] }];
  }
  if (typeof value === 'string') {
    if (schema.minLength !== undefined)
      must(value.length >= schema.minLength, `should be at least ${schema.minLength} chars long`);
    if (schema.maxLength !== undefined)
      must(value.length <= schema.maxLength, `may not be longer than ${schema.maxLength}`);
    if (schema.pattern !== undefined)
      must(new RegExp(schema.pattern).test(value), `should match '${schema.pattern}'`);
  }
  if (typeof value === 'number') {
    if (schema.minimum !== undefined)
      must(value >= schema.minimum, `should be greater than or equal to ${schema.minimum}`);
    if (schema.maximum !== undefined)
      must(value <= schema.maximum, `should be less than or equal to ${schema.maximum}`);
  }
  if (Array.isArray(value)) {
    if (schema.minItems !== undefined)
      must(value.length >= schema.minItems, `should have at least ${schema.minItems} items`);
    if (schema.maxItems !== undefined)
      must(value.length <= schema.maxItems, `must have at most ${schema.maxItems} items`);
  }
  if (schema.format) broken.push(...checkFormat(value, schema.format));
  return broken.map((message) => ({ kind: 'value', path, value, message }));
}
