import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Catalog, Target } from '../catalog/index.js';
import { type ProjectOption, projectOptions } from './options.js';

/**
 * JSON Schema (2020-12) of the answers of one target. Whatever an answer comes from (flag, environment, prompt, answers file,
 * .yo-rc.json), this is what it is checked by.
 */
export function answersSchema(catalog: Catalog, target: Target): object {
  const options = projectOptions(catalog, target);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Answers of a ${target.manifest.target} project`,
    type: 'object',
    // An answer of no option belongs to another target of the same project, or to a person.
    additionalProperties: { type: 'string' },
    properties: {
      projectName: { type: 'string', description: catalog.variables.PROJECT_NAME?.description ?? '' },
      ...Object.fromEntries(options.map((option) => [option.answer, answerSchema(option)])),
    },
  };
}

/** Empty is allowed where the default is, or where deploy asks later. Of no choices (all engines deleted, say), none is allowed. */
function answerSchema({ description, default: initial, enum: allowed, pattern }: ProjectOption): object {
  return {
    type: 'string',
    description,
    default: initial,
    ...(allowed?.length === 0 ? { not: {} } : allowed ? { enum: allowed } : {}),
    ...(pattern ? { pattern: `^$|${pattern}` } : {}),
  };
}

/** What the schema says against some answers: at most one error for each, by answer. */
export function schemaErrors(
  catalog: Catalog,
  target: Target,
  answers: Readonly<Record<string, unknown>>,
): Map<string, ErrorObject> {
  const validate = validator(catalog, target);
  validate(answers);
  return new Map(validate.errors?.map((error) => [error.instancePath.slice(1), error]));
}

const compiled = new WeakMap<Catalog, Map<Target, ValidateFunction>>();

function validator(catalog: Catalog, target: Target): ValidateFunction {
  const known = compiled.get(catalog) ?? new Map<Target, ValidateFunction>();
  compiled.set(catalog, known);
  const validate =
    known.get(target) ??
    // To check the schema itself would cost more than all answers; that is for the tests.
    new Ajv2020({ allErrors: true, verbose: true, validateSchema: false }).compile(
      answersSchema(catalog, target),
    );
  known.set(target, validate);
  return validate;
}
