import { validationException } from '../aws-error.js';
import { structures } from './operation.js';
import type { Json } from './resource.js';

/** What the service asks of an endpoint config beyond its model. */
export function checkVariants(config: Json): void {
  const variants = structures(config.ProductionVariants);
  const names = variants.map((variant) => variant.VariantName);
  if (new Set(names).size < names.length) throw validationException('Variant names must be unique.');
  const withoutModel = variants.filter((variant) => variant.ModelName === undefined);
  if (withoutModel.length > 0) {
    if (withoutModel.length < variants.length) {
      throw validationException('Either all production variants have a ModelName or none has.');
    }
    if (config.ExecutionRoleArn === undefined) {
      throw validationException('ExecutionRoleArn is required when a production variant has no ModelName.');
    }
    if (config.AsyncInferenceConfig !== undefined) {
      throw validationException('AsyncInferenceConfig is not supported for variants without a ModelName.');
    }
  }
  variants.forEach(checkVariant);
}

function checkVariant(variant: Json): void {
  const name = `Production variant "${String(variant.VariantName)}"`;
  const { InstanceType, InstancePools, ServerlessConfig, InitialInstanceCount } = variant;
  const kinds = [InstanceType, InstancePools, ServerlessConfig].filter((member) => member !== undefined);
  if (kinds.length !== 1) {
    throw validationException(
      `${name}: specify exactly one of InstanceType, InstancePools and ServerlessConfig.`,
    );
  }
  if (ServerlessConfig !== undefined) return;
  if (InitialInstanceCount === undefined) {
    throw validationException(`${name}: InitialInstanceCount is required for instances.`);
  }
  checkPools(name, structures(InstancePools));
  if (variant.ManagedInstanceScaling !== undefined) {
    checkScaling(name, variant.ManagedInstanceScaling as Json, Number(InitialInstanceCount));
  }
}

function checkPools(name: string, pools: Json[]): void {
  for (const member of ['InstanceType', 'Priority']) {
    const values = pools.map((pool) => pool[member]);
    if (new Set(values).size < values.length) {
      throw validationException(`${name}: two instance pools have the same ${member}.`);
    }
  }
}

function checkScaling(name: string, scaling: Json, initial: number): void {
  const least = Number(scaling.MinInstanceCount ?? 0);
  const most = Number(scaling.MaxInstanceCount ?? Number.POSITIVE_INFINITY);
  if (scaling.Status !== 'ENABLED' || (least <= initial && initial <= most)) return;
  const range = `MinInstanceCount (${least}) and MaxInstanceCount (${most})`;
  throw validationException(`${name}: InitialInstanceCount (${initial}) must be between ${range}.`);
}
