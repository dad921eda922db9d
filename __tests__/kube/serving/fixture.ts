import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '../../../lib/catalog/index.js';
import type { Failure } from '../../../lib/failure/index.js';
import { type KubeObject, renderServing, type ServingInput } from '../../../lib/kube/index.js';
import { packageRoot } from '../../../lib/package/index.js';
import { exportLine } from '../../../lib/shell/index.js';
import { pinByName } from '../run/fixture.js';

export const CATALOG = loadCatalog();

/** The targets that the renderer makes a workload for. */
export const TARGETS = CATALOG.targets
  .map(({ manifest }) => manifest)
  .filter(({ workload }) => workload !== 'none');

export const ACCELERATORS = readFileSync(
  join(packageRoot, 'templates', 'do', 'lib', 'accelerators.txt'),
  'utf8',
);

export const SETTINGS: Record<string, string> = {
  PROJECT_NAME: 'chat',
  MODEL_SERVER: 'vllm',
  MODEL_NAME: 'Qwen/Qwen3-0.6B',
  AWS_REGION: 'eu-central-1',
  INSTANCE_TYPE: 'ml.g5.2xlarge',
  ECR_IMAGE_URI: '111122223333.dkr.ecr.eu-central-1.amazonaws.com/chat:1.0',
};

export interface ServingOverrides {
  settings?: Record<string, string | undefined>;
  overrides?: Record<string, string>;
  engine?: string;
  profile?: string;
}

/** Input for a target by its workload, so that no test names a target. */
export function servingInput(
  workload: 'deployment' | 'inference-endpoint-config',
  given: ServingOverrides = {},
): ServingInput {
  const target = TARGETS.find((each) => each.workload === workload);
  const engine = CATALOG.engines.find(
    ({ manifest }) => manifest.engine === (given.engine ?? 'vllm'),
  )?.manifest;
  if (!target) throw new Error(`no target with ${workload}`);
  const settings = Object.entries({ ...SETTINGS, ...given.settings });
  const lines = settings.flatMap(([key, value]) => (value === undefined ? [] : [exportLine(key, value)]));
  return {
    config: { file: 'do/config', text: `${lines.join('\n')}\n` },
    overrides: new Map(Object.entries(given.overrides ?? {})),
    target,
    ...(engine ? { engine } : {}),
    accelerators: ACCELERATORS,
    ...(given.profile === undefined ? {} : { profile: { file: 'profile.toml', text: given.profile } }),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into objects of several kinds
export type Looked = KubeObject & Record<string, any>;

export async function deployment(
  given?: ServingOverrides,
): Promise<{ config: Looked; workload: Looked; service: Looked; pod: Looked; server: Looked }> {
  const [config, workload, service] = (await renderServing(
    servingInput('deployment', given),
    pinByName,
  )) as Looked[];
  if (!config || !workload || !service) throw new Error('an object is missing');
  const pod = workload.spec.template.spec;
  return { config, workload, service, pod, server: pod.containers[0] };
}

export async function endpointConfig(given?: ServingOverrides): Promise<Looked> {
  const objects = await renderServing(servingInput('inference-endpoint-config', given), pinByName);
  if (objects.length !== 1 || !objects[0]) throw new Error('one object is expected');
  return objects[0];
}

export async function servingFaults(
  workload: 'deployment' | 'inference-endpoint-config',
  given: ServingOverrides,
): Promise<readonly string[]> {
  try {
    await renderServing(servingInput(workload, given), () => {
      throw new Error('an image was looked up before the input was checked');
    });
    return [];
  } catch (error) {
    if ((error as Failure).exit !== 2) throw error;
    return (error as Failure).why;
  }
}

export const ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:x-AbCdEf';
export const WORKLOADS = [...new Set(TARGETS.map(({ workload }) => workload))] as (
  | 'deployment'
  | 'inference-endpoint-config'
)[];

/** The container's environment, wherever its variables stand. */
export function environmentSeen(objects: readonly Looked[]): Record<string, unknown> {
  const container = objects
    .map(({ spec }) => spec?.template?.spec.containers[0] ?? spec?.worker)
    .find(Boolean);
  const entries: { name: string; value?: string; valueFrom?: unknown }[] =
    container.env ?? container.environmentVariables ?? [];
  const literals = Object.fromEntries(
    entries.map(({ name, value, valueFrom }) => [name, value?.replaceAll('$$', '$') ?? valueFrom]),
  );
  // A ConfigMap's values are not expanded; entries of the container win over it.
  return { ...objects.find(({ kind }) => kind === 'ConfigMap')?.data, ...literals };
}

export async function environmentOf(
  workload: (typeof WORKLOADS)[number],
  given: Parameters<typeof servingInput>[1],
) {
  return environmentSeen((await renderServing(servingInput(workload, given), pinByName)) as Looked[]);
}
