import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { component, config, model, specification, transformJob, variant } from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

describeWithCloud("Requests are checked against the service's own model", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterEach(() => world.aws.reset());
  afterAll(() => world.stop());

  const twice = (value: unknown) => [value, value];
  const table: [what: string, operation: string, input: object, message: string][] = [
    [
      'missing',
      'CreateModel',
      {},
      "Value null at 'modelName' failed to satisfy constraint: Member must not be null",
    ],
    [
      'missing within',
      'CreateInferenceComponent',
      component('ic', { Specification: { ComputeResourceRequirements: {} } }),
      "Value null at 'specification.computeResourceRequirements.minMemoryRequiredInMb'",
    ],
    [
      'unknown',
      'CreateModel',
      { ...model(), Modell: 'x' },
      "Value 'x' at 'modell' failed to satisfy constraint",
    ],
    [
      'another type',
      'CreateModel',
      model(7 as never),
      "Value '7' at 'modelName' failed to satisfy constraint",
    ],
    [
      'no list',
      'CreateEndpointConfig',
      { ...config(), ProductionVariants: {} },
      "at 'productionVariants' failed to satisfy constraint: Member must be a list",
    ],
    [
      'pattern',
      'CreateModel',
      model('a_b'),
      "Value 'a_b' at 'modelName' failed to satisfy constraint: Member must satisfy regular expression pattern",
    ],
    ['pattern to its end', 'CreateModel', model('ab-'), "Value 'ab-' at 'modelName'"],
    ['longest', 'CreateModel', model('a'.repeat(64)), 'Member must have length less than or equal to 63'],
    [
      'least number',
      'CreateInferenceComponent',
      component('ic', {
        Specification: specification({ ComputeResourceRequirements: { MinMemoryRequiredInMb: 127 } }),
      }),
      'Member must have value greater than or equal to 128',
    ],
    [
      'no accelerator is said by leaving it out',
      'CreateInferenceComponent',
      component('ic', {
        Specification: specification({
          ComputeResourceRequirements: { MinMemoryRequiredInMb: 128, NumberOfAcceleratorDevicesRequired: 0 },
        }),
      }),
      "Value '0' at 'specification.computeResourceRequirements.numberOfAcceleratorDevicesRequired'",
    ],
    [
      'greatest number',
      'CreateEndpointConfig',
      config('c', { ModelDataDownloadTimeoutInSeconds: 3601 }),
      "Value '3601' at 'productionVariants.1.member.modelDataDownloadTimeoutInSeconds' failed to satisfy constraint: Member must have value less than or equal to 3600",
    ],
    [
      'half a number',
      'CreateEndpointConfig',
      config('c', { InitialInstanceCount: 1.5 }),
      'Member must be a whole number',
    ],
    [
      'enumeration',
      'CreateEndpointConfig',
      config('c', { InstanceType: 'ml.nothing' }),
      "Value 'ml.nothing' at 'productionVariants.1.member.instanceType' failed to satisfy constraint: Member must satisfy enum value set: [",
    ],
    [
      'longest list',
      'CreateEndpointConfig',
      config('c', {
        InstanceType: undefined,
        InstancePools: [1, 2, 3, 4, 5, 5].map((Priority) => ({ InstanceType: 'ml.g5.xlarge', Priority })),
      }),
      "at 'productionVariants.1.member.instancePools' failed to satisfy constraint: Member must have length less than or equal to 5",
    ],
    [
      'shortest list',
      'CreateEndpointConfig',
      { ...config(), ProductionVariants: [] },
      'greater than or equal to 1',
    ],
    [
      'most entries of a map',
      'CreateModel',
      {
        ...model(),
        PrimaryContainer: {
          Environment: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`K${n}`, 'v'])),
        },
      },
      "at 'primaryContainer.environment' failed to satisfy constraint: Member must have length less than or equal to 100",
    ],
    [
      'longest value in a map',
      'CreateModel',
      { ...model(), PrimaryContainer: { Environment: { K: 'v'.repeat(1025) } } },
      "at 'primaryContainer.environment.K.member' failed to satisfy constraint: Member must have length",
    ],
    [
      'letters of a tag',
      'CreateModel',
      { ...model(), Tags: [{ Key: 'mlcc:project', Value: 'a|b' }] },
      "Value 'a|b' at 'tags.1.member.value'",
    ],
    [
      'longest image',
      'CreateModel',
      { ...model(), PrimaryContainer: { Image: 'i'.repeat(256) } },
      'less than or equal to 255',
    ],
    [
      'all at once',
      'CreateEndpointConfig',
      { EndpointConfigName: '-', ProductionVariants: twice(variant({ VariantName: '_' })) },
      '3 validation errors detected: ',
    ],
    [
      'newest operations',
      'CreateAIWorkloadConfig',
      { AIWorkloadConfigName: '-' },
      "Value '-' at 'aIWorkloadConfigName'",
    ],
    [
      'jobs',
      'CreateTransformJob',
      transformJob('j', { BatchStrategy: 'All' }),
      'enum value set: [MultiRecord, SingleRecord]',
    ],
  ];

  test.each(table)('%s: %s', async (_what, operation, input, message) => {
    const { status, code, message: said } = await world.call(operation, input);
    expect([status, code]).toEqual([400, 'ValidationException']);
    expect(said).toContain(message);
    expect(said).toMatch(/^\d+ validation errors? detected: Value /);
  });

  test('what is no JSON object is refused', async () => {
    expect((await world.call('CreateModel', [])).code).toBe('SerializationException');
  });

  test('what fits the model passes: letters of other languages in tags, the longest names, newer instance types', async () => {
    await world.must('CreateModel', {
      ...model('a'.repeat(63)),
      Tags: [{ Key: 'équipe', Value: 'größe 1+1=2 @x' }],
    });
    await world.must('CreateEndpointConfig', config('c', { InstanceType: 'ml.p5en.48xlarge' }));
    await world.must('CreateEndpointConfig', config('g6e', { InstanceType: 'ml.g6e.48xlarge' }));
  });
});
