import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile, type TargetManifest } from '../catalog/index.js';
import { packageRoot } from '../package/index.js';
import { vocabulary } from './vocabulary.js';

/** The facts of a descriptor that say what kind of target it is: they decide which scripts fit. */
export const KIND_FIELDS = ['family', 'invocation', 'workload'] as const;
export type Kind = Pick<TargetManifest, (typeof KIND_FIELDS)[number]>;

/** What a new target starts from: a descriptor without names, and two working scripts. */
export interface Stub
  extends Kind,
    Pick<
      TargetManifest,
      | 'success_status'
      | 'sagemaker_endpoint'
      | 'serving_config_source'
      | 'required_vars'
      | 'optional_vars'
      | 'verbs'
    > {
  summary: string;
  verb_guidance: NonNullable<TargetManifest['verb_guidance']>;
  params: NonNullable<TargetManifest['params']>;
  /** What the scripts keep under the target's own tag, besides the status. */
  records: readonly string[];
  /** Variables that the scripts write under a name that is not the target's own. */
  shared_records: readonly string[];
  deploy: string;
  clean: string;
}

let cached: readonly Stub[] | undefined;

/** The stubs of `templates/targets`, one for each kind, the most usual kind of a family first. */
export function stubs(): readonly Stub[] {
  cached ??= readStubs(join(packageRoot, 'templates', 'targets'));
  return cached;
}

function readStubs(root: string): Stub[] {
  const { families, invocations, workloads } = vocabulary();
  const rank = ({ family, invocation, workload }: Kind): number =>
    (families.indexOf(family) * invocations.length + invocations.indexOf(invocation)) * workloads.length +
    workloads.indexOf(workload);
  return readdirSync(root)
    .filter((name) => !name.startsWith('.'))
    .map((name): Stub => {
      const text = (file: string): string => readTextFile(join(root, name, file)).contents;
      const facts = JSON.parse(text('stub.json')) as Stub;
      return { ...facts, params: {}, shared_records: [], deploy: text('deploy'), clean: text('clean') };
    })
    .sort((a, b) => rank(a) - rank(b));
}
