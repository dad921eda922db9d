import { readFileSync } from 'node:fs';
import type { ErrorObject, SchemaObject, SchemaValidateFunction, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { closest, distance } from 'fastest-levenshtein';
import type { Faults } from '../faults.js';
import { type QuantityKind, quantityFault } from '../quantities.js';
import type { TomlDocument } from '../toml/document.js';
import { pointer } from '../toml/positions.js';

export type SchemaName = 'profile' | 'manifest';

/** The JSON Schema of one of the two input files. */
export function schemaOf(name: SchemaName): SchemaObject {
  return JSON.parse(readFileSync(new URL(`./${name}.schema.json`, import.meta.url), 'utf8')) as SchemaObject;
}

const validators = new Map<SchemaName, ValidateFunction>();

/** Adds a fault with file, line and key for everything in the document that its schema refuses. */
export function checkSchema(name: SchemaName, document: TomlDocument, faults: Faults): void {
  const validate = validators.get(name) ?? compile(name);
  validators.set(name, validate);
  if (validate(document.data)) return;
  for (const error of validate.errors ?? []) addFault(error, document, faults);
}

function compile(name: SchemaName): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true });
  ajv.addKeyword('expected');
  ajv.addKeyword({ keyword: 'quantity', type: ['string', 'number'], validate: checkQuantity, errors: true });
  return ajv.compile(schemaOf(name));
}

const checkQuantity: SchemaValidateFunction = (kind: QuantityKind, data: string | number) => {
  const message = quantityFault(String(data), kind);
  if (message !== undefined) checkQuantity.errors = [{ keyword: 'quantity', message, params: {} }];
  return message === undefined;
};

function addFault(error: ErrorObject, document: TomlDocument, faults: Faults): void {
  const here = error.instancePath;
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = error.params.additionalProperty as string;
      const known = Object.keys(error.parentSchema?.properties ?? {});
      faults.add(document.where(here + pointer([key])), unknownKey(here, key, known));
      break;
    }
    case 'required': {
      const key = error.params.missingProperty as string;
      faults.add(document.where(here), `${keyName(here)} lacks \`${key}\``);
      break;
    }
    case 'propertyNames':
      // The name's own pattern has been reported.
      break;
    case 'type':
      faults.add(document.where(here), `${keyName(here)} ${wrongType(error, document)}`);
      break;
    case 'quantity':
      faults.add(document.where(here), `${keyName(here)}: ${error.message}`);
      break;
    default: {
      const expected = error.parentSchema?.expected ?? error.message;
      const named = error.propertyName;
      const subject = named === undefined ? keyName(here) : `\`${named}\` in ${keyName(here)}`;
      faults.add(
        document.where(named === undefined ? here : here + pointer([named])),
        `${subject} must be ${expected}`,
      );
    }
  }
}

function wrongType(error: ErrorObject, document: TomlDocument): string {
  const source = document.at(error.instancePath)?.source ?? String(error.data);
  const types = [error.schema].flat() as string[];
  if (types.includes('string') && typeof error.data !== 'object') {
    return `must be text: write it in quotes, "${source}"`;
  }
  if (typeof error.data === 'bigint') return `must be an integer below 2^53, not ${source}`;
  const expected = error.parentSchema?.expected ?? describeType(types);
  return `must be ${expected}, not ${typeof error.data === 'object' ? describeType([Array.isArray(error.data) ? 'array' : 'object']) : source}`;
}

function describeType(types: readonly string[]): string {
  const words: Record<string, string> = { object: 'a table', array: 'a list', string: 'text' };
  return types.map((type) => words[type] ?? type).join(' or ');
}

/** A key as people write it in TOML: `cluster.context`, `component[0].name`. */
function keyName(here: string): string {
  const names = here
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (names.length === 0) return 'the file';
  const text = names.reduce((path, part) => {
    if (/^[0-9]+$/.test(part) && path !== '') return `${path}[${part}]`;
    const shown = /^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part);
    return path === '' ? shown : `${path}.${shown}`;
  }, '');
  return `\`${text}\``;
}

/** The message for a key that is not known, with the nearest known one where one is near. */
export function unknownKey(table: string, key: string, known: readonly string[]): string {
  const nearest = known.length > 0 ? closest(key, known) : undefined;
  const isNear =
    nearest !== undefined && distance(key, nearest) <= Math.max(2, Math.floor(nearest.length / 3));
  const hint = isNear ? `did you mean \`${nearest}\`?` : `known here: ${[...known].sort().join(', ')}`;
  return `unknown key ${keyName(table + pointer([key]))}; ${hint}`;
}
