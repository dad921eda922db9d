import { type Catalog, findTarget, lifecycleOf, shellVarToAnswer } from '../catalog/index.js';
import { parseConfig } from '../config/index.js';
import { type Answers, defaultOf } from '../project/index.js';

export interface CurrentAnswers {
  answers: Answers;
  /** What was understood under an old name, and template-owned settings that a person changed, as lines for the report. */
  notes: readonly string[];
}

/**
 * The answers of a project: the stored ones, overlaid with what a person changed in do/config since the last render. A
 * runtime-owned value is no answer any more: the disk has it.
 */
export function currentAnswers(
  catalog: Catalog,
  stored: Answers,
  config: { base: string | undefined; mine: string | undefined },
): CurrentAnswers {
  const answers: Record<string, string> = { ...stored };
  const notes: string[] = [];
  const mine = parseConfig(config.mine ?? '');
  const base = parseConfig(config.base ?? '');
  const names = shellVarToAnswer(catalog);
  const target = findTarget(catalog, stored.deploymentTarget ?? '');
  // Without the last render, what is neither an answer nor a default counts as changed.
  const known = (variable: string, answer: string): string | undefined =>
    stored[answer] ?? (target && defaultOf(catalog, target, variable));
  for (const [variable, value] of mine.values()) {
    const answer = Object.hasOwn(names, variable) ? names[variable] : undefined;
    if (answer === undefined || lifecycleOf(catalog, variable) !== 'template-owned') continue;
    const today = spelling(catalog, variable, answer);
    if (today !== variable) {
      if (value === '' || mine.get(today)) continue;
      notes.push(`${variable} is called ${today} now; its value was taken over`);
    } else {
      if ((config.base === undefined ? known(variable, answer) : base.get(variable)) === value) continue;
      if (answers[answer] === value) continue;
      notes.push(`${variable} was changed in do/config; it is an answer now`);
    }
    answers[answer] = value;
  }
  const chosen = findTarget(catalog, answers.deploymentTarget ?? '')?.manifest.target;
  if (chosen !== undefined && chosen !== answers.deploymentTarget) {
    notes.push(`the target ${answers.deploymentTarget} is called ${chosen} now`);
    answers.deploymentTarget = chosen;
  }
  return { answers, notes };
}

/** The variable that stands for an answer today: among the shared ones that do, the one that has a flag. */
function spelling(catalog: Catalog, variable: string, answer: string): string {
  if (catalog.variables[variable]?.answer !== answer) return variable;
  const sharing = Object.entries(catalog.variables).filter(([, declared]) => declared.answer === answer);
  return (sharing.find(([, declared]) => declared.flag) ?? sharing[0])?.[0] ?? variable;
}

/** Defaults that are others than at the last render, and that this project does not follow. */
export function changedDefaults(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  answers: Answers,
): string[] {
  return Object.entries(now)
    .filter(([answer, value]) => (before[answer] ?? value) !== value && answers[answer] !== value)
    .map(
      ([answer, value]) =>
        `the default of ${answer} is "${value}" now; this project keeps "${answers[answer] ?? ''}"`,
    );
}
