import { badRequest } from '../api-error.js';
import { isObject, valueAt } from '../json.js';
import type { Manager } from '../managed-fields/managers.js';
import { apiVersionOf } from '../resources.js';
import type { Address } from './address.js';
import { type FieldValidation, parseBody } from './decode.js';
import type { DeleteOptions } from './delete.js';
import type { ApiRequest } from './handle.js';
import type { WriteOptions } from './write.js';

/** What a write wants done about fields that the kind does not have. */
export function validationOf({ query }: ApiRequest): FieldValidation {
  const given = query.get('fieldValidation') ?? 'Warn';
  if (given !== 'Ignore' && given !== 'Warn' && given !== 'Strict') {
    throw badRequest(`fieldValidation: Unsupported value: ${JSON.stringify(given)}`);
  }
  return given;
}

/** Who writes, and whether for real. */
export function writeOptions(address: Address, request: ApiRequest): WriteOptions {
  const isApply = request.contentType.startsWith('application/apply-patch');
  const given = request.query.get('fieldManager');
  if (isApply && !given) {
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  }
  const manager: Manager = {
    name: given ?? request.userAgent.split('/')[0] ?? 'unknown',
    operation: isApply ? 'Apply' : 'Update',
    apiVersion: apiVersionOf(address.resource.group, address.version),
    ...(address.subresource && { subresource: address.subresource }),
  };
  return { manager, dryRun: isDryRun(request.query.getAll('dryRun')) };
}

function isDryRun(given: readonly unknown[]): boolean {
  if (given.some((value) => value !== 'All')) {
    throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(given)}`);
  }
  return given.length > 0;
}

/** From the body, a DeleteOptions, or the query. */
export function deleteOptions({ body, query }: ApiRequest): DeleteOptions {
  const sent = body ? parseBody(body).data : {};
  const grace = sent.gracePeriodSeconds ?? query.get('gracePeriodSeconds');
  const given = sent.propagationPolicy ?? query.get('propagationPolicy');
  const policy = given ?? (sent.orphanDependents ? 'Orphan' : 'Background');
  if (policy !== 'Foreground' && policy !== 'Background' && policy !== 'Orphan') {
    throw badRequest(`invalid propagationPolicy ${JSON.stringify(policy)}`);
  }
  const preconditions = isObject(sent.preconditions) ? sent.preconditions : {};
  const uid = valueAt(preconditions, 'uid');
  const resourceVersion = valueAt(preconditions, 'resourceVersion');
  return {
    propagationPolicy: policy,
    ...(grace !== null && grace !== undefined && { gracePeriodSeconds: Number(grace) }),
    preconditions: {
      ...(typeof uid === 'string' && { uid }),
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
    },
    dryRun: isDryRun([...(Array.isArray(sent.dryRun) ? sent.dryRun : []), ...query.getAll('dryRun')]),
  };
}
