import type { Catalog } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { type Answers, checkProjectName, type ProjectOption, proposed } from '../project/index.js';

/** A question in the form that inquirer and Yeoman's prompt() both take. */
export interface Question {
  type: 'input' | 'select';
  name: string;
  message: string;
  default: string;
  choices?: readonly { name: string; value: string }[];
  validate?: (value: string) => true | string;
  theme: typeof THEME;
}

/** The line of help below a question goes when it is answered. */
const THEME = {
  style: {
    message: (text: string, status: string) => (status === 'done' ? (text.split('\n')[0] ?? '') : text),
  },
};

/** A question with one line of help below it. */
const withHelp = (text: string, help: string): string => `${text}\n  ${help}\n `;

/** What is said, and the exit code, when a person leaves a question with Control-C. */
export const STOPPED = 'stopped; nothing was written';
export const STOPPED_EXIT = 130;

export const isPromptStopped = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ExitPromptError';

/** Asks for the name of the project. */
export function nameQuestion(proposed: string | undefined): Question {
  const validate = (value: string): true | string => {
    try {
      checkProjectName(value);
      return true;
    } catch (failure) {
      return failure instanceof Failure ? [...failure.why, failure.next].join('; ') : String(failure);
    }
  };
  const message = withHelp(
    'Name of the project',
    'The folder is called like it, and resource names derive from it.',
  );
  return { type: 'input', name: 'projectName', message, default: proposed ?? '', validate, theme: THEME };
}

/** Asks for the target, with what each of them is. */
export function targetQuestion(catalog: Catalog, option: ProjectOption): Question {
  const choices = catalog.targets.map(({ manifest: { target, summary } }) => ({
    name: summary ? `${target} - ${summary}` : target,
    value: target,
  }));
  return { ...question(option, {}, () => undefined), choices };
}

/** Asks for one setting, given the answers so far. `faultOf` says what is wrong with a reply. */
export function question(
  option: ProjectOption,
  answers: Answers,
  faultOf: (reply: string) => string | undefined,
): Question {
  const { answer: name, prompt, description } = option;
  const common = {
    name,
    message: prompt === undefined ? description : withHelp(prompt, description),
    default: proposed(option, answers),
    theme: THEME,
  };
  if (option.enum) {
    return { ...common, type: 'select', choices: option.enum.map((value) => ({ name: value, value })) };
  }
  return { ...common, type: 'input', validate: (reply) => faultOf(reply) ?? true };
}
