import { createHash } from 'node:crypto';
import { type ApiResource, apiVersionOf, RESOURCES } from '../resources.js';
import { DEFINITIONS, REF_PREFIX, type Schema } from '../schema/schema.js';

const COMPONENTS = '#/components/schemas/';
const BODY_METHODS = ['post', 'put', 'patch'] as const;

interface GroupVersion {
  group: string;
  version: string;
}

const groupVersions: GroupVersion[] = [
  ...new Map(
    RESOURCES.flatMap(({ group, versions }) =>
      versions.map((version) => [`${group}/${version}`, { group, version }]),
    ),
  ).values(),
];

const pathOf = ({ group, version }: GroupVersion): string =>
  group ? `apis/${group}/${version}` : `api/${version}`;

/**
 * Version 2 in its binary form, which is all that kubectl asks for, and only when version 3 lacks a kind: a document that
 * says its version (`swagger: 2.0`) and knows no kind either.
 */
export const OPENAPI_V2 = Buffer.from([0x0a, 3, ...Buffer.from('2.0')]);

/** The OpenAPI v3 index or one of its documents, or undefined for any other path. */
export function openApiDocument(path: string): Record<string, unknown> | undefined {
  if (path === '/openapi/v3') {
    return {
      paths: Object.fromEntries(
        groupVersions.map((groupVersion) => {
          const own = pathOf(groupVersion);
          const hash = createHash('sha256')
            .update(JSON.stringify(documentOf(groupVersion)))
            .digest('hex')
            .toUpperCase();
          return [own, { serverRelativeURL: `/openapi/v3/${own}?hash=${hash}` }];
        }),
      ),
    };
  }
  const found = groupVersions.find((groupVersion) => path === `/openapi/v3/${pathOf(groupVersion)}`);
  return found && documentOf(found);
}

const documents = new Map<GroupVersion, Record<string, unknown>>();

function documentOf(groupVersion: GroupVersion): Record<string, unknown> {
  const document = documents.get(groupVersion) ?? makeDocument(groupVersion);
  documents.set(groupVersion, document);
  return document;
}

function makeDocument(groupVersion: GroupVersion): Record<string, unknown> {
  const served = RESOURCES.filter(
    (r) => r.group === groupVersion.group && r.versions.includes(groupVersion.version),
  );
  const schemas: Record<string, unknown> = {};
  for (const resource of served) addSchema(resource.definition, schemas);
  for (const resource of served) {
    const schema = schemas[resource.definition] as Record<string, unknown>;
    schema['x-kubernetes-group-version-kind'] = [gvk(resource, groupVersion)];
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.32.4' },
    paths: Object.fromEntries(served.flatMap((resource) => pathsOf(resource, groupVersion))),
    components: { schemas },
  };
}

const gvk = (resource: ApiResource, { group, version }: GroupVersion) => ({
  group,
  version,
  kind: resource.kind,
});

/** A schema and all that it refers to, in the notation of version 3. */
function addSchema(name: string, into: Record<string, unknown>): void {
  const schema = DEFINITIONS[name];
  if (!schema || into[name]) return;
  const text = JSON.stringify(schema, (key, value) =>
    key === 'format' && value === 'quantity' ? undefined : value,
  );
  into[name] = JSON.parse(text.replaceAll(REF_PREFIX, COMPONENTS)) as Schema;
  for (const [, next = ''] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) addSchema(next, into);
}

function pathsOf(resource: ApiResource, groupVersion: GroupVersion): [string, unknown][] {
  const root = resource.group ? `/apis/${apiVersionOf(resource.group, groupVersion.version)}` : '/api/v1';
  const collection = `${root}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  }));
  const operation = (method: (typeof BODY_METHODS)[number]) => [
    method,
    {
      parameters:
        method === 'patch'
          ? [...parameters, { name: 'force', in: 'query', schema: { type: 'boolean' } }]
          : parameters,
      responses: { 200: { description: 'OK' } },
      'x-kubernetes-action': method,
      'x-kubernetes-group-version-kind': gvk(resource, groupVersion),
    },
  ];
  return [
    [collection, Object.fromEntries([operation('post')])],
    [`${collection}/{name}`, Object.fromEntries([operation('put'), operation('patch')])],
  ];
}
