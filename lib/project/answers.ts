import type { ErrorObject } from 'ajv';
import { type Catalog, findTarget, hint, type Target } from '../catalog/index.js';
import { configValueFault, secretKind } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { schemaErrors } from './answers-schema.js';
import { checkProjectName } from './names.js';
import { allOptions, answerOf, defaultTarget, projectOptions, proposed } from './options.js';

/** What a person decided about a project: answer key -> value, always text. */
export type Answers = Readonly<Record<string, string>>;

/** The target that the answers choose, aliases included. Throws a usage Failure for an unknown one. */
export function chosenTarget(catalog: Catalog, given: Answers): Target {
  const name = given.deploymentTarget || defaultTarget(catalog);
  const target = findTarget(catalog, name);
  if (target) return target;
  const known = catalog.targets.flatMap(({ manifest }) => [manifest.target, ...manifest.aliases]);
  throw new Failure({
    what: `unknown target "${name}"${hint(name, known)}`,
    why: `known targets: ${catalog.targets.map(({ manifest }) => manifest.target).join(', ')}`,
    next: 'mlcc targets shows what each of them is',
    exit: 2,
  });
}

/**
 * Completes answers with defaults and checks every one of them. Answers that no option of this target asks for are kept:
 * they belong to another target of the same project, or to a person. Throws one usage Failure that lists all faults.
 */
export function resolveAnswers(catalog: Catalog, given: Answers): Answers {
  const flags = new Map(allOptions(catalog).map(({ answer, flag }) => [answer, `--${flag}`]));
  const named = (key: string, fault: string) => `${flags.get(key) ?? key}: ${fault}`;
  const noTexts = Object.entries(given).filter(([, value]) => typeof value !== 'string');
  refuse(noTexts.map(([key, value]) => named(key, `found ${JSON.stringify(value)}; allowed: text`)));
  checkProjectName(given.projectName ?? '');
  const target = chosenTarget(catalog, given);
  const answers: Record<string, string> = { ...given, deploymentTarget: target.manifest.target };
  for (const option of projectOptions(catalog, target)) answers[option.answer] ??= proposed(option, answers);
  refuse([...answerFaults(catalog, target, answers)].map(([key, fault]) => named(key, fault)));
  return Object.fromEntries(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Why answers are not allowed for a target, by answer. A text that may be a secret is never repeated. */
export function answerFaults(catalog: Catalog, target: Target, answers: Answers): Map<string, string> {
  const faults = new Map<string, string>();
  for (const [key, error] of schemaErrors(catalog, target, answers)) faults.set(key, describe(error));
  for (const [key, value] of Object.entries(answers)) {
    const fault = textFault(value);
    if (fault !== undefined) faults.set(key, fault);
  }
  return faults;
}

function describe({ keyword, data, parentSchema, params }: ErrorObject): string {
  const found = `found "${data}"`;
  if (keyword === 'not') return `${found}; there is nothing to choose from`;
  if (keyword !== 'enum') return `${found}. ${parentSchema?.description}`;
  const allowed: string[] = params.allowedValues;
  return `${found}; allowed: ${allowed.join(', ')}${hint(String(data), allowed)}`;
}

function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const what = faults.length === 1 ? 'an answer is not allowed' : `${faults.length} answers are not allowed`;
  throw new Failure({ what, why: faults, next: 'give other values, or leave them out', exit: 2 });
}

/** What no schema can say about a text. */
function textFault(value: string): string | undefined {
  const fault = configValueFault(value.replaceAll('\r', '\n')); // a carriage return ends a line, too
  if (fault) return fault;
  const secret = secretKind(value);
  if (secret) return `this looks like ${secret}; store it in AWS Secrets Manager and give its ARN`;
  return undefined;
}

/** The answer to a do/config variable. */
export const answerTo = (catalog: Catalog, answers: Answers, variable: string): string | undefined =>
  answers[answerOf(catalog, variable)];
