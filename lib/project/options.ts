import {
  type Catalog,
  camelCase,
  findTarget,
  type Param,
  paramOf,
  type Target,
  variablesOf,
} from '../catalog/index.js';

/** One setting of a new project: its flag, prompt, environment variable, answer and do/config variable are one thing. */
export interface ProjectOption {
  /** Key among the answers, in an answers file and in .yo-rc.json. */
  answer: string;
  /** Variable in do/config. */
  variable: string;
  /** Flag without dashes. */
  flag: string;
  /** Environment variable that stands for the flag. */
  env: string;
  /** The question; absent: never asked, only a flag. */
  prompt?: string;
  description: string;
  pattern?: string;
  enum?: readonly string[];
  default: string;
  /** Answer whose value is the default, where there is no other. */
  defaultFrom?: string;
}

/** The variable whose value says which options there are. */
const TARGET_VARIABLE = 'DEPLOYMENT_TARGET';
const ENGINE_VARIABLE = 'MODEL_SERVER';

/**
 * The options of a project for one target, in the order in which they are asked:
 * what every project has, then what the target adds.
 */
export function projectOptions(catalog: Catalog, target: Target): ProjectOption[] {
  const own = variablesOf(target).filter(
    (name) => catalog.variables[name] === undefined || target.manifest.params?.[name],
  );
  const shared = Object.keys(catalog.variables).filter(
    (name) => catalog.variables[name]?.flag && !own.includes(name),
  );
  return [...shared, ...own].flatMap((variable) => {
    const param = paramOf(catalog, target, variable);
    return param?.flag ? [toOption(catalog, target, variable, { ...param, flag: param.flag })] : [];
  });
}

/** Every flag of every target once, for the parser and for help: a flag's meaning is the same wherever it occurs. */
export function allOptions(catalog: Catalog): (ProjectOption & { targets: readonly string[] })[] {
  const byFlag = new Map<string, ProjectOption & { targets: string[] }>();
  for (const target of catalog.targets) {
    for (const option of projectOptions(catalog, target)) {
      const known = byFlag.get(option.flag);
      if (known) known.targets.push(target.manifest.target);
      else byFlag.set(option.flag, { ...option, targets: [target.manifest.target] });
    }
  }
  return [...byFlag.values()];
}

/** What stands for an option that nobody answered, given the other answers. */
export function proposed(option: ProjectOption, answers: Readonly<Record<string, string>>): string {
  return option.default || (option.defaultFrom === undefined ? '' : (answers[option.defaultFrom] ?? ''));
}

/** Every answer that an answers file may hold. */
export function knownAnswers(catalog: Catalog): string[] {
  const options = catalog.targets.flatMap((target) => projectOptions(catalog, target));
  return [...new Set(['projectName', ...options.map(({ answer }) => answer)])];
}

/** The target that is scaffolded when nobody says otherwise. */
export function defaultTarget(catalog: Catalog): string {
  const name = catalog.variables[TARGET_VARIABLE]?.default ?? '';
  return (findTarget(catalog, name) ?? catalog.targets[0])?.manifest.target ?? '';
}

/** The value of a variable that nobody set: the target's default, else the shared one. */
export function defaultOf(catalog: Catalog, target: Target, variable: string): string {
  return target.manifest.optional_vars[variable] ?? catalog.variables[variable]?.default ?? '';
}

/** The default of every option of a target, by answer. */
export function defaultAnswers(catalog: Catalog, target: Target): Record<string, string> {
  return Object.fromEntries(projectOptions(catalog, target).map((option) => [option.answer, option.default]));
}

/** The key of a variable among the answers. */
export function answerOf(catalog: Catalog, variable: string): string {
  return catalog.variables[variable]?.answer ?? camelCase(variable);
}

function toOption(
  catalog: Catalog,
  target: Target,
  variable: string,
  param: Param & { flag: string },
): ProjectOption {
  const choices = choicesOf(catalog, variable);
  return {
    answer: answerOf(catalog, variable),
    variable,
    flag: param.flag,
    env: `MLCC_${param.flag.toUpperCase().replaceAll('-', '_')}`,
    description: param.description,
    default: variable === TARGET_VARIABLE ? defaultTarget(catalog) : defaultOf(catalog, target, variable),
    ...(param.default_from === undefined ? {} : { defaultFrom: answerOf(catalog, param.default_from) }),
    ...(param.prompt === undefined ? {} : { prompt: param.prompt }),
    ...(param.pattern === undefined ? {} : { pattern: param.pattern }),
    ...((choices ?? param.enum) ? { enum: choices ?? param.enum } : {}),
  } as ProjectOption;
}

function choicesOf(catalog: Catalog, variable: string): string[] | undefined {
  if (variable === TARGET_VARIABLE) return catalog.targets.map(({ manifest }) => manifest.target);
  if (variable === ENGINE_VARIABLE) return catalog.engines.map(({ manifest }) => manifest.engine);
  return undefined;
}
