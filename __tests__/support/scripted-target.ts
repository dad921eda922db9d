import { buildCatalog, builtInSources, type Catalog, orThrow } from '../../lib/catalog/index.js';

export interface ScriptedTarget {
  name: string;
  tag: string;
  family?: 'sagemaker-endpoint' | 'sagemaker-job' | 'kubernetes';
  aliases?: readonly string[];
}

/** What the scripted target's functions do at each point: see `scriptedCatalog`. */
export type Behaviour = Readonly<Record<string, string>>;

const SUCCESS = {
  'sagemaker-endpoint': ['InService', 'component', 'none'],
  'sagemaker-job': ['Completed', 'job', 'none'],
  kubernetes: ['Running', 'pod', 'deployment'],
} as const;

/**
 * The built-in catalogue and targets whose scripts do what a test says: every function appends its name, the image and
 * SIZE to the file `$CALLS`, then runs the shell text in `$ON_<FUNCTION>` (preflight, deploy, update, clean).
 * Each target requires SIZE and PLACE and has the optional COLOUR (default red).
 */
export function scriptedCatalog(targets: readonly ScriptedTarget[]): Catalog {
  const sources = builtInSources();
  return orThrow(buildCatalog({ ...sources, targets: [...sources.targets, ...targets.map(folderOf)] }));
}

function folderOf({ name, tag, family = 'sagemaker-endpoint', aliases = [] }: ScriptedTarget) {
  const [success_status, invocation, workload] = SUCCESS[family];
  const status_var = `DEPLOYMENT_TARGET_${tag}_STATUS`;
  const manifest = {
    target: name,
    summary: 'a target whose scripts do what the test says',
    aliases,
    status_var,
    answer_key: `deploymentTarget${tag.charAt(0)}${tag.slice(1).toLowerCase()}Status`,
    success_status,
    family,
    invocation,
    workload,
    sagemaker_endpoint: family === 'sagemaker-endpoint',
    deploy_script: `deploy.d/${name}`,
    clean_script: `clean.d/${name}`,
    required_vars: ['SIZE', 'PLACE'],
    optional_vars: { COLOUR: 'red', NOTE: '' },
    runtime_owned_vars: ['STATUS', 'ENDPOINT', 'IMAGE', 'PREVIOUS_IMAGE'].map((what) =>
      status_var.replace('STATUS', what),
    ),
    serving_config_source: family === 'kubernetes' ? 'kubernetes' : 'sagemaker-ic',
    verbs: { benchmark: false, optimize: false, adapter: false, 'add-ic': false, ci: false, draft: false },
    params: {
      SIZE: { flag: 'size', prompt: 'How large', pattern: '^[1-9][0-9]*$', description: 'A whole number.' },
      PLACE: { flag: 'place', prompt: 'Where', description: 'A place.' },
      COLOUR: { flag: 'colour', prompt: 'Which colour', enum: ['red', 'green'], description: 'A colour.' },
      NOTE: { flag: 'note', description: 'A remark.' },
    },
  };
  const file = (contents: string, executable = false) => ({ contents, executable });
  return {
    name,
    location: `test/${name}`,
    origin: 'pack' as const,
    files: new Map([
      ['manifest.json', file(`${JSON.stringify(manifest, null, 2)}\n`)],
      ['deploy', file(['#!/bin/bash', ...functions('preflight', 'deploy', 'update')].join('\n'), true)],
      ['clean', file(['#!/bin/bash', ...functions('clean')].join('\n'), true)],
    ]),
  };
}

function functions(...names: readonly string[]): string[] {
  return names.flatMap((name) => [
    `target_${name}() {`,
    `  if [[ $DRY_RUN == yes ]]; then printf 'would ${name} %s\\n' "$_TARGET"; _record ENDPOINT dry; return; fi`,
    `  printf '%s %s %s %s %s\\n' ${name} "$_TARGET" "\${ECR_IMAGE_URI:-none}" "\${SIZE:-none}" "\${COLOUR:-none}" >>"$CALLS"`,
    `  eval "\${ON_${name.toUpperCase()}:-}"`,
    '}',
  ]);
}
