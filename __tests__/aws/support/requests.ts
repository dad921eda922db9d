import type { World } from './world.js';

export const ROLE_ARN = 'arn:aws:iam::123456789012:role/sagemaker';
export const IMAGE = `123456789012.dkr.ecr.us-west-2.amazonaws.com/models@sha256:${'a'.repeat(64)}`;

export const model = (name = 'm') => ({
  ModelName: name,
  ExecutionRoleArn: ROLE_ARN,
  PrimaryContainer: { Image: IMAGE },
});

export const variant = (changes: object = {}) => ({
  VariantName: 'AllTraffic',
  InstanceType: 'ml.g5.xlarge',
  InitialInstanceCount: 1,
  ...changes,
});

/** A config whose variant has no model: for components. */
export const config = (name = 'c', changes: object = {}) => ({
  EndpointConfigName: name,
  ExecutionRoleArn: ROLE_ARN,
  ProductionVariants: [variant(changes)],
});

export const endpoint = (name = 'e', configName = 'c') => ({
  EndpointName: name,
  EndpointConfigName: configName,
});

export const specification = (changes: object = {}) => ({
  Container: { Image: IMAGE },
  ComputeResourceRequirements: { MinMemoryRequiredInMb: 1024, NumberOfAcceleratorDevicesRequired: 1 },
  ...changes,
});

export const component = (name = 'ic', changes: object = {}) => ({
  InferenceComponentName: name,
  EndpointName: 'e',
  VariantName: 'AllTraffic',
  Specification: specification(),
  RuntimeConfig: { CopyCount: 1 },
  ...changes,
});

export const adapter = (name = 'lora', base = 'ic', changes: object = {}) => ({
  InferenceComponentName: name,
  EndpointName: 'e',
  Specification: { BaseInferenceComponentName: base, Container: { ArtifactUrl: 's3://weights/lora.tar.gz' } },
  ...changes,
});

export const transformJob = (name = 'j', changes: object = {}) => ({
  TransformJobName: name,
  ModelName: 'm',
  TransformInput: {
    DataSource: { S3DataSource: { S3DataType: 'S3Prefix', S3Uri: 's3://data/in/' } },
    ContentType: 'application/json',
    SplitType: 'Line',
  },
  TransformOutput: { S3OutputPath: 's3://data/out', AssembleWith: 'Line' },
  TransformResources: { InstanceType: 'ml.g5.xlarge', InstanceCount: 1 },
  ...changes,
});

/** An endpoint `e` in service, with the config `c`, for components. */
export async function servingEndpoint({ must }: World, name = 'e'): Promise<void> {
  await must('CreateEndpointConfig', config());
  await must('CreateEndpoint', endpoint(name));
  await must('DescribeEndpoint', { EndpointName: name });
}

/** That, with a component `ic` in service on it. */
export async function servingComponent(world: World): Promise<void> {
  await servingEndpoint(world);
  await world.must('CreateInferenceComponent', component());
  await world.must('DescribeInferenceComponent', { InferenceComponentName: 'ic' });
}
