import { load } from 'js-yaml';
import { type ApiError, badRequest, badValue, type Cause, invalid } from '../api-error.js';
import { isObject, type JsonObject, type KubeObject, withoutNulls } from '../json.js';
import { type ApiResource, apiVersionOf } from '../resources.js';
import { check, type Problem } from '../schema/check.js';
import { schemaOf } from '../schema/schema.js';
import { duplicateKeys } from './duplicate-keys.js';

/** What a client wants done about fields that the kind does not have, or that stand twice. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface Decoded {
  object: KubeObject;
  warnings: string[];
}

/** A body as JSON or YAML data, with the paths of the keys that it holds twice. */
export function parseBody(text: string): { data: JsonObject; duplicates: string[] } {
  let data: unknown;
  let duplicates: string[] = [];
  try {
    data = JSON.parse(text);
    duplicates = duplicateKeys(text);
  } catch {
    try {
      data = load(text);
    } catch (error) {
      throw badRequest(`error decoding the body: ${(error as Error).message}`);
    }
  }
  if (!isObject(data)) throw badRequest('the body is not an object');
  return { data, duplicates };
}

/** The version and kind of the body, where it states them, must be those of the address; so must name and namespace. */
export function checkAddress(
  data: JsonObject,
  resource: ApiResource,
  version: string,
  name?: string,
  ns?: string,
): void {
  const expected = apiVersionOf(resource.group, version);
  data.kind ??= resource.kind;
  data.apiVersion ??= expected;
  if (data.kind !== resource.kind || data.apiVersion !== expected) {
    const got = `${String(data.apiVersion)}, Kind=${String(data.kind)}`;
    throw badRequest(
      `the object provided is unrecognized: ${got} was sent where ${expected}, Kind=${resource.kind} is served`,
    );
  }
  const metadata = isObject(data.metadata) ? data.metadata : {};
  if (name !== undefined && metadata.name !== undefined && metadata.name !== name) {
    throw badRequest(
      `the name of the object (${String(metadata.name)}) does not match the name on the URL (${name})`,
    );
  }
  if (metadata.namespace !== undefined && metadata.namespace !== (ns ?? '')) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** The object of a create or replace: typed as its schema says, unknown and doubled fields as `validation` says. */
export function decodeObject(
  { data, duplicates }: { data: JsonObject; duplicates: string[] },
  resource: ApiResource,
  validation: FieldValidation,
): Decoded {
  const object = withoutNulls(data) as unknown as KubeObject;
  const problems = check(object, schemaOf(resource));
  const wrongType = problems.filter((problem) => problem.kind === 'type');
  if (wrongType.length > 0) throw wrongTypes(object, resource, wrongType);
  const unknown = problems
    .filter((problem) => problem.kind === 'unknown')
    .map(({ path }) => `unknown field "${path}"`);
  const strict = [...duplicates.map((path) => `duplicate field "${path}"`), ...unknown];
  if (validation === 'Strict' && strict.length > 0) {
    throw badRequest(`${cannotHandle(object)}: strict decoding error: ${strict.join(', ')}`);
  }
  for (const problem of problems)
    if (problem.kind === 'unknown') drop(object as unknown as JsonObject, problem.path);
  return { object, warnings: validation === 'Warn' ? strict : [] };
}

const cannotHandle = (object: KubeObject): string =>
  `${object.kind} in version "${object.apiVersion.split('/').at(-1)}" cannot be handled as a ${object.kind}`;

function wrongTypes(object: KubeObject, resource: ApiResource, problems: Problem[]): ApiError {
  if (!resource.custom) {
    const [first] = problems;
    return badRequest(`${cannotHandle(object)}: json: ${first?.message} in field ${first?.path}`);
  }
  const causes: Cause[] = problems.map(({ path, value, message }) => badValue(path, value, message));
  return invalid(resource, object.metadata?.name ?? '', causes);
}

/** Removes what a problem's path names. */
function drop(root: JsonObject, path: string): void {
  const keys = [...path.matchAll(/([^.[\]]+)|\[([^\]]+)\]/g)].map((match) => match[1] ?? match[2] ?? '');
  const last = keys.pop();
  let parent: unknown = root;
  for (const key of keys) parent = (parent as Record<string, unknown> | undefined)?.[key];
  if (isObject(parent) && last !== undefined) delete parent[last];
}
