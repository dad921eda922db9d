import { validationException } from '../aws-error.js';
import { page } from './listing.js';
import { type Operations, structures, text } from './operation.js';
import type { Json, Resource } from './resource.js';
import type { Resources } from './resources.js';

export const modelOperations: Operations = {
  CreateModel(input, { region, resources }) {
    const { PrimaryContainer, Containers } = input as { PrimaryContainer?: Json; Containers?: Json[] };
    if ((PrimaryContainer === undefined) === (Containers === undefined)) {
      throw validationException('Specify either PrimaryContainer or Containers.');
    }
    for (const container of PrimaryContainer ? [PrimaryContainer] : (Containers ?? []))
      checkContainer(container);
    return { ModelArn: resources.add('model', region, text(input, 'ModelName'), input, 'Present').arn };
  },

  DescribeModel(input, { region, resources }) {
    const { spec, arn, createdAt } = resources.get('model', region, text(input, 'ModelName'));
    return { EnableNetworkIsolation: false, ...spec, ModelArn: arn, CreationTime: createdAt };
  },

  ListModels(input, { region, resources }) {
    const { found, next } = page(input, resources.list('model', region));
    const Models = found.map(({ name, arn, createdAt }) => ({
      ModelName: name,
      ModelArn: arn,
      CreationTime: createdAt,
    }));
    return { Models, ...next };
  },

  DeleteModel(input, { region, resources }) {
    const model = resources.get('model', region, text(input, 'ModelName'));
    const user = modelUser(model.name, region, resources);
    if (user) throw validationException(`Cannot delete model "${model.arn}": it is in use by "${user.arn}".`);
    resources.remove(model);
    return {};
  },
};

function checkContainer(container: Json): void {
  const { Image, ModelPackageName, ModelDataUrl, ModelDataSource } = container;
  if (Image === undefined && ModelPackageName === undefined) {
    throw validationException('Image must be specified unless ModelPackageName is.');
  }
  if (ModelDataUrl !== undefined && ModelDataSource !== undefined) {
    throw validationException('Specify either ModelDataUrl or ModelDataSource, not both.');
  }
  if (ModelDataUrl !== undefined) checkArchive(String(ModelDataUrl), 'ModelDataUrl');
  const s3 = (ModelDataSource as Json | undefined)?.S3DataSource as Json | undefined;
  if (s3?.S3DataType === 'S3Prefix' && !String(s3.S3Uri).endsWith('/')) {
    throw validationException('S3Uri must end with a forward slash (/) when S3DataType is S3Prefix.');
  }
  if (s3?.CompressionType === 'Gzip' && s3.S3DataType !== 'S3Object') {
    throw validationException('CompressionType Gzip needs S3DataType S3Object.');
  }
}

/** Weights in one piece are a gzip compressed tar archive. */
export function checkArchive(url: string, member: string): void {
  if (url.endsWith('.tar.gz')) return;
  throw validationException(
    `${member} "${url}" must point to a single gzip compressed tar archive (.tar.gz).`,
  );
}

/** What runs the model now: a model that goes under a live endpoint is missing when that scales. */
function modelUser(name: string, region: string, resources: Resources): Resource | undefined {
  const component = resources
    .list('inference-component', region)
    .find(
      ({ spec, status }) => status !== 'Failed' && specifications(spec).some((one) => one.ModelName === name),
    );
  if (component) return component;
  return resources.list('endpoint', region).find((endpoint) => {
    if (endpoint.status === 'Failed') return false;
    const { EndpointConfigName, Pending } = endpoint.spec;
    return [EndpointConfigName, Pending].some((config) => {
      const found =
        config === undefined ? undefined : resources.find('endpoint-config', region, String(config));
      return structures(found?.spec.ProductionVariants).some((variant) => variant.ModelName === name);
    });
  });
}

/** A component's specifications: it has one, or one for each instance type. */
export function specifications(spec: Json): Json[] {
  return spec.Specification ? [spec.Specification as Json] : structures(spec.Specifications);
}
