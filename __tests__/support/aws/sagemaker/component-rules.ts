import { validationException } from '../aws-error.js';
import { checkArchive, specifications } from './models.js';
import { type Context, structures, text } from './operation.js';
import type { Json, Resource } from './resource.js';

/** What the service asks of a new component beyond its model. */
export function checkNewComponent(input: Json, context: Context): void {
  const { region, resources } = context;
  const endpoint = resources.get('endpoint', region, text(input, 'EndpointName'));
  if (endpoint.status !== 'InService') {
    throw validationException(
      `Cannot create an inference component on the endpoint "${endpoint.arn}": it is ${endpoint.status}.`,
    );
  }
  checkSpecification(input, context);
  if (specifications(input)[0]?.BaseInferenceComponentName !== undefined) return;
  checkVariant(text(input, 'VariantName'), endpoint, context);
  if (input.RuntimeConfig === undefined) {
    throw validationException('RuntimeConfig is required unless the inference component is an adapter.');
  }
}

/** The specification of a new component, or the new one of `component`. */
export function checkSpecification(input: Json, context: Context, component?: Resource): void {
  const { Specification, Specifications } = input;
  if ((Specification === undefined) === (Specifications === undefined)) {
    throw validationException('Specify either Specification or Specifications.');
  }
  const all = specifications(input);
  const types = all.map(({ InstanceType }) => InstanceType);
  if (all.length > 1 && (types.includes(undefined) || new Set(types).size < types.length)) {
    throw validationException('Each of several Specifications needs an InstanceType of its own.');
  }
  const endpoint = component ? String(component.spec.EndpointName) : text(input, 'EndpointName');
  for (const one of all) {
    if (one.BaseInferenceComponentName === undefined) checkBase(one, context);
    else checkAdapter(one, endpoint, input, context);
  }
}

function checkBase(specification: Json, { region, resources }: Context): void {
  const { ModelName, Container, ComputeResourceRequirements } = specification;
  if ((ModelName === undefined) === (Container === undefined)) {
    throw validationException('Specify either ModelName or Container.');
  }
  if (ModelName !== undefined) resources.get('model', region, String(ModelName));
  const { Image, ArtifactUrl } = (Container ?? {}) as Json;
  if (Container !== undefined && Image === undefined) throw validationException('Container needs an Image.');
  if (ArtifactUrl !== undefined) checkArchive(String(ArtifactUrl), 'ArtifactUrl');
  if (ComputeResourceRequirements === undefined) {
    throw validationException(
      'ComputeResourceRequirements is required unless the inference component is an adapter.',
    );
  }
  const { MinMemoryRequiredInMb, MaxMemoryRequiredInMb } = ComputeResourceRequirements as Json;
  if (MaxMemoryRequiredInMb !== undefined && Number(MaxMemoryRequiredInMb) < Number(MinMemoryRequiredInMb)) {
    throw validationException('MaxMemoryRequiredInMb must not be less than MinMemoryRequiredInMb.');
  }
}

function checkAdapter(
  specification: Json,
  endpoint: string,
  input: Json,
  { region, resources }: Context,
): void {
  const base = resources.get('inference-component', region, String(specification.BaseInferenceComponentName));
  if (base.spec.EndpointName !== endpoint) {
    throw validationException(
      `The base inference component "${base.arn}" is not on the endpoint ${endpoint}.`,
    );
  }
  if (specifications(base.spec)[0]?.BaseInferenceComponentName !== undefined) {
    throw validationException(`The base inference component "${base.arn}" is itself an adapter.`);
  }
  if (base.status !== 'InService') {
    throw validationException(`The base inference component "${base.arn}" is ${base.status}, not InService.`);
  }
  const { ModelName, Container, ComputeResourceRequirements } = specification;
  const { Image, ArtifactUrl } = (Container ?? {}) as Json;
  if (ArtifactUrl === undefined || Image !== undefined || ModelName !== undefined) {
    throw validationException(
      'An adapter has a Container with ArtifactUrl, and neither Image nor ModelName.',
    );
  }
  checkArchive(String(ArtifactUrl), 'ArtifactUrl');
  if (ComputeResourceRequirements !== undefined || input.RuntimeConfig !== undefined) {
    throw validationException('An adapter uses the compute resources and the copies of its base.');
  }
}

function checkVariant(name: string, endpoint: Resource, { region, resources }: Context): void {
  const config = resources.get('endpoint-config', region, String(endpoint.spec.EndpointConfigName));
  const variant = structures(config.spec.ProductionVariants).find(({ VariantName }) => VariantName === name);
  if (!variant) throw validationException(`The endpoint "${endpoint.arn}" has no variant "${name}".`);
  if (variant.ModelName !== undefined) {
    throw validationException(
      `The variant "${name}" of "${endpoint.arn}" has a model: it takes no components.`,
    );
  }
}
