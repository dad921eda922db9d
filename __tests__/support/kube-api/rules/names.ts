import { badValue, type Cause } from '../api-error.js';
import type { ObjectMeta } from '../json.js';
import type { ApiResource } from '../resources.js';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const MAX_ANNOTATIONS = 256 * 1024;

export function isLabel(text: string): boolean {
  return text.length <= 63 && DNS_LABEL.test(text);
}

/** What is wrong with the name, labels and annotations of an object. */
export function checkMetadata(metadata: ObjectMeta, resource: ApiResource): Cause[] {
  return [
    ...checkName(metadata.name, resource),
    ...checkLabels(metadata.labels ?? {}, 'metadata.labels'),
    ...checkAnnotations(metadata.annotations ?? {}),
  ];
}

function checkName(name: string, resource: ApiResource): Cause[] {
  // RBAC names only have to be fit for a URL's path
  if (resource.group.startsWith('rbac.')) {
    return /^\.{1,2}$|[/%]/.test(name) ? [badValue('metadata.name', name, "may not contain '/' or '%'")] : [];
  }
  if (resource.kind === 'Service') {
    if (name.length <= 63 && DNS_LABEL_1035.test(name)) return [];
    return [
      badValue(
        'metadata.name',
        name,
        'a DNS-1035 label must consist of lower case alphanumeric characters or "-", start with a letter, and be at most 63 characters',
      ),
    ];
  }
  if (resource.kind === 'Namespace') {
    if (isLabel(name)) return [];
    return [
      badValue(
        'metadata.name',
        name,
        'a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "-", and be at most 63 characters',
      ),
    ];
  }
  if (name.length <= 253 && DNS_SUBDOMAIN.test(name)) return [];
  return [
    badValue(
      'metadata.name',
      name,
      'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "-" or ".", and be at most 253 characters',
    ),
  ];
}

function checkKey(key: string, field: string): Cause[] {
  const parts = key.split('/');
  const [name = '', prefix] = parts.reverse();
  const isGood =
    parts.length <= 2 &&
    name.length <= 63 &&
    QUALIFIED_PART.test(name) &&
    (prefix === undefined || (prefix.length <= 253 && DNS_SUBDOMAIN.test(prefix)));
  return isGood
    ? []
    : [badValue(field, key, 'name part must consist of alphanumeric characters, "-", "_" or "."')];
}

export function checkLabels(labels: Record<string, string>, field: string): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checkKey(key, field),
    ...(value.length > 63 ? [badValue(field, value, 'must be no more than 63 characters')] : []),
    ...(LABEL_VALUE.test(value)
      ? []
      : [
          badValue(
            field,
            value,
            'a valid label must be an empty string or consist of alphanumeric characters, "-", "_" or "."',
          ),
        ]),
  ]);
}

function checkAnnotations(annotations: Record<string, string>): Cause[] {
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return [
    ...Object.keys(annotations).flatMap((key) => checkKey(key.toLowerCase(), 'metadata.annotations')),
    ...(size > MAX_ANNOTATIONS
      ? [badValue('metadata.annotations', size, 'must have at most 262144 bytes')]
      : []),
  ];
}
