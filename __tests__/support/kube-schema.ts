import type { KubeObject } from './kube-api/json.js';
import { RESOURCES } from './kube-api/resources.js';
import { validate } from './kube-api/rules/validate.js';

/**
 * What a cluster would refuse about an object: fields that the published schema of its kind does not know, wrong types, and
 * the API server's own rules. Empty where it is fine.
 */
export function schemaFaults(object: { apiVersion: string; kind: string }): string[] {
  const resource = RESOURCES.find(
    ({ group, versions, kind }) =>
      kind === object.kind &&
      versions.some((version) => object.apiVersion === (group ? `${group}/${version}` : version)),
  );
  if (!resource) return [`no schema for ${object.apiVersion} ${object.kind}`];
  const copy = JSON.parse(JSON.stringify(object)) as KubeObject;
  return validate(copy, resource).map(({ field, message }) => `${object.kind} ${field}: ${message}`);
}
