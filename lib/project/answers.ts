import { type Catalog, findTarget, hint, type Target } from '../catalog/index.js';
import { configValueFault, secretKind } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { checkProjectName } from './names.js';
import { answerOf, defaultTarget, type ProjectOption, projectOptions, proposed } from './options.js';

/** What a person decided about a project: answer key -> value, always text. */
export type Answers = Readonly<Record<string, string>>;

/** JSON Schema (2020-12) of the answers of one target: what answers files and .yo-rc.json may hold. */
export function answersSchema(catalog: Catalog, target: Target): object {
  const options = projectOptions(catalog, target);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Answers of a ${target.manifest.target} project`,
    type: 'object',
    required: ['projectName'],
    additionalProperties: true,
    properties: {
      projectName: {
        type: 'string',
        maxLength: 63,
        description: catalog.variables.PROJECT_NAME?.description,
      },
      ...Object.fromEntries(
        options.map((option) => [
          option.answer,
          {
            type: 'string',
            description: option.description,
            default: option.default,
            ...(option.enum ? { enum: option.enum } : {}),
            ...(option.pattern ? { pattern: `^$|${option.pattern}` } : {}),
          },
        ]),
      ),
    },
  };
}

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
  checkProjectName(given.projectName ?? '');
  const target = chosenTarget(catalog, given);
  const answers: Record<string, string> = { ...given, deploymentTarget: target.manifest.target };
  for (const option of projectOptions(catalog, target)) answers[option.answer] ??= proposed(option, answers);
  const faults = answerFaults(catalog, target, answers);
  if (faults.length > 0) {
    const what =
      faults.length === 1 ? 'an answer is not allowed' : `${faults.length} answers are not allowed`;
    throw new Failure({ what, why: faults, next: 'give other values, or leave them out', exit: 2 });
  }
  return Object.fromEntries(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Why an answer is not allowed for an option, or undefined when it is. A text that may be a secret is never repeated. */
export function answerFault(option: ProjectOption | undefined, answer: unknown): string | undefined {
  return textFault(answer) ?? (option && valueFault(option, answer as string));
}

/** Empty is allowed where the default is, or where deploy asks later. */
function valueFault(
  { enum: allowed, pattern, description }: ProjectOption,
  value: string,
): string | undefined {
  if (allowed && !allowed.includes(value)) {
    return `found "${value}"; allowed: ${allowed.join(', ')}${hint(value, allowed)}`;
  }
  if (value !== '' && pattern && !new RegExp(pattern, 'u').test(value))
    return `found "${value}". ${description}`;
  return undefined;
}

function answerFaults(catalog: Catalog, target: Target, answers: Answers): string[] {
  const options = new Map(projectOptions(catalog, target).map((option) => [option.answer, option]));
  return Object.entries(answers).flatMap(([key, value]) => {
    const option = options.get(key);
    const fault = answerFault(option, value);
    return fault === undefined ? [] : [`${option ? `--${option.flag}` : key}: ${fault}`];
  });
}

function textFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return `found ${JSON.stringify(value)}; allowed: text`;
  const fault = configValueFault(value.replaceAll('\r', '\n')); // a carriage return ends a line, too
  if (fault) return fault;
  const secret = secretKind(value);
  if (secret) return `this looks like ${secret}; store it in AWS Secrets Manager and give its ARN`;
  return undefined;
}

/** The answer to a do/config variable. */
export const answerTo = (catalog: Catalog, answers: Answers, variable: string): string | undefined =>
  answers[answerOf(catalog, variable)];
