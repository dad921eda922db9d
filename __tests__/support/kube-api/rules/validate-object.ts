import { clone, type KubeObject } from '../json.js';
import { apiVersionOf, RESOURCES } from '../resources.js';
import { check } from '../schema/check.js';
import { schemaOf } from '../schema/schema.js';
import { applyDefaults } from './defaults.js';
import { validate } from './validate.js';

/**
 * What the API server would refuse in an object by itself, without a cluster: unknown fields, wrong types, and rules of its
 * kind. Each entry is `path: why`; an empty list says that the object is good.
 */
export function validateObject(given: unknown): string[] {
  const object = clone(given) as KubeObject;
  const resource = RESOURCES.find(
    (candidate) =>
      candidate.kind === object.kind &&
      candidate.versions.some((version) => apiVersionOf(candidate.group, version) === object.apiVersion),
  );
  if (!resource) return [`no kind ${object.kind} in ${object.apiVersion} is served`];
  const problems = check(object, schemaOf(resource)).filter(
    ({ kind }) => kind === 'unknown' || kind === 'type',
  );
  if (problems.length > 0) return problems.map(({ path, message }) => `${path}: ${message}`);
  applyDefaults(object);
  return validate(object, resource).map(({ field, message }) => `${field}: ${message}`);
}
