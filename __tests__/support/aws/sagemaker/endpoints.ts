import { validationException } from '../aws-error.js';
import { logGroup, logStream } from '../logs.js';
import { describedEndpoint } from './endpoint-description.js';
import { page } from './listing.js';
import { type Context, type Operations, structures, text } from './operation.js';
import { isChanging, type Resource } from './resource.js';

// An endpoint's spec has, beside its config, that of an update that is not over: `Pending`.

export const endpointOperations: Operations = {
  async CreateEndpoint(input, context) {
    const { region, resources } = context;
    const config = resources.get('endpoint-config', region, text(input, 'EndpointConfigName'));
    checkModels(config, context);
    const endpoint = resources.add('endpoint', region, text(input, 'EndpointName'), input, 'Creating');
    const plan = resources.plans.take('endpoint', endpoint.name, 'create');
    endpoint.unseen = plan.unseen ?? 0;
    resources.begin(endpoint, 'Creating', plan.looks, () => settle(endpoint, context, plan.fails));
    return { EndpointArn: endpoint.arn };
  },

  async DescribeEndpoint(input, { region, resources }) {
    const endpoint = resources.get('endpoint', region, text(input, 'EndpointName'));
    const description = describedEndpoint(endpoint, resources);
    await resources.looked(endpoint);
    return description;
  },

  ListEndpoints(input, { region, resources }) {
    const { found, next } = page(input, resources.list('endpoint', region));
    const Endpoints = found.map(({ name, arn, status, createdAt, modifiedAt }) => ({
      EndpointName: name,
      EndpointArn: arn,
      EndpointStatus: status,
      CreationTime: createdAt,
      LastModifiedTime: modifiedAt,
    }));
    return { Endpoints, ...next };
  },

  UpdateEndpoint(input, context) {
    const { region, resources } = context;
    const endpoint = resources.get('endpoint', region, text(input, 'EndpointName'));
    refuseWhileChanging(endpoint);
    if (endpoint.status !== 'InService' && endpoint.status !== 'UpdateRollbackFailed') {
      throw validationException(`Cannot update endpoint "${endpoint.arn}" with status ${endpoint.status}.`);
    }
    const config = resources.get('endpoint-config', region, text(input, 'EndpointConfigName'));
    if (config.name === endpoint.spec.EndpointConfigName && endpoint.status === 'InService') {
      throw validationException(
        `The endpoint "${endpoint.arn}" already has the configuration "${config.arn}".`,
      );
    }
    checkModels(config, context);
    checkHosts(endpoint, config, context);
    beginUpdate(endpoint, config.name, context);
    return { EndpointArn: endpoint.arn };
  },

  DeleteEndpoint(input, { region, resources }) {
    const endpoint = resources.get('endpoint', region, text(input, 'EndpointName'));
    refuseWhileChanging(endpoint);
    const components = componentsOn(endpoint, resources.list('inference-component', region));
    if (components.length > 0) {
      const names = components.map(({ name }) => name).join(', ');
      throw validationException(
        `Cannot delete endpoint "${endpoint.arn}": it hosts inference components (${names}).`,
      );
    }
    const plan = resources.plans.take('endpoint', endpoint.name, 'delete');
    resources.begin(endpoint, 'Deleting', plan.looks, () => {
      if (plan.fails === undefined) return resources.remove(endpoint);
      endpoint.status = 'Failed';
      endpoint.reason = plan.fails;
    });
    return {};
  },
};

/** The components on an endpoint. */
export function componentsOn(endpoint: Resource, components: readonly Resource[]): Resource[] {
  return components.filter(({ spec }) => spec.EndpointName === endpoint.name);
}

function beginUpdate(endpoint: Resource, config: string, context: Context): void {
  const { resources } = context;
  const plan = resources.plans.take('endpoint', endpoint.name, 'update');
  const { reason: _, ...rest } = endpoint;
  delete endpoint.reason;
  endpoint.spec = { ...rest.spec, Pending: config };
  const end = (status: string, reason?: string) => {
    const { Pending: __, ...spec } = endpoint.spec;
    endpoint.spec = spec;
    endpoint.status = status;
    if (reason !== undefined) endpoint.reason = reason;
  };
  resources.begin(endpoint, 'Updating', plan.looks, () => {
    const reason = plan.rollsBack ?? plan.rollbackFails;
    if (plan.fails !== undefined) return end('Failed', plan.fails);
    if (reason !== undefined) {
      const last = plan.rollsBack === undefined ? 'UpdateRollbackFailed' : 'InService';
      resources.begin(endpoint, 'RollingBack', 1, () => end(last, reason));
      endpoint.reason = reason;
      return;
    }
    end('InService');
    endpoint.spec = { ...endpoint.spec, EndpointConfigName: config };
    return settle(endpoint, context);
  });
}

async function settle(
  endpoint: Resource,
  { region, resources, effects }: Context,
  fails?: string,
): Promise<void> {
  endpoint.status = fails === undefined ? 'InService' : 'Failed';
  if (fails !== undefined) endpoint.reason = fails;
  const config = resources.find('endpoint-config', region, String(endpoint.spec.EndpointConfigName));
  for (const { VariantName, ModelName } of structures(config?.spec.ProductionVariants)) {
    if (ModelName === undefined) continue;
    const lines = [`Starting the model ${String(ModelName)}`, fails ?? 'The model server is ready'];
    const stream = logStream(String(VariantName), endpoint.name);
    await effects.logs.write(region, logGroup('endpoint', endpoint.name), stream, lines);
  }
}

function refuseWhileChanging(endpoint: Resource): void {
  if (isChanging(endpoint))
    throw validationException(`Cannot update in-progress endpoint "${endpoint.arn}".`);
}

function checkModels(config: Resource, { region, resources }: Context): void {
  for (const { ModelName } of structures(config.spec.ProductionVariants)) {
    if (ModelName !== undefined) resources.get('model', region, String(ModelName));
  }
}

/** An endpoint's components stay over an update: their variants must, too, and stay without a model. */
function checkHosts(endpoint: Resource, config: Resource, { region, resources }: Context): void {
  const variants = structures(config.spec.ProductionVariants);
  for (const { name, spec } of componentsOn(endpoint, resources.list('inference-component', region))) {
    const host = variants.find(({ VariantName }) => VariantName === spec.VariantName);
    if (host && host.ModelName === undefined) continue;
    const words = `The configuration "${config.arn}" has no variant "${String(spec.VariantName)}"`;
    throw validationException(`${words} for the inference component "${name}".`);
  }
}
