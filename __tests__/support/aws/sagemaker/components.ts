import { validationException } from '../aws-error.js';
import { logGroup, logStream } from '../logs.js';
import { checkNewComponent, checkSpecification } from './component-rules.js';
import { page } from './listing.js';
import { specifications } from './models.js';
import { type Context, type Operations, text } from './operation.js';
import { isChanging, type Json, type Resource } from './resource.js';
import { arnOf } from './resources.js';

export const componentOperations: Operations = {
  CreateInferenceComponent(input, context) {
    const { region, resources } = context;
    checkNewComponent(input, context);
    const name = text(input, 'InferenceComponentName');
    const component = resources.add('inference-component', region, name, input, 'Creating');
    // An adapter is where its base is.
    const base = resources.find('inference-component', region, baseOf(component) ?? '');
    component.spec.VariantName ??= base?.spec.VariantName;
    const plan = resources.plans.take('inference-component', name, 'create');
    component.unseen = plan.unseen ?? 0;
    resources.begin(component, 'Creating', plan.looks, () => settle(component, context, plan.fails));
    return { InferenceComponentArn: component.arn };
  },

  async DescribeInferenceComponent(input, { region, resources }) {
    const component = resources.get('inference-component', region, text(input, 'InferenceComponentName'));
    const description = described(component);
    await resources.looked(component);
    return description;
  },

  ListInferenceComponents(input, { region, resources }) {
    const { EndpointNameEquals, VariantNameEquals } = input;
    const some = resources.list('inference-component', region).filter(({ spec }) => {
      if (EndpointNameEquals !== undefined && spec.EndpointName !== EndpointNameEquals) return false;
      return VariantNameEquals === undefined || spec.VariantName === VariantNameEquals;
    });
    const { found, next } = page(input, some);
    return { InferenceComponents: found.map(summary), ...next };
  },

  UpdateInferenceComponent(input, context) {
    const { Specification, Specifications, RuntimeConfig } = input;
    if (Specification === undefined && Specifications === undefined && RuntimeConfig === undefined) {
      throw validationException('There is nothing to update: no Specification and no RuntimeConfig.');
    }
    const component = changeable(text(input, 'InferenceComponentName'), context);
    const renewed = Specification ?? Specifications;
    if (renewed !== undefined) checkSpecification(input, context, component);
    const { Specification: _, Specifications: __, ...rest } = component.spec;
    const spec = {
      ...(renewed === undefined ? component.spec : rest),
      ...(Specification !== undefined && { Specification }),
      ...(Specifications !== undefined && { Specifications }),
      ...(RuntimeConfig !== undefined && { RuntimeConfig }),
    };
    beginUpdate(component, spec, context);
    return { InferenceComponentArn: component.arn };
  },

  UpdateInferenceComponentRuntimeConfig(input, context) {
    const component = changeable(text(input, 'InferenceComponentName'), context);
    if (baseOf(component) !== undefined) {
      throw validationException(
        `The adapter inference component "${component.arn}" has no copies of its own.`,
      );
    }
    beginUpdate(component, { ...component.spec, RuntimeConfig: input.DesiredRuntimeConfig }, context);
    return { InferenceComponentArn: component.arn };
  },

  DeleteInferenceComponent(input, { region, resources }) {
    const component = resources.get('inference-component', region, text(input, 'InferenceComponentName'));
    refuseWhileChanging(component, 'delete');
    const adapters = resources
      .list('inference-component', region)
      .filter((one) => baseOf(one) === component.name);
    if (adapters.length > 0) {
      const names = adapters.map(({ name }) => name).join(', ');
      throw validationException(
        `Cannot delete inference component "${component.arn}": it is the base of adapters (${names}).`,
      );
    }
    const plan = resources.plans.take('inference-component', component.name, 'delete');
    resources.begin(component, 'Deleting', plan.looks, () => {
      if (plan.fails === undefined) return resources.remove(component);
      component.status = 'Failed';
      component.reason = plan.fails;
    });
    return {};
  },
};

function changeable(name: string, { region, resources }: Context): Resource {
  const component = resources.get('inference-component', region, name);
  refuseWhileChanging(component, 'update');
  if (component.status !== 'InService') {
    throw validationException(
      `Cannot update inference component "${component.arn}" with status ${component.status}.`,
    );
  }
  return component;
}

function refuseWhileChanging(component: Resource, what: string): void {
  if (!isChanging(component)) return;
  const words = `Cannot ${what} in-progress inference component "${component.arn}"`;
  throw validationException(`${words}: it is ${component.status}.`);
}

function beginUpdate(component: Resource, spec: Json, context: Context): void {
  const { resources } = context;
  const plan = resources.plans.take('inference-component', component.name, 'update');
  delete component.reason;
  resources.begin(component, 'Updating', plan.looks, () => {
    if (plan.rollsBack !== undefined) {
      component.status = 'InService';
      component.reason = plan.rollsBack;
      return;
    }
    component.spec = spec;
    return settle(component, context, plan.fails);
  });
}

async function settle(component: Resource, { region, effects }: Context, fails?: string): Promise<void> {
  component.status = fails === undefined ? 'InService' : 'Failed';
  if (fails !== undefined) component.reason = fails;
  const { name, spec } = component;
  const lines = [`Starting the inference component ${name}`, fails ?? 'The model server is ready'];
  const stream = logStream(String(spec.VariantName ?? 'adapter'), name);
  await effects.logs.write(region, logGroup('inference-component', name), stream, lines);
}

function baseOf(component: Resource): string | undefined {
  const base = specifications(component.spec)[0]?.BaseInferenceComponentName;
  return base === undefined ? undefined : String(base);
}

function summary({ name, arn, spec, region, status, createdAt, modifiedAt }: Resource): Json {
  return {
    InferenceComponentName: name,
    InferenceComponentArn: arn,
    EndpointName: spec.EndpointName,
    EndpointArn: arnOf('endpoint', region, String(spec.EndpointName)),
    VariantName: spec.VariantName,
    InferenceComponentStatus: status,
    CreationTime: createdAt,
    LastModifiedTime: modifiedAt,
  };
}

function described(component: Resource): Json {
  const { spec, status, reason } = component;
  const { Specification, Specifications, RuntimeConfig } = spec;
  const copies = Number((RuntimeConfig as Json | undefined)?.CopyCount ?? 0);
  const current = status === 'Creating' || status === 'Failed' ? 0 : copies;
  return {
    ...summary(component),
    ...(reason !== undefined && { FailureReason: reason }),
    ...(Specification !== undefined && { Specification: deployed(Specification as Json) }),
    ...(Specifications !== undefined && { Specifications: specifications(spec).map(deployed) }),
    ...(RuntimeConfig !== undefined && {
      RuntimeConfig: { DesiredCopyCount: copies, CurrentCopyCount: current },
    }),
  };
}

/** A specification as describe shows it: the image is one that was deployed. */
function deployed(specification: Json): Json {
  const container = specification.Container as Json | undefined;
  if (!container) return specification;
  const { Image, ...rest } = container;
  const image = Image === undefined ? {} : { DeployedImage: { SpecifiedImage: Image, ResolvedImage: Image } };
  return { ...specification, Container: { ...image, ...rest } };
}
