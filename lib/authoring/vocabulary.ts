import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaPaths, type TargetManifest, type VerbName } from '../catalog/index.js';
import { packageRoot } from '../package/index.js';

/** The words that a descriptor may hold, as its schema lists them. Their order is the schema's. */
export interface Vocabulary {
  families: readonly TargetManifest['family'][];
  invocations: readonly TargetManifest['invocation'][];
  workloads: readonly TargetManifest['workload'][];
  successes: readonly TargetManifest['success_status'][];
  servingSources: readonly TargetManifest['serving_config_source'][];
  verbs: readonly VerbName[];
}

let cached: Vocabulary | undefined;

export function vocabulary(): Vocabulary {
  cached ??= read();
  return cached;
}

function read(): Vocabulary {
  const { properties } = JSON.parse(readFileSync(join(packageRoot, schemaPaths.target), 'utf8')) as {
    properties: Record<string, { enum?: string[]; required?: string[] }>;
  };
  return {
    families: properties.family?.enum ?? [],
    invocations: properties.invocation?.enum ?? [],
    workloads: properties.workload?.enum ?? [],
    successes: properties.success_status?.enum ?? [],
    servingSources: properties.serving_config_source?.enum ?? [],
    verbs: properties.verbs?.required ?? [],
  } as Vocabulary;
}
