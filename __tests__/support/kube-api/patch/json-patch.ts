import { ApiError, badRequest, statusBody } from '../api-error.js';
import { clone, isObject, type Json, type JsonObject, sameJson } from '../json.js';

interface Operation {
  op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy';
  path: string;
  from?: string;
  value?: Json;
}

const pointer = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** RFC 6902: operations in order; the first that cannot be done refuses them all. */
export function jsonPatch(target: JsonObject, operations: Operation[]): JsonObject {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch is a list of operations');
  const root: JsonObject = { root: clone(target) };
  for (const { op, path, from, value } of operations) {
    if (op === 'test') {
      if (!sameJson(read(root, path), value)) throw unprocessable(`testing path ${path} failed`);
    } else if (op === 'remove') remove(root, path);
    else if (op === 'add' || op === 'replace') write(root, path, value ?? null, op);
    else if (op === 'move' || op === 'copy') {
      const moved = clone(read(root, from ?? ''));
      if (op === 'move') remove(root, from ?? '');
      write(root, path, moved ?? null, 'add');
    } else throw badRequest(`unknown JSON patch operation ${JSON.stringify(op)}`);
  }
  return root.root as JsonObject;
}

const unprocessable = (message: string): ApiError =>
  new ApiError(
    statusBody(422, 'Invalid', `the server rejected our request due to an error in our request: ${message}`),
  );

function parentOf(root: JsonObject, path: string): { parent: Json; key: string } {
  const keys = ['root', ...pointer(path)];
  const key = keys.pop() ?? '';
  let parent: Json | undefined = root;
  for (const step of keys) parent = (parent as JsonObject | undefined)?.[step];
  if (parent === undefined || parent === null || typeof parent !== 'object')
    throw unprocessable(`missing path: ${path}`);
  return { parent, key };
}

function read(root: JsonObject, path: string): Json | undefined {
  const { parent, key } = parentOf(root, path);
  return (parent as JsonObject)[key];
}

function remove(root: JsonObject, path: string): void {
  const { parent, key } = parentOf(root, path);
  if ((parent as JsonObject)[key] === undefined)
    throw unprocessable(`unable to remove nonexistent key: ${path}`);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete (parent as JsonObject)[key];
}

function write(root: JsonObject, path: string, value: Json, op: 'add' | 'replace'): void {
  const { parent, key } = parentOf(root, path);
  if (op === 'replace' && (parent as JsonObject)[key] === undefined)
    throw unprocessable(`replace of a missing path: ${path}`);
  if (Array.isArray(parent) && op === 'add')
    parent.splice(key === '-' ? parent.length : Number(key), 0, value);
  else if (isObject(parent) || Array.isArray(parent)) (parent as JsonObject)[key] = value;
}
