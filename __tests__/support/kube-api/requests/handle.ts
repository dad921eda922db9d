import {
  ApiError,
  badRequest,
  invalid,
  noSuchPath,
  notFound,
  qualified,
  statusBody,
  unsupportedMediaType,
} from '../api-error.js';
import type { KubeObject } from '../json.js';
import { apiVersionOf } from '../resources.js';
import type { Address } from './address.js';
import { applyObject } from './apply.js';
import { checkAddress, decodeObject, parseBody } from './decode.js';
import { deleteObject } from './delete.js';
import { deleteOptions, validationOf, writeOptions } from './options.js';
import { patchedObject } from './patch.js';
import { getObject, inVersion, listObjects } from './read.js';
import { readScale, writeScale } from './scale.js';
import { queryMatcher } from './selectors.js';
import { type Cluster, createObject, updateObject } from './write.js';

export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  userAgent: string;
  contentType: string;
  body: string;
}

export interface Answer {
  code: number;
  body: unknown;
  /** Shown to the client as `Warning` headers. */
  warnings?: string[];
}

/** Answers one request for a resource; a refusal is thrown as an ApiError. */
export function handle(cluster: Cluster, address: Address, request: ApiRequest): Answer {
  const { name, subresource } = address;
  // the binary form needs every message's descriptor; clients that can only send it are told, as an old server would
  if (request.contentType.includes('protobuf'))
    throw unsupportedMediaType('application/json, application/yaml');
  if (subresource && !(address.resource.subresources as readonly string[]).includes(subresource))
    throw noSuchPath();
  switch (request.method) {
    case 'GET':
      if (name === undefined) return { code: 200, body: listObjects(cluster.store, address, request.query) };
      return {
        code: 200,
        body:
          subresource === 'scale'
            ? readScale(getObject(cluster.store, address))
            : getObject(cluster.store, address),
      };
    case 'POST':
      if (name === undefined) return create(cluster, address, request);
      break;
    case 'PUT':
      if (name !== undefined) return replace(cluster, { ...address, name }, request);
      break;
    case 'PATCH':
      if (name !== undefined) return patch(cluster, { ...address, name }, request);
      break;
    case 'DELETE':
      return name === undefined
        ? removeAll(cluster, address, request)
        : remove(cluster, { ...address, name }, request);
  }
  throw new ApiError(
    statusBody(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'),
  );
}

function create(cluster: Cluster, address: Address, request: ApiRequest): Answer {
  const { resource, version, namespace } = address;
  const body = parseBody(request.body);
  checkAddress(body.data, resource, version, undefined, namespace);
  const { object, warnings } = decodeObject(body, resource, validationOf(request));
  object.metadata = { ...object.metadata, ...(namespace !== undefined && { namespace }) };
  const created = createObject(
    cluster,
    resource,
    inStoredVersion(object, address),
    writeOptions(address, request),
  );
  return { code: 201, body: inVersion(created, resource, version), warnings };
}

function replace(cluster: Cluster, address: Address & { name: string }, request: ApiRequest): Answer {
  const { resource, version, namespace, name, subresource } = address;
  const options = writeOptions(address, request);
  if (subresource === 'scale') return { code: 200, body: writeScale(cluster, address, request, options) };
  const body = parseBody(request.body);
  checkAddress(body.data, resource, version, name, namespace);
  const { object, warnings } = decodeObject(body, resource, validationOf(request));
  const before = cluster.store.get(resource, namespace, name);
  if (!before) throw notFound(resource, name);
  if (resource.custom && !object.metadata.resourceVersion) {
    const message = 'Invalid value: 0x0: must be specified for an update';
    throw invalid(resource, name, [
      { reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' },
    ]);
  }
  object.metadata = { ...object.metadata, ...(namespace !== undefined && { namespace }) };
  const wanted = inStoredVersion(object, address);
  const updated = updateObject(cluster, resource, before, wanted, { ...options, ...partOf(subresource) });
  return { code: 200, body: inVersion(updated, resource, version), warnings };
}

function patch(cluster: Cluster, address: Address & { name: string }, request: ApiRequest): Answer {
  const { resource, version, namespace, name, subresource } = address;
  const options = writeOptions(address, request);
  if (/^application\/apply-patch\+(yaml|json)/.test(request.contentType)) {
    const force = request.query.get('force') === 'true';
    const strict = validationOf(request) === 'Strict';
    const result = applyObject(cluster, address, request.body, { ...options, force, strict });
    return { code: result.created ? 201 : 200, body: inVersion(result.object, resource, version) };
  }
  if (subresource === 'scale') return { code: 200, body: writeScale(cluster, address, request, options) };
  const before = cluster.store.get(resource, namespace, name);
  if (!before) throw notFound(resource, name);
  const patched = patchedObject(before, request.body, request.contentType, resource);
  if (patched.metadata?.name !== name) {
    throw badRequest(
      `the name of the object (${patched.metadata?.name}) does not match the name on the URL (${name})`,
    );
  }
  const data = { data: JSON.parse(JSON.stringify(patched)), duplicates: [] };
  const { object, warnings } = decodeObject(data, resource, validationOf(request));
  const updated = updateObject(cluster, resource, before, object, { ...options, ...partOf(subresource) });
  return { code: 200, body: inVersion(updated, resource, version), warnings };
}

function remove(cluster: Cluster, address: Address & { name: string }, request: ApiRequest): Answer {
  const { resource, version, namespace, name } = address;
  const { object, gone } = deleteObject(cluster, resource, namespace, name, deleteOptions(request));
  if (!gone) return { code: 200, body: inVersion(object, resource, version) };
  const uid = object.metadata.uid ?? '';
  const details = { name, ...(resource.group && { group: resource.group }), kind: resource.plural, uid };
  return { code: 200, body: statusBody(200, '', '', details) };
}

function removeAll(cluster: Cluster, address: Address, request: ApiRequest): Answer {
  const { resource, namespace } = address;
  const options = deleteOptions(request);
  for (const { metadata } of cluster.store.list(resource, namespace).filter(queryMatcher(request.query))) {
    deleteObject(cluster, resource, metadata.namespace, metadata.name, options);
  }
  return { code: 200, body: statusBody(200, '', `${qualified(resource)} deleted`) };
}

const partOf = (subresource?: string): { part?: 'status' } =>
  subresource === 'status' ? { part: 'status' } : {};

const inStoredVersion = (object: KubeObject, { resource }: Address): KubeObject => ({
  ...object,
  apiVersion: apiVersionOf(resource.group, resource.versions[0] ?? ''),
});
