import { badValue, type Cause, required } from '../api-error.js';
import { type JsonObject, listAt, valueAt } from '../json.js';
import { isLabel } from './names.js';
import { quantity } from './quantity.js';

const ENV_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** Rules of a Pod's spec that its schema cannot say. */
export function checkPodSpec(spec: JsonObject, field: string): Cause[] {
  const containers = listAt(spec, 'containers');
  const causes: Cause[] = containers.length === 0 ? [required(`${field}.containers`)] : [];
  const names = new Set<string>();
  const volumes = new Set(listAt(spec, 'volumes').map((volume) => String(volume.name)));
  for (const [list, items] of [
    ['containers', containers],
    ['initContainers', listAt(spec, 'initContainers')],
  ] as const) {
    items.forEach((container, index) => {
      const at = `${field}.${list}[${index}]`;
      const name = String(container.name ?? '');
      if (names.has(name)) causes.push(duplicate(`${at}.name`, name));
      names.add(name);
      causes.push(...checkContainer(container, at, volumes));
    });
  }
  causes.push(...checkVolumes(spec, field));
  return causes;
}

const duplicate = (field: string, value: unknown): Cause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${JSON.stringify(value)}`,
  field,
});

function checkContainer(container: JsonObject, at: string, volumes: ReadonlySet<string>): Cause[] {
  const causes: Cause[] = [];
  const name = String(container.name ?? '');
  if (!isLabel(name)) causes.push(badValue(`${at}.name`, name, 'a lowercase RFC 1123 label is required'));
  const image = container.image;
  if (!image) causes.push(required(`${at}.image`));
  else if (/^\s|\s$/.test(String(image))) {
    causes.push(badValue(`${at}.image`, image, 'must not have leading or trailing whitespace'));
  }
  causes.push(...listAt(container, 'env').flatMap((entry, index) => checkEnv(entry, `${at}.env[${index}]`)));
  causes.push(
    ...listAt(container, 'ports').flatMap((port, index) => checkPort(port, `${at}.ports[${index}]`)),
  );
  const paths = new Set<string>();
  listAt(container, 'volumeMounts').forEach((mount, index) => {
    const mountAt = `${at}.volumeMounts[${index}]`;
    if (!volumes.has(String(mount.name))) {
      causes.push({
        reason: 'FieldValueNotFound',
        message: `Not found: ${JSON.stringify(mount.name)}`,
        field: `${mountAt}.name`,
      });
    }
    const path = String(mount.mountPath ?? '');
    if (!path) causes.push(required(`${mountAt}.mountPath`));
    if (paths.has(path)) causes.push(badValue(`${mountAt}.mountPath`, path, 'must be unique'));
    paths.add(path);
  });
  causes.push(...checkResources(container, `${at}.resources`));
  return causes;
}

function checkEnv(entry: JsonObject, at: string): Cause[] {
  const name = String(entry.name ?? '');
  const causes: Cause[] = [];
  if (!name) causes.push(required(`${at}.name`));
  else if (!ENV_NAME.test(name)) {
    causes.push(
      badValue(
        `${at}.name`,
        name,
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
      ),
    );
  }
  if (entry.valueFrom !== undefined) {
    if (entry.value)
      causes.push(badValue(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    const sources = Object.keys(entry.valueFrom as JsonObject).length;
    if (sources !== 1)
      causes.push(
        badValue(
          `${at}.valueFrom`,
          '',
          'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
        ),
      );
    for (const source of ['secretKeyRef', 'configMapKeyRef']) {
      const reference = valueAt(entry, 'valueFrom', source) as JsonObject | undefined;
      if (reference && !reference.name) causes.push(required(`${at}.valueFrom.${source}.name`));
      if (reference && !reference.key) causes.push(required(`${at}.valueFrom.${source}.key`));
    }
  }
  return causes;
}

function checkPort(port: JsonObject, at: string): Cause[] {
  const causes: Cause[] = [];
  const number = Number(port.containerPort);
  if (!(number >= 1 && number <= 65535)) {
    causes.push(
      badValue(`${at}.containerPort`, port.containerPort, 'must be between 1 and 65535, inclusive'),
    );
  }
  const name = port.name;
  if (name !== undefined && (String(name).length > 15 || !PORT_NAME.test(String(name)))) {
    causes.push(
      badValue(`${at}.name`, name, 'must be no more than 15 lower case alphanumeric characters or "-"'),
    );
  }
  return causes;
}

function checkResources(container: JsonObject, at: string): Cause[] {
  const limits = (valueAt(container, 'resources', 'limits') ?? {}) as JsonObject;
  const requests = (valueAt(container, 'resources', 'requests') ?? {}) as JsonObject;
  const causes: Cause[] = [];
  for (const [list, amounts] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts)) {
      const isExtended = name.includes('/');
      if (!isExtended && !/^(cpu|memory|ephemeral-storage|hugepages-.+)$/.test(name)) {
        causes.push(badValue(`${at}.${list}`, name, 'must be a standard resource for containers'));
      }
      if (quantity(amount) < 0)
        causes.push(badValue(`${at}.${list}[${name}]`, amount, 'must be greater than or equal to 0'));
      if (isExtended && !Number.isInteger(quantity(amount))) {
        causes.push(badValue(`${at}.${list}[${name}]`, amount, 'must be an integer'));
      }
    }
  }
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit === undefined) {
      if (name.includes('/'))
        causes.push(required(`${at}.limits[${name}]`, 'Limit must be set for non overcommitable resources'));
    } else if (name.includes('/') && quantity(request) !== quantity(limit)) {
      causes.push(badValue(`${at}.requests`, request, `must be equal to ${name} limit of ${String(limit)}`));
    } else if (quantity(request) > quantity(limit)) {
      causes.push(
        badValue(
          `${at}.requests`,
          request,
          `must be less than or equal to ${name} limit of ${String(limit)}`,
        ),
      );
    }
  }
  return causes;
}

function checkVolumes(spec: JsonObject, field: string): Cause[] {
  const causes: Cause[] = [];
  const seen = new Set<string>();
  listAt(spec, 'volumes').forEach((volume, index) => {
    const at = `${field}.volumes[${index}]`;
    const name = String(volume.name ?? '');
    if (!isLabel(name)) causes.push(badValue(`${at}.name`, name, 'a lowercase RFC 1123 label is required'));
    if (seen.has(name)) causes.push(duplicate(`${at}.name`, name));
    seen.add(name);
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    if (sources.length > 1)
      causes.push({
        reason: 'FieldValueForbidden',
        message: 'Forbidden: may not specify more than 1 volume type',
        field: `${at}.${sources[1]}`,
      });
    for (const [source, items] of [
      ['configMap', listAt(volume, 'configMap', 'items')],
      ['secret', listAt(volume, 'secret', 'items')],
    ] as const) {
      items.forEach((item, i) => {
        const path = String(item.path ?? '');
        const itemAt = `${at}.${source}.items[${i}].path`;
        if (!path) causes.push(required(itemAt));
        if (path.startsWith('/')) causes.push(badValue(itemAt, path, 'must be a relative path'));
        if (path.split('/').includes('..')) causes.push(badValue(itemAt, path, "must not contain '..'"));
      });
    }
  });
  return causes;
}
