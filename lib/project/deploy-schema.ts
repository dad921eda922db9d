import { type Catalog, paramOf, type Target, variablesOf } from '../catalog/index.js';

/**
 * The copy of the descriptors that do/lib/python/deploy_schema.py falls back to when a descriptor is missing or damaged:
 * a Python assignment. It holds texts, lists and maps only, for which JSON is Python.
 */
export function deploySchemaFallback(catalog: Catalog): string {
  const entries = catalog.targets.map((target) => [target.manifest.target, fallbackOf(catalog, target)]);
  return `_FALLBACK = ${JSON.stringify(Object.fromEntries(entries), null, 4)}\n`;
}

function fallbackOf(catalog: Catalog, target: Target): object {
  const { summary, aliases, status_var, required_vars, optional_vars } = target.manifest;
  const params = variablesOf(target).flatMap((name) => {
    const param = paramOf(catalog, target, name);
    return param ? [[name, param]] : [];
  });
  return {
    summary: summary ?? '',
    aliases,
    status_var,
    required_vars,
    optional_vars,
    params: Object.fromEntries(params),
  };
}
