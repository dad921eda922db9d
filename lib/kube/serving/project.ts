import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure/index.js';
import { readSourceFile } from '../source-file.js';
import type { ServingEngine, ServingInput, ServingTarget } from './input.js';
import { Settings } from './settings.js';

const OVERRIDE_PREFIX = 'MLCC_SET_';

export interface ServingProjectOptions {
  /** Canonical name of the target; absent: the project's active one. */
  target?: string;
  /** Path of a profile. */
  profile?: string;
  /** Where one-shot settings (`MLCC_SET_<NAME>`) and a region that the config leaves open are looked up. */
  env: NodeJS.ProcessEnv;
}

/** Reads what a serving workload is rendered from: a project's `do/` folder, and a profile where one is named. */
export function readServingProject(
  folder: string,
  { target, profile, env }: ServingProjectOptions,
): ServingInput {
  const config = readSourceFile(join(folder, 'do', 'config'));
  const overrides = new Map(
    Object.entries(env).flatMap(([name, value]): [string, string][] =>
      name.startsWith(OVERRIDE_PREFIX) ? [[name.slice(OVERRIDE_PREFIX.length), value ?? '']] : [],
    ),
  );
  const bare = new Settings({
    config,
    overrides,
    target: { target: '', status_var: '', workload: 'none', sagemaker_endpoint: false, optional_vars: {} },
  });
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (bare.get('AWS_REGION') === '' && region) overrides.set('AWS_REGION', region);
  const name = target ?? bare.get('DEPLOYMENT_TARGET');
  const engine = bare.get('MODEL_SERVER');
  const engineFile = join(folder, 'do', 'serve.d', engine, 'manifest.json');
  return {
    config,
    overrides,
    target: readTarget(join(folder, 'do', 'targets.d'), name),
    ...(engine !== '' && existsSync(engineFile) ? { engine: readDescriptor<ServingEngine>(engineFile) } : {}),
    accelerators: readSourceFile(join(folder, 'do', 'lib', 'accelerators.txt')).text,
    ...(profile === undefined ? {} : { profile: readSourceFile(profile) }),
  };
}

/** The descriptor of a target by its name or an alias. */
function readTarget(folder: string, name: string): ServingTarget {
  const direct = join(folder, name, 'manifest.json');
  if (existsSync(direct)) return readDescriptor(direct);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const files = names.map((each) => join(folder, each, 'manifest.json')).filter((file) => existsSync(file));
  const found = files.map((file) => readDescriptor<ServingTarget & { aliases?: string[] }>(file));
  const aliased = found.find(({ aliases = [] }) => aliases.includes(name));
  if (aliased) return aliased;
  throw new Failure({
    what: `the project has no target \`${name}\``,
    why: `${folder} has ${found.map(({ target }) => target).join(', ') || 'none'}`,
    exit: 2,
  });
}

function readDescriptor<T>(file: string): T {
  const { text } = readSourceFile(file);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Failure({ what: `${file} is not JSON`, why, next: 'mlcc check', exit: 2, cause });
  }
}
