import { randomUUID } from 'node:crypto';
import { AsyncInferences } from './async-inferences.js';
import { AwsError } from './aws-error.js';
import { ACCOUNT } from './moto-client.js';
import { type Answer, answer } from './protocol/answer.js';
import { type AwsRequest, plainHeaders } from './protocol/request.js';
import type { ServiceModel } from './protocol/service-model.js';
import { problemsOf } from './protocol/validate.js';
import { type Context, type Json, type Resource, specifications } from './sagemaker/index.js';

/** Requests to endpoints: the data plane of SageMaker. */
export class Runtime {
  readonly inferences = new AsyncInferences();

  async handle(
    operation: string,
    request: AwsRequest,
    model: ServiceModel,
    context: Context,
  ): Promise<Answer> {
    const input = readInput(operation, request, model);
    const endpoint = servingEndpoint(String(input.EndpointName), context);
    if (operation === 'InvokeEndpoint') return invoke(endpoint, input, request.body, context);
    if (operation === 'InvokeEndpointAsync') return this.#invokeAsync(endpoint, input, context);
    throw validationError(`${operation} is not supported by this endpoint.`);
  }

  #invokeAsync(endpoint: Resource, input: Json, context: Context): Answer {
    const output = asyncOutput(endpoint, context);
    if (!output)
      throw validationError(`Endpoint ${endpoint.name} is not an asynchronous inference endpoint.`);
    const id = String(input.InferenceId ?? randomUUID());
    const file = randomUUID();
    const inference = {
      endpoint: endpoint.name,
      id,
      input: String(input.InputLocation),
      contentType: String(input.ContentType ?? 'application/octet-stream'),
      output: `${withSlash(String(output.S3OutputPath))}${file}.out`,
      failure:
        output.S3FailurePath === undefined
          ? undefined
          : `${withSlash(String(output.S3FailurePath))}${file}-error.out`,
      notify: (output.NotificationConfig ?? {}) as { SuccessTopic?: string; ErrorTopic?: string },
    };
    this.inferences.start(inference, context);
    const headers = {
      'content-type': 'application/json',
      'x-amzn-sagemaker-outputlocation': inference.output,
      ...(inference.failure !== undefined && { 'x-amzn-sagemaker-failurelocation': inference.failure }),
    };
    return answer(202, headers, JSON.stringify({ InferenceId: id }));
  }
}

/** The members of a request that stand in the path and in headers, checked against the service's model. */
function readInput(operation: string, request: AwsRequest, model: ServiceModel): Json {
  const shapeName = model.operations[operation]?.input?.shape;
  const shape = shapeName === undefined ? undefined : model.shapes[shapeName];
  if (shapeName === undefined || !shape) throw validationError(`unknown operation ${operation}`);
  const headers = plainHeaders(request.headers);
  const input: Json = { EndpointName: decodeURIComponent(request.url.split('/')[2] ?? '') };
  for (const [name, { location, locationName, shape: type }] of Object.entries(shape.members ?? {})) {
    const value = location === 'header' ? headers[(locationName ?? name).toLowerCase()] : undefined;
    if (value !== undefined) input[name] = model.shapes[type]?.type === 'integer' ? Number(value) : value;
  }
  const longest = model.shapes.BodyBlob?.max ?? Number.POSITIVE_INFINITY;
  if (request.body.length > longest) throw validationError(`The body has more than ${longest} bytes.`);
  const known = { ...input, ...(shape.members?.Body && { Body: '' }) };
  const problems = problemsOf(model, shapeName, known).filter((problem) => !problem.includes("at 'body'"));
  if (problems.length > 0) throw validationError(problems.join('; '));
  return input;
}

function servingEndpoint(name: string, { region, resources }: Context): Resource {
  const endpoint = resources.find('endpoint', region, name);
  if (!endpoint) throw validationError(`Endpoint ${name} of account ${ACCOUNT} not found.`);
  // An endpoint goes on serving while it is updated.
  if (
    ['InService', 'Updating', 'RollingBack', 'UpdateRollbackFailed', 'SystemUpdating'].includes(
      endpoint.status,
    )
  ) {
    return endpoint;
  }
  throw validationError(`Endpoint ${name} of account ${ACCOUNT} is ${endpoint.status}.`);
}

async function invoke(endpoint: Resource, input: Json, body: Buffer, context: Context): Promise<Answer> {
  if (asyncOutput(endpoint, context)) {
    throw validationError(`Endpoint ${endpoint.name} is asynchronous: it cannot be invoked synchronously.`);
  }
  const component = invokedComponent(endpoint, input, context);
  const contentType = String(input.ContentType ?? 'application/octet-stream');
  const kind = component ? ('inference-component' as const) : ('endpoint' as const);
  const name = component?.name ?? endpoint.name;
  const reply = await context.effects.containers.invoke({ kind, name, contentType, body });
  if (reply.status >= 400) {
    const message = `Received client error (${reply.status}) from model with message "${reply.body}".`;
    throw new AwsError('ModelError', message, 424);
  }
  const variant = String(component?.spec.VariantName ?? variantsOf(endpoint, context)[0]?.VariantName ?? '');
  return answer(
    200,
    { 'content-type': reply.contentType, 'x-amzn-invoked-production-variant': variant },
    reply.body,
  );
}

/** The component that is asked; undefined on an endpoint whose variants have models. */
function invokedComponent(
  endpoint: Resource,
  input: Json,
  { region, resources, effects }: Context,
): Resource | undefined {
  const name = input.InferenceComponentName;
  const hostsModels = variantsOf(endpoint, { region, resources, effects })[0]?.ModelName !== undefined;
  if (name === undefined && hostsModels) return undefined;
  if (name === undefined) {
    throw validationError(
      'Inference Component Name header is required for endpoints to which you plan to deploy inference components. Please include Inference Component Name header or consider using SageMaker models.',
    );
  }
  const component = resources.find('inference-component', region, String(name));
  if (component?.spec.EndpointName !== endpoint.name) {
    throw validationError(`Inference Component ${String(name)} of endpoint ${endpoint.name} not found.`);
  }
  const copies = (component.spec.RuntimeConfig as Json | undefined)?.CopyCount;
  const serves =
    ['InService', 'Updating'].includes(component.status) && (copies === undefined || Number(copies) > 0);
  const isAdapter = specifications(component.spec)[0]?.BaseInferenceComponentName !== undefined;
  if (serves || (isAdapter && component.status === 'InService')) return component;
  throw validationError(`Inference Component ${component.name} has no capacity to process this request.`);
}

function variantsOf(endpoint: Resource, { region, resources }: Context): Json[] {
  const config = resources.find('endpoint-config', region, String(endpoint.spec.EndpointConfigName));
  return (config?.spec.ProductionVariants ?? []) as Json[];
}

function asyncOutput(endpoint: Resource, { region, resources }: Context): Json | undefined {
  const config = resources.find('endpoint-config', region, String(endpoint.spec.EndpointConfigName));
  return (config?.spec.AsyncInferenceConfig as Json | undefined)?.OutputConfig as Json | undefined;
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function validationError(message: string): AwsError {
  return new AwsError('ValidationError', message);
}
