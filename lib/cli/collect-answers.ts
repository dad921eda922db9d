import { type Catalog, hint, type Target } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import {
  type Answers,
  allOptions,
  answerFaults,
  checkProjectName,
  chosenTarget,
  type ProjectOption,
  projectOptions,
  resolveAnswers,
} from '../project/index.js';
import { nameQuestion, type Question, question, targetQuestion } from './questions.js';

export interface GivenAnswers {
  /** Name of the project, where the command line has one. */
  name: string | undefined;
  /** Values of project options by flag. */
  flags: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Contents of an answers file. */
  file: Answers;
  /** Name to propose when none is given. */
  proposedName?: string;
  /** Whether defaults are taken without asking. */
  yes: boolean;
  /** Asks a person; undefined where nobody can be asked. */
  ask: ((questions: Question[]) => Promise<Record<string, string>>) | undefined;
}

/**
 * Brings together what flags, environment, answers file and a person say, in this order of precedence. Defaults are
 * added by render(). Throws a usage Failure that names every option that is missing when nobody can be asked.
 */
export async function collectAnswers(catalog: Catalog, given: GivenAnswers): Promise<Answers> {
  const ask = given.yes ? undefined : given.ask;
  const name = given.name ?? given.file.projectName ?? (given.yes ? given.proposedName : undefined);
  if (name !== undefined) checkProjectName(name);

  // The target comes first: it decides which other options there are.
  const targetOption = optionCalled(catalog, 'deploymentTarget');
  const named = given.flags[targetOption.flag] ?? given.env[targetOption.env] ?? given.file.deploymentTarget;
  if (!ask) {
    const unasked = missing(given.yes, known(catalog, chosenTarget(catalog, answersNaming(named)), given));
    if (name === undefined || unasked.length > 0) throw nobodyToAsk(name, unasked);
  }
  const projectName = name ?? (await ask?.([nameQuestion(given.proposedName)]))?.projectName ?? '';
  const chosen = named ?? (await ask?.([targetQuestion(catalog, targetOption)]))?.[targetOption.answer];
  const target = chosenTarget(catalog, answersNaming(chosen));

  const { answers, options } = known(catalog, target, given);
  const own = { ...answers, projectName, deploymentTarget: target.manifest.target };
  const open = missing(given.yes, { answers: own, options });
  if (!ask || open.length === 0) return own;
  resolveAnswers(catalog, own); // what was given is checked before anybody types the rest
  const questions = open.map((option) => {
    const { answer } = option;
    return question(option, own, (reply) => answerFaults(catalog, target, { [answer]: reply }).get(answer));
  });
  return { ...own, ...(await ask(questions)) };
}

const answersNaming = (target: string | undefined): Answers => (target ? { deploymentTarget: target } : {});

function optionCalled(catalog: Catalog, answer: string): ProjectOption {
  const option = allOptions(catalog).find((candidate) => candidate.answer === answer);
  if (!option) throw new Error(`no option for the answer ${answer}`);
  return option;
}

interface KnownAnswers {
  answers: Record<string, string>;
  options: readonly ProjectOption[];
}

/** What flags, environment and file say about the options of one target. */
function known(catalog: Catalog, target: Target, { flags, env, file }: GivenAnswers): KnownAnswers {
  const options = projectOptions(catalog, target);
  const ownFlags = options.map(({ flag }) => flag);
  for (const flag of Object.keys(flags)) {
    if (!ownFlags.includes(flag)) throw foreignFlag(catalog, target, flag, ownFlags);
  }
  const answers: Record<string, string> = { ...file };
  for (const { flag, env: variable, answer } of options) {
    const value = flags[flag] ?? env[variable];
    if (value !== undefined) answers[answer] = value;
  }
  return { answers, options };
}

/** The options that a person would be asked for. */
function missing(yes: boolean, { answers, options }: KnownAnswers): ProjectOption[] {
  if (yes) return [];
  return options.filter(({ prompt, answer }) => prompt && answers[answer] === undefined);
}

function foreignFlag(catalog: Catalog, target: Target, flag: string, known: readonly string[]): Failure {
  const owners = allOptions(catalog).find((option) => option.flag === flag)?.targets ?? [];
  return new Failure({
    what: `--${flag} is not a setting of the target ${target.manifest.target}${hint(flag, known)}`,
    why: `it belongs to: ${owners.join(', ')}`,
    next: 'leave it out, or choose another --target',
    exit: 2,
  });
}

function nobodyToAsk(name: string | undefined, unasked: readonly ProjectOption[]): Failure {
  return new Failure({
    what: 'there is no terminal to ask on, and answers are missing',
    why: [
      ...(name === undefined ? ['<name>: the name of the project'] : []),
      ...unasked.map(({ flag, description }) => `--${flag}: ${description}`),
    ],
    next:
      name === undefined
        ? 'give the name, and --yes to take the defaults'
        : 'give them, or --yes to take the defaults',
    exit: 2,
  });
}
