import { distance } from 'fastest-levenshtein';
import type { ErrorObject } from './schemas.js';

/** One fault of a descriptor: where it is, what was found there and what is allowed. */
export interface Fault {
  /** The file, as the user would name it. */
  file: string;
  /** JSON pointer into the file; empty for the whole of it. */
  pointer: string;
  message: string;
}

export const faultLine = ({ file, pointer, message }: Fault): string =>
  `${file}${pointer ? `#${pointer}` : ''}: ${message}`;

/** The known name that a misspelt one most likely means, if any is close enough. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: { name: string; score: number } | undefined;
  for (const candidate of known) {
    const score = distance(name.toLowerCase(), candidate.toLowerCase());
    if (!best || score < best.score) best = { name: candidate, score };
  }
  return best && best.score <= Math.max(2, Math.floor(name.length / 3)) ? best.name : undefined;
}

export const hint = (name: string, known: readonly string[]): string => {
  const meant = nearest(name, known);
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
};

/** Turns ajv's errors into one fault each, leaving out those that only say that a part of a rule failed. */
export function schemaFaults(file: string, errors: readonly ErrorObject[]): Fault[] {
  const consequences = new Set(['propertyNames', 'if', 'anyOf', 'oneOf']);
  const telling = errors.filter((error) => !consequences.has(error.keyword));
  const faults = telling.length > 0 ? telling : errors;
  return faults.map((error) => ({ file, pointer: pointerOf(error), message: describe(error) }));
}

function pointerOf(error: ErrorObject): string {
  // A fault of a property's name is reported at that property, not at the object that holds it.
  const name = error.propertyName ?? error.params.additionalProperty;
  return name === undefined ? error.instancePath : `${error.instancePath}/${escapePointer(String(name))}`;
}

export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function describe(error: ErrorObject): string {
  const { keyword, params, data, parentSchema } = error;
  const found = `found ${JSON.stringify(data)}`;
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys((parentSchema?.properties ?? {}) as object);
      return `unknown key "${params.additionalProperty}"${hint(params.additionalProperty, known)}; allowed: ${known.join(', ')}`;
    }
    case 'required':
      return `the key "${params.missingProperty}" is missing`;
    case 'enum': {
      const allowed: unknown[] = params.allowedValues;
      const meant = typeof data === 'string' ? hint(data, allowed.map(String)) : '';
      return `${found}; allowed: ${allowed.map((value) => JSON.stringify(value)).join(', ')}${meant}`;
    }
    case 'const':
      return `${found}; allowed: ${JSON.stringify(params.allowedValue)}`;
    case 'type':
      return `${found}; allowed: a value of type ${[params.type].flat().join(' or ')}`;
    case 'pattern':
      return `${found}; allowed: text that matches ${params.pattern}`;
    case 'format':
      return `${found}; allowed: a regular expression that JavaScript and Python both read`;
    case 'maxLength':
      return `${found} of ${String(data).length} characters; allowed: at most ${params.limit}`;
    case 'minLength':
      return `${found}; allowed: at least ${params.limit} character${params.limit === 1 ? '' : 's'}`;
    case 'uniqueItems':
      return `${found}; items ${params.j} and ${params.i} are the same`;
    case 'not':
      return `${found}; "pattern" and "enum" exclude each other`;
    default:
      return `${found}; ${error.message ?? keyword}`;
  }
}
