import { AwsError } from '../aws-error.js';
import type { ServiceModel } from '../protocol/service-model.js';
import { problemsOf, validateInput } from '../protocol/validate.js';
import { aiOperations } from './ai-jobs.js';
import { clusterOperations } from './clusters.js';
import { componentOperations } from './components.js';
import { endpointConfigOperations } from './endpoint-configs.js';
import { endpointOperations } from './endpoints.js';
import { modelOperations } from './models.js';
import type { Context, Operations } from './operation.js';
import type { Json } from './resource.js';
import { tagOperations } from './tags.js';
import { transformJobOperations } from './transform-jobs.js';

export { endpointOperations } from './endpoints.js';
export { specifications } from './models.js';
export type { Context } from './operation.js';
export type { Plan } from './plans.js';
export type { Json, Kind, Resource } from './resource.js';
export { Resources } from './resources.js';

const operations: Operations = {
  ...modelOperations,
  ...endpointConfigOperations,
  ...endpointOperations,
  ...componentOperations,
  ...transformJobOperations,
  ...aiOperations,
  ...clusterOperations,
  ...tagOperations,
};

/** Whether the operation is carried out here, not by the emulator behind. */
export function ownsOperation(name: string): boolean {
  return Object.hasOwn(operations, name);
}

/** The names of all operations that are carried out here. */
export function ownedOperations(): string[] {
  return Object.keys(operations);
}

/** Carries out an operation: what goes in and what comes out is checked against the service's model. */
export async function runOperation(
  name: string,
  input: Json,
  model: ServiceModel,
  context: Context,
): Promise<Json> {
  const operation = operations[name];
  const description = model.operations[name];
  if (!operation || !description)
    throw new AwsError('UnknownOperationException', `unknown operation ${name}`);
  if (description.input) validateInput(model, description.input.shape, input);
  const output = await operation(input, context);
  if (description.output) {
    const problems = problemsOf(model, description.output.shape, output);
    if (problems.length > 0)
      throw new Error(`the answer of ${name} does not fit the model: ${problems.join('; ')}`);
  }
  return output;
}
