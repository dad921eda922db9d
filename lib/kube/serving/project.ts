import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEngineManifest, parseTargetManifest, type TargetManifest } from '../../catalog/index.js';
import { Failure } from '../../failure/index.js';
import { readSourceFile } from '../source-file.js';
import type { ServingInput } from './input.js';
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
    ...(engine !== '' && existsSync(engineFile)
      ? { engine: readDescriptor(engineFile, parseEngineManifest) }
      : {}),
    accelerators: readSourceFile(join(folder, 'do', 'lib', 'accelerators.txt')).text,
    ...(profile === undefined ? {} : { profile: readSourceFile(profile) }),
  };
}

/** The descriptor of a target by its name or an alias. */
function readTarget(folder: string, name: string): TargetManifest {
  const fileOf = (target: string) => join(folder, target, 'manifest.json');
  const names = existsSync(folder) ? readdirSync(folder).filter((each) => existsSync(fileOf(each))) : [];
  names.sort();
  if (names.includes(name)) return readDescriptor(fileOf(name), parseTargetManifest);
  const aliased = names.find((each) => aliasesIn(readSourceFile(fileOf(each)).text).includes(name));
  if (aliased !== undefined) return readDescriptor(fileOf(aliased), parseTargetManifest);
  throw new Failure({
    what: name === '' ? 'the project has no active target' : `the project has no target \`${name}\``,
    why: `${folder} has ${names.join(', ') || 'none'}`,
    next: 'name one of its targets with --target',
    exit: 2,
  });
}

/** Another target's descriptor may be damaged: it then has no aliases. */
function aliasesIn(text: string): unknown[] {
  try {
    const { aliases } = JSON.parse(text) as { aliases?: unknown };
    return Array.isArray(aliases) ? aliases : [];
  } catch {
    return [];
  }
}

function readDescriptor<T>(file: string, parse: (contents: string, file: string) => T): T {
  return parse(readSourceFile(file).text, file);
}
