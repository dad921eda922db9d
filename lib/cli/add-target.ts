import { relative, resolve } from 'node:path';
import {
  type AddedTarget,
  addTarget,
  catalogAt,
  DECISION_MARK,
  findHome,
  type TargetRequest,
} from '../authoring/index.js';
import { Failure } from '../failure/index.js';
import { type AskAboutTarget, askForTarget } from './add-target-questions.js';

/** The options of add-target, as both shells give them. */
export interface AddTargetFlags extends Omit<TargetRequest, 'name' | 'aliases' | 'verbs'> {
  alias?: string[];
  verb?: string[];
  into?: string;
  yes?: boolean;
}

export interface AddTargetContext {
  cwd: string;
  targetDirs: readonly string[];
  /** Asks a person; undefined where nobody can be asked. */
  ask: AskAboutTarget | undefined;
}

/** Adds a target and returns what to print. */
export async function runAddTarget(
  name: string | undefined,
  { alias, verb, into, yes, ...flags }: AddTargetFlags,
  { cwd, targetDirs, ask }: AddTargetContext,
): Promise<string> {
  const home = findHome(cwd, into === undefined ? undefined : resolve(cwd, into));
  const given: Partial<TargetRequest> = {
    ...flags,
    ...(name === undefined ? {} : { name }),
    ...(alias ? { aliases: alias } : {}),
    ...(verb ? { verbs: verb } : {}),
  };
  if (ask && !yes) {
    const request = await askForTarget(given, catalogAt(home, targetDirs), ask);
    return report(await addTarget(home, request, targetDirs), cwd);
  }
  if (name === undefined) {
    throw new Failure({
      what: 'the name of the target is missing, and there is no terminal to ask on',
      next: 'mlcc add-target NAME --family FAMILY',
      exit: 2,
    });
  }
  return report(await addTarget(home, { ...given, name }, targetDirs), cwd);
}

const HOMES = { generator: 'the generator', project: 'the project', pack: 'the pack' } as const;

function report(added: AddedTarget, cwd: string): string {
  const { home, target, files, rerendered, decisions, warnings } = added;
  const folder = relative(cwd, home.dir) || '.';
  return [
    `${target}: a target of ${HOMES[home.kind]} ${folder}`,
    '',
    ...files.map((path) => `  new       ${path}`),
    ...rerendered.map((path) => `  rendered  ${path}`),
    ...(warnings.length > 0 ? ['', ...warnings.map((warning) => `  note: ${warning}`)] : []),
    '',
    `It works as it is. These are yours to decide (in the scripts marked with ${DECISION_MARK}):`,
    ...decisions.map((decision) => `  ${decision}`),
    '',
    'Next:',
    ...nextSteps(added).map((step) => `  ${step}`),
    '',
  ].join('\n');
}

function nextSteps({ home, target }: AddedTarget): string[] {
  switch (home.kind) {
    case 'generator':
      return ['npm run codegen      what derives from it in this repository', 'npm test'];
    case 'project':
      return [
        `do/deploy --target ${target} --dry-run`,
        `mlcc remove-target ${target}     takes it out again`,
      ];
    case 'pack':
      return [
        `mlcc new NAME --target ${target} --targets-dir ${home.dir}`,
        `export MLCC_TARGETS_PATH=${home.dir}     for every command`,
      ];
  }
}
