// Merges the published Kubernetes schemas into one OpenAPI "definitions" map, filtered to the kinds that our tests serve.
// Usage: node scripts/kube-openapi.mjs K8S_IO_SOURCE_DIR OUT_FILE
//
// Which fields exist and how lists merge comes from the apply schema of client-go (complete for 1.32); what the
// apply schema does not say (required, enum, integer or number, strategic-merge keys) from the OpenAPI documents of kubectl.
import { readFileSync, writeFileSync } from 'node:fs';
import { load } from 'js-yaml';

const KINDS = {
  'io.k8s.api.core.v1': [
    'Namespace',
    'Pod',
    'Service',
    'ConfigMap',
    'Secret',
    'ServiceAccount',
    'Node',
    'Event',
    'PersistentVolumeClaim',
  ],
  'io.k8s.api.apps.v1': ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'],
  'io.k8s.api.batch.v1': ['Job'],
  'io.k8s.api.rbac.v1': ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
  'io.k8s.api.coordination.v1': ['Lease'],
};
const OVERLAYS = [
  ['kubectl/testdata/openapi/swagger.json', (doc) => doc.definitions],
  ['client-go/openapi/openapitest/testdata/api__v1_openapi.json', (doc) => doc.components.schemas],
  ['kubectl/testdata/openapi/v3/api/v1.json', (doc) => doc.components.schemas],
  ['kubectl/testdata/openapi/v3/apis/apps/v1.json', (doc) => doc.components.schemas],
];
const OPAQUE = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const LEAVES = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string', format: 'quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', format: 'date-time' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { type: 'string', format: 'date-time' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': OPAQUE,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': OPAQUE,
};
const SCALARS = { string: 'string', numeric: 'integer', boolean: 'boolean' };

const [sourceDir, outFile] = process.argv.slice(2);
const goText = readFileSync(`${sourceDir}/client-go/applyconfigurations/internal/internal.go`, 'utf8');
const types = new Map(
  load(/typed\.YAMLObject\(`([\s\S]*?)`\)/.exec(goText)[1]).types.map((type) => [type.name, type]),
);
const overlays = OVERLAYS.map(([file, pick]) =>
  pick(JSON.parse(readFileSync(`${sourceDir}/${file}`, 'utf8'))),
);
const ref = (name) => ({ $ref: `#/definitions/${name}` });

function schemaOf(type) {
  if (type.namedType) return ref(type.namedType);
  if (type.scalar) return { type: SCALARS[type.scalar] ?? 'string' };
  if (type.list) {
    const { elementType, elementRelationship, keys } = type.list;
    const schema = { type: 'array', items: schemaOf(elementType) };
    if (elementRelationship === 'atomic') return { ...schema, 'x-kubernetes-list-type': 'atomic' };
    if (!keys) return { ...schema, 'x-kubernetes-list-type': 'set' };
    return { ...schema, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
  }
  const schema = { type: 'object' };
  if (type.map.fields) {
    schema.properties = Object.fromEntries(
      type.map.fields.map((field) => {
        const property = schemaOf(field.type);
        const meaningful =
          field.default !== undefined && field.default !== '' && typeof field.default !== 'object';
        return [field.name, meaningful ? { ...property, default: field.default } : property];
      }),
    );
  }
  if (type.map.elementType) schema.additionalProperties = schemaOf(type.map.elementType);
  if (type.map.elementRelationship === 'atomic') schema['x-kubernetes-map-type'] = 'atomic';
  return schema;
}

function overlay(name, schema) {
  for (const document of overlays) {
    const published = document[name];
    if (!published || !schema.properties) continue;
    const required = published.required?.filter((key) => schema.properties[key]);
    if (required?.length) schema.required = required;
    for (const [key, property] of Object.entries(published.properties ?? {})) {
      const mine = schema.properties[key];
      if (!mine) continue;
      for (const word of ['enum', 'x-kubernetes-patch-merge-key', 'x-kubernetes-patch-strategy']) {
        if (property[word] !== undefined) mine[word] = property[word];
      }
      if (['integer', 'number'].includes(property.type) && mine.type) {
        mine.type = property.type;
        if (property.format) mine.format = property.format;
      }
      if (property.format === 'byte' || property.additionalProperties?.format === 'byte') {
        Object.assign(mine.additionalProperties ?? mine, { format: 'byte' });
      }
    }
  }
  return schema;
}

const definitions = {};
function visit(name) {
  if (definitions[name]) return;
  const type = types.get(name);
  if (!LEAVES[name] && !type) throw new Error(`the apply schema lacks ${name}`);
  definitions[name] = LEAVES[name] ?? overlay(name, schemaOf(type));
  for (const [, next] of JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g))
    visit(next);
}
for (const [group, kinds] of Object.entries(KINDS)) for (const kind of kinds) visit(`${group}.${kind}`);

// A definition a line: small, and a newer version shows as a readable diff.
const lines = Object.keys(definitions)
  .sort()
  .map((name) => `${JSON.stringify(name)}:${JSON.stringify(definitions[name])}`);
writeFileSync(outFile, `{\n${lines.join(',\n')}\n}\n`);
