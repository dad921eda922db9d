import { type ApiResource, findResource } from '../resources.js';

/** What the path of a request addresses. */
export interface Address {
  resource: ApiResource;
  version: string;
  namespace?: string;
  name?: string;
  /** `status`, `scale`, `log`, `exec`, ... */
  subresource?: string;
}

/** The addressed resource, or undefined for any other path. */
export function parseAddress(path: string): Address | undefined {
  const match = /^\/(?:api\/([^/]+)|apis\/([^/]+)\/([^/]+))(\/.*)$/.exec(path);
  if (!match) return undefined;
  const [, coreVersion, group = '', groupVersion, rest = ''] = match;
  const version = coreVersion ?? groupVersion ?? '';
  const parts = rest.split('/').filter(Boolean).map(decodeURIComponent);
  // /namespaces/NAME is the Namespace itself; with a known resource behind it, it is a scope
  const scoped =
    parts[0] === 'namespaces' && parts[2] !== undefined ? findResource(group, version, parts[2]) : undefined;
  if (scoped?.namespaced) return address(scoped, version, parts.slice(3), parts[1]);
  const resource = findResource(group, version, parts[0] ?? '');
  return resource && address(resource, version, parts.slice(1), undefined);
}

function address(
  resource: ApiResource,
  version: string,
  [name, subresource]: string[],
  namespace: string | undefined,
): Address {
  return {
    resource,
    version,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}
