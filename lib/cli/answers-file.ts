import { resolve } from 'node:path';
import { type Catalog, hint, readTextFile } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { type Answers, knownAnswers } from '../project/index.js';

/** Reads an answers file. Throws a usage Failure when it is missing, unreadable, too large, not an object of texts, or has unknown names. */
export function readAnswersFile(path: string, cwd: string, catalog: Catalog): Answers {
  const data = parse(path, readTextFile(resolve(cwd, path)).contents);
  const known = knownAnswers(catalog);
  const faults: string[] = [];
  const isObject = data !== null && typeof data === 'object' && !Array.isArray(data);
  if (!isObject) faults.push('it must hold one JSON object');
  for (const [key, value] of isObject ? Object.entries(data as object) : []) {
    if (!known.includes(key)) faults.push(`${key}: unknown answer${hint(key, known)}`);
    else if (typeof value !== 'string') faults.push(`${key}: found ${JSON.stringify(value)}; allowed: text`);
  }
  if (faults.length > 0) {
    const next = `known answers: ${known.join(', ')}`;
    throw new Failure({ what: `the answers file ${path} has faults`, why: faults, next, exit: 2 });
  }
  return data as Answers;
}

/** Some editors put a byte order mark in front, which is no part of the JSON. */
function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = (error as Error).message;
    throw new Failure({ what: `the answers file ${path} is not JSON`, why, exit: 2 });
  }
}
