import { structures } from './operation.js';
import type { Json, Resource } from './resource.js';
import type { Resources } from './resources.js';

/** An endpoint as describe-endpoint shows it. */
export function describedEndpoint(endpoint: Resource, resources: Resources): Json {
  const { name, arn, status, reason, spec, region, createdAt, modifiedAt } = endpoint;
  const config = resources.find('endpoint-config', region, String(spec.EndpointConfigName));
  const pending = resources.find('endpoint-config', region, String(spec.Pending));
  const variants = structures(config?.spec.ProductionVariants);
  const asynchronous = config?.spec.AsyncInferenceConfig;
  return {
    EndpointName: name,
    EndpointArn: arn,
    EndpointConfigName: spec.EndpointConfigName,
    EndpointStatus: status,
    CreationTime: createdAt,
    LastModifiedTime: modifiedAt,
    ...(reason !== undefined && { FailureReason: reason }),
    ...(status !== 'Creating' &&
      variants.length > 0 && {
        ProductionVariants: variants.map((variant) => describedVariant(variant, region, resources)),
      }),
    ...(asynchronous !== undefined && { AsyncInferenceConfig: asynchronous }),
    ...(pending && {
      PendingDeploymentSummary: {
        EndpointConfigName: pending.name,
        ProductionVariants: structures(pending.spec.ProductionVariants).map(({ VariantName }) => ({
          VariantName,
        })),
        StartTime: modifiedAt,
      },
    }),
  };
}

function describedVariant(variant: Json, region: string, resources: Resources): Json {
  const { VariantName, ModelName, InitialInstanceCount, InitialVariantWeight, InstancePools } = variant;
  const model = ModelName === undefined ? undefined : resources.find('model', region, String(ModelName));
  const image = (model?.spec.PrimaryContainer as Json | undefined)?.Image;
  const weight = InitialVariantWeight ?? 1;
  const { ManagedInstanceScaling, RoutingConfig } = variant;
  return {
    VariantName,
    CurrentWeight: weight,
    DesiredWeight: weight,
    CurrentInstanceCount: InitialInstanceCount ?? 1,
    DesiredInstanceCount: InitialInstanceCount ?? 1,
    ...(image !== undefined && { DeployedImages: [{ SpecifiedImage: image, ResolvedImage: image }] }),
    ...(InstancePools !== undefined && { InstancePools: describedPools(structures(InstancePools)) }),
    ...(ManagedInstanceScaling !== undefined && { ManagedInstanceScaling }),
    ...(RoutingConfig !== undefined && { RoutingConfig }),
  };
}

/** The pool of the highest priority has the instances. */
function describedPools(pools: Json[]): Json[] {
  const first = Math.min(...pools.map(({ Priority }) => Number(Priority)));
  return pools.map(({ InstanceType, Priority }) => ({
    InstanceType,
    CurrentInstanceCount: Priority === first ? 1 : 0,
  }));
}
