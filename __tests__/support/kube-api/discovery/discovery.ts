import { type ApiResource, apiVersionOf, RESOURCES } from '../resources.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const POD_STREAMS = ['exec', 'log', 'portforward'];

const groups = [...new Set(RESOURCES.map((resource) => resource.group))].filter(Boolean);
const versionsOf = (group: string): string[] => [
  ...new Set(
    RESOURCES.filter((resource) => resource.group === group).flatMap((resource) => resource.versions),
  ),
];

function groupDocument(name: string): Record<string, unknown> {
  const versions = versionsOf(name).map((version) => ({
    groupVersion: apiVersionOf(name, version),
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceEntries(resource: ApiResource): Record<string, unknown>[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = resource;
  const sub = (name: string, verbs: string[]) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    kind,
    verbs,
  });
  const streams =
    kind === 'Pod' ? POD_STREAMS.map((name) => sub(name, name === 'log' ? ['get'] : ['create', 'get'])) : [];
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: VERBS,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    },
    ...resource.subresources.map((name) =>
      name === 'scale'
        ? { ...sub(name, ['get', 'patch', 'update']), group: 'autoscaling', version: 'v1', kind: 'Scale' }
        : sub(name, ['get', 'patch', 'update']),
    ),
    ...streams,
  ];
}

/** The document at a discovery path, or undefined for any other path. */
export function discoveryDocument(path: string): Record<string, unknown> | undefined {
  if (path === '/version') {
    return { major: '1', minor: '32', gitVersion: 'v1.32.4', gitTreeState: 'clean', platform: 'linux/amd64' };
  }
  if (path === '/api') {
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  }
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupDocument) };
  const match = /^\/(?:api\/(v1)|apis\/([^/]+)(?:\/([^/]+))?)$/.exec(path);
  if (!match) return undefined;
  const [, coreVersion, group = '', groupVersion] = match;
  if (!coreVersion && !groupVersion) {
    return groups.includes(group)
      ? { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group) }
      : undefined;
  }
  const version = coreVersion ?? groupVersion ?? '';
  const served = RESOURCES.filter(
    (resource) => resource.group === group && resource.versions.includes(version),
  );
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(group, version),
    resources: served.flatMap(resourceEntries),
  };
}
