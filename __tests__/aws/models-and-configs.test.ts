import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { config, endpoint, IMAGE, model, servingEndpoint, variant } from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

const ARN = 'arn:aws:sagemaker:us-west-2:123456789012';

describeWithCloud('Models and endpoint configs', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterEach(async () => {
    expect(world.aws.defects).toEqual([]);
    await world.aws.reset();
  });
  afterAll(() => world.stop());

  const refused = async (operation: string, input: object, message: string) => {
    const { code, message: said } = await world.call(operation, input);
    expect([code, said]).toEqual(['ValidationException', expect.stringContaining(message)]);
  };
  const described = (name = 'e') => world.must('DescribeEndpoint', { EndpointName: name });
  const statuses = async (count: number) => {
    const seen: unknown[] = [];
    for (let look = 0; look < count; look += 1) seen.push((await described()).EndpointStatus);
    return seen;
  };
  const withModel = (name = 'mc', modelName = 'm') => ({
    EndpointConfigName: name,
    ProductionVariants: [variant({ ModelName: modelName })],
  });

  describe('models', () => {
    test('are kept as they were made, with their tags', async () => {
      const Tags = [{ Key: 'mlcc:project', Value: 'p' }];
      const { ModelArn } = await world.must('CreateModel', { ...model(), Tags });
      expect(ModelArn).toBe(`${ARN}:model/m`);
      const made = await world.must('DescribeModel', { ModelName: 'm' });
      expect(made).toMatchObject({ ...model(), ModelArn });
      expect((await world.must('ListTags', { ResourceArn: ModelArn })).Tags).toEqual(Tags);
    });

    const container = (changes: object) => ({ ...model(), PrimaryContainer: changes });
    const s3 = (changes: object) => ({
      Image: IMAGE,
      ModelDataSource: {
        S3DataSource: { S3Uri: 's3://b/w/', S3DataType: 'S3Prefix', CompressionType: 'None', ...changes },
      },
    });
    test.each<[string, object, string]>([
      ['neither kind of container', { ModelName: 'm' }, 'either PrimaryContainer or Containers'],
      [
        'both kinds of container',
        { ...model(), Containers: [{ Image: IMAGE }] },
        'either PrimaryContainer or',
      ],
      ['no image', container({}), 'Image must be specified'],
      ['two sources of weights', container({ ...s3({}), ModelDataUrl: 's3://b/m.tar.gz' }), 'not both'],
      ['weights in a zip', container({ Image: IMAGE, ModelDataUrl: 's3://b/m.zip' }), '.tar.gz'],
      ['a folder without its slash', container(s3({ S3Uri: 's3://b/w' })), 'forward slash'],
      ['a compressed folder', container(s3({ CompressionType: 'Gzip' })), 'S3Object'],
      [
        'a tag twice',
        { ...model(), Tags: ['a', 'b'].map((Value) => ({ Key: 'k', Value })) },
        'Duplicate tag keys',
      ],
      ['a tag of the system', { ...model(), Tags: [{ Key: 'aws:x', Value: '' }] }, 'reserved'],
    ])('refused: %s', async (_what, input, message) => {
      await refused('CreateModel', input, message);
    });

    test('names are unique, in a region', async () => {
      await world.must('CreateModel', model());
      await refused('CreateModel', model(), `Cannot create already existing model "${ARN}:model/m".`);
      expect((await world.call('CreateModel', model(), 'eu-west-1')).code).toBe('');
    });

    test('one that is not there cannot be described or deleted', async () => {
      await refused('DescribeModel', { ModelName: 'no' }, `Could not find model "${ARN}:model/no".`);
      await refused('DeleteModel', { ModelName: 'no' }, 'Could not find model');
    });

    test('one that an endpoint or a component runs cannot be deleted', async () => {
      await world.must('CreateModel', model());
      await world.must('CreateEndpointConfig', withModel());
      await world.must('CreateEndpoint', endpoint('e', 'mc'));
      await refused('DeleteModel', { ModelName: 'm' }, `in use by "${ARN}:endpoint/e"`);
    });
  });

  describe('configs', () => {
    test.each<[string, object, string]>([
      ['a model that is not there', withModel('mc', 'none'), 'Could not find model'],
      [
        'no role for a variant without model',
        { ...config(), ExecutionRoleArn: undefined },
        'ExecutionRoleArn',
      ],
      ['two variants of one name', { ...config(), ProductionVariants: [variant(), variant()] }, 'unique'],
      ['no instances', config('c', { InstanceType: undefined }), 'exactly one of'],
      [
        'instance type and pools',
        config('c', { InstancePools: [{ InstanceType: 'ml.g5.xlarge', Priority: 1 }] }),
        'exactly one of',
      ],
      ['no count', config('c', { InitialInstanceCount: undefined }), 'InitialInstanceCount is required'],
      [
        'a count outside of its range',
        config('c', {
          ManagedInstanceScaling: { Status: 'ENABLED', MinInstanceCount: 2, MaxInstanceCount: 4 },
        }),
        'must be between',
      ],
      [
        'one priority twice',
        config('c', {
          InstanceType: undefined,
          InstancePools: ['ml.g5.xlarge', 'ml.g6.xlarge'].map((InstanceType) => ({
            InstanceType,
            Priority: 1,
          })),
        }),
        'same Priority',
      ],
      [
        'one type twice',
        config('c', {
          InstanceType: undefined,
          InstancePools: [1, 2].map((Priority) => ({ InstanceType: 'ml.g5.xlarge', Priority })),
        }),
        'same InstanceType',
      ],
      [
        'asynchronous without a model',
        { ...config(), AsyncInferenceConfig: { OutputConfig: { S3OutputPath: 's3://b/o' } } },
        'not supported for variants without a ModelName',
      ],
    ])('refused: %s', async (_what, input, message) => {
      await refused('CreateEndpointConfig', input, message);
    });

    test('refused: some variants with a model, some without', async () => {
      await world.must('CreateModel', model());
      const ProductionVariants = [variant(), variant({ VariantName: 'B', ModelName: 'm' })];
      await refused('CreateEndpointConfig', { ...config(), ProductionVariants }, 'or none has');
    });

    test('may have instance pools', async () => {
      const pools = [
        { InstanceType: 'ml.g6e.xlarge', Priority: 1 },
        { InstanceType: 'ml.g5.xlarge', Priority: 2 },
      ];
      await world.must(
        'CreateEndpointConfig',
        config('c', { InstanceType: undefined, InstancePools: pools }),
      );
      await world.must('CreateEndpoint', endpoint());
      await described();
      expect((await described()).ProductionVariants).toMatchObject([
        {
          InstancePools: [
            { InstanceType: 'ml.g6e.xlarge', CurrentInstanceCount: 1 },
            { CurrentInstanceCount: 0 },
          ],
        },
      ]);
    });

    test('names are unique', async () => {
      await world.must('CreateEndpointConfig', config());
      await refused(
        'CreateEndpointConfig',
        config(),
        'Cannot create already existing endpoint configuration',
      );
    });

    test('a new one may not be seen at once, and not be used until then', async () => {
      world.aws.plan({ kind: 'endpoint-config', on: 'create', unseen: 2 });
      await world.must('CreateEndpointConfig', config());
      await refused('CreateEndpoint', endpoint(), 'Could not find endpoint configuration');
      await refused(
        'DescribeEndpointConfig',
        { EndpointConfigName: 'c' },
        'Could not find endpoint configuration',
      );
      await world.must('DescribeEndpointConfig', { EndpointConfigName: 'c' });
      await world.must('CreateEndpoint', endpoint());
    });

    test('one that an endpoint has, or gets, cannot be deleted until the endpoint is gone', async () => {
      await servingEndpoint(world);
      await world.must('CreateEndpointConfig', config('c2'));
      await refused('DeleteEndpointConfig', { EndpointConfigName: 'c' }, 'in use');
      await world.must('UpdateEndpoint', endpoint('e', 'c2'));
      await refused('DeleteEndpointConfig', { EndpointConfigName: 'c2' }, 'in use');
      expect(await statuses(2)).toEqual(['Updating', 'InService']);
      await world.must('DeleteEndpointConfig', { EndpointConfigName: 'c' });
      await world.must('DeleteEndpoint', { EndpointName: 'e' });
      await refused('DeleteEndpointConfig', { EndpointConfigName: 'c2' }, 'in use');
      expect(await statuses(1)).toEqual(['Deleting']);
      await world.must('DeleteEndpointConfig', { EndpointConfigName: 'c2' });
    });
  });
});
