import { unsupportedMediaType } from '../api-error.js';
import type { JsonObject, KubeObject } from '../json.js';
import { jsonPatch } from '../patch/json-patch.js';
import { mergePatch } from '../patch/merge-patch.js';
import { strategicMerge } from '../patch/strategic-merge.js';
import { type ApiResource, apiVersionOf } from '../resources.js';
import { schemaOf } from '../schema/schema.js';
import { parseBody } from './decode.js';

const PATCHES = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';

/** The object that a patch of one of the three older kinds makes of `object`. */
export function patchedObject(
  object: KubeObject,
  body: string,
  contentType: string,
  resource: ApiResource,
): KubeObject {
  const target = object as unknown as JsonObject;
  const patched = patch(target, body, contentType, resource) as unknown as KubeObject;
  // a patch need not name the version it was written for
  const [preferred = ''] = resource.versions;
  return { ...patched, apiVersion: apiVersionOf(resource.group, preferred), kind: resource.kind };
}

function patch(target: JsonObject, body: string, contentType: string, resource: ApiResource): JsonObject {
  const media = contentType.split(';')[0]?.trim();
  if (media === 'application/json-patch+json') return jsonPatch(target, JSON.parse(body));
  if (media === 'application/merge-patch+json') return mergePatch(target, parseBody(body).data) as JsonObject;
  if (media === 'application/strategic-merge-patch+json' && !resource.custom) {
    return strategicMerge(target, parseBody(body).data, schemaOf(resource));
  }
  throw unsupportedMediaType(PATCHES);
}
