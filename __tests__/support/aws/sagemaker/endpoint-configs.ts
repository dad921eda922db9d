import { validationException } from '../aws-error.js';
import { page } from './listing.js';
import { type Operations, structures, text } from './operation.js';
import { checkVariants } from './variant-rules.js';

export const endpointConfigOperations: Operations = {
  CreateEndpointConfig(input, { region, resources }) {
    checkVariants(input);
    for (const variant of structures(input.ProductionVariants)) {
      if (variant.ModelName !== undefined) resources.get('model', region, String(variant.ModelName));
    }
    const name = text(input, 'EndpointConfigName');
    const config = resources.add('endpoint-config', region, name, input, 'Present');
    config.unseen = resources.plans.take('endpoint-config', name, 'create').unseen ?? 0;
    return { EndpointConfigArn: config.arn };
  },

  DescribeEndpointConfig(input, { region, resources }) {
    const config = resources.get('endpoint-config', region, text(input, 'EndpointConfigName'));
    return { ...config.spec, EndpointConfigArn: config.arn, CreationTime: config.createdAt };
  },

  ListEndpointConfigs(input, { region, resources }) {
    const { found, next } = page(input, resources.list('endpoint-config', region));
    const EndpointConfigs = found.map(({ name, arn, createdAt }) => ({
      EndpointConfigName: name,
      EndpointConfigArn: arn,
      CreationTime: createdAt,
    }));
    return { EndpointConfigs, ...next };
  },

  DeleteEndpointConfig(input, { region, resources }) {
    const config = resources.get('endpoint-config', region, text(input, 'EndpointConfigName'));
    const user = resources
      .list('endpoint', region)
      .find(
        ({ status, spec }) =>
          status !== 'Failed' && (spec.EndpointConfigName === config.name || spec.Pending === config.name),
      );
    if (user) {
      const words = `Cannot delete endpoint configuration "${config.arn}"`;
      throw validationException(`${words}: it is in use by the endpoint "${user.arn}".`);
    }
    resources.remove(config);
    return {};
  },
};
