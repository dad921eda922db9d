import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { packageRoot } from '../package/index.js';

export type { ErrorObject };
export type SchemaName = 'target' | 'engine' | 'variables';

export const schemaPaths: Readonly<Record<SchemaName, string>> = {
  target: 'targets.d/manifest.schema.json',
  engine: 'serve.d/manifest.schema.json',
  variables: 'targets.d/variables.schema.json',
};

let compiled: Record<SchemaName, ValidateFunction> | undefined;

/** The validator of one kind of descriptor; compiled once, when first asked for. */
export function validator(name: SchemaName): ValidateFunction {
  compiled ??= compile();
  return compiled[name];
}

function compile(): Record<SchemaName, ValidateFunction> {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictRequired: false,
    formats: { regex: isRegex },
  });
  const read = (name: SchemaName) => JSON.parse(readFileSync(join(packageRoot, schemaPaths[name]), 'utf8'));
  return {
    target: ajv.compile(read('target')),
    engine: ajv.compile(read('engine')),
    variables: ajv.compile(read('variables')),
  };
}

/** What JavaScript's regular expressions have and Python's have not: named groups, properties, code points in braces. */
const NOT_IN_PYTHON = /\(\?<[A-Za-z_]|\\[pPkc]|\\u\{/;

/** mlcc checks a value with JavaScript and do/deploy with Python, so a pattern must be one that both read. */
function isRegex(text: string): boolean {
  if (NOT_IN_PYTHON.test(text)) return false;
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
