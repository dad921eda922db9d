import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  adapter,
  component,
  config,
  endpoint,
  IMAGE,
  model,
  servingComponent,
  servingEndpoint,
  specification,
  variant,
} from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

describeWithCloud('Inference components', () => {
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
  const name = (InferenceComponentName = 'ic') => ({ InferenceComponentName });
  const described = (which = 'ic') => world.must('DescribeInferenceComponent', name(which));
  const servingAdapter = async () => {
    await servingComponent(world);
    await world.must('CreateInferenceComponent', adapter());
    await described('lora');
  };

  test('need an endpoint in service', async () => {
    await refused('CreateInferenceComponent', component(), 'Could not find endpoint');
    await world.must('CreateEndpointConfig', config());
    await world.must('CreateEndpoint', endpoint());
    await refused('CreateInferenceComponent', component(), 'it is Creating');
  });

  test('come into service, and show what they run', async () => {
    await servingEndpoint(world);
    await world.must('CreateInferenceComponent', component());
    expect(await described()).toMatchObject({ InferenceComponentStatus: 'Creating' });
    expect(await described()).toMatchObject({
      InferenceComponentStatus: 'InService',
      Specification: { Container: { DeployedImage: { SpecifiedImage: IMAGE } } },
      RuntimeConfig: { DesiredCopyCount: 1, CurrentCopyCount: 1 },
    });
  });

  const base = (changes: object) => component('new', { Specification: specification(changes) });
  test.each<[string, object, string]>([
    [
      'no specification',
      component('new', { Specification: undefined }),
      'either Specification or Specifications',
    ],
    ['both forms', component('new', { Specifications: [specification()] }), 'either Specification or'],
    [
      'several of one type',
      component('new', { Specification: undefined, Specifications: [specification(), specification()] }),
      'an InstanceType of its own',
    ],
    ['neither model nor container', base({ Container: undefined }), 'either ModelName or Container'],
    ['model and container', base({ ModelName: 'm' }), 'either ModelName or Container'],
    ['a model that is not there', base({ Container: undefined, ModelName: 'm' }), 'Could not find model'],
    ['no image', base({ Container: { ArtifactUrl: 's3://b/m.tar.gz' } }), 'needs an Image'],
    ['weights in a folder', base({ Container: { Image: IMAGE, ArtifactUrl: 's3://b/m/' } }), '.tar.gz'],
    [
      'no memory',
      base({ ComputeResourceRequirements: undefined }),
      'ComputeResourceRequirements is required',
    ],
    [
      'a range that is none',
      base({ ComputeResourceRequirements: { MinMemoryRequiredInMb: 256, MaxMemoryRequiredInMb: 255 } }),
      'must not be less than',
    ],
    ['no copies', component('new', { RuntimeConfig: undefined }), 'RuntimeConfig is required'],
    ['another variant', component('new', { VariantName: 'Other' }), 'has no variant "Other"'],
    ['no variant', component('new', { VariantName: undefined }), 'has no variant ""'],
    ['a name that is taken', component('ic'), 'Cannot create already existing inference component'],
    ['an adapter of nothing', adapter('new', 'none'), 'Could not find inference component'],
    [
      'an adapter with an image',
      adapter('new', 'ic', {
        Specification: {
          BaseInferenceComponentName: 'ic',
          Container: { Image: IMAGE, ArtifactUrl: 's3://b/l.tar.gz' },
        },
      }),
      'neither Image nor ModelName',
    ],
    [
      'an adapter without weights',
      adapter('new', 'ic', { Specification: { BaseInferenceComponentName: 'ic' } }),
      'An adapter has a Container with ArtifactUrl',
    ],
    [
      'an adapter whose weights are a folder',
      adapter('new', 'ic', {
        Specification: { BaseInferenceComponentName: 'ic', Container: { ArtifactUrl: 's3://b/l/' } },
      }),
      '.tar.gz',
    ],
    [
      'an adapter with memory of its own',
      adapter('new', 'ic', {
        Specification: {
          BaseInferenceComponentName: 'ic',
          Container: { ArtifactUrl: 's3://b/l.tar.gz' },
          ComputeResourceRequirements: { MinMemoryRequiredInMb: 128 },
        },
      }),
      'uses the compute resources',
    ],
    [
      'an adapter with copies',
      adapter('new', 'ic', { RuntimeConfig: { CopyCount: 1 } }),
      'the copies of its base',
    ],
    ['an adapter on an adapter', adapter('new', 'lora'), 'is itself an adapter'],
  ])('refused: %s', async (_what, input, message) => {
    await servingAdapter();
    await refused('CreateInferenceComponent', input, message);
  });

  test('are refused where the variant has a model', async () => {
    await world.must('CreateModel', model());
    const ProductionVariants = [variant({ ModelName: 'm' })];
    await world.must('CreateEndpointConfig', { EndpointConfigName: 'c', ProductionVariants });
    await world.must('CreateEndpoint', endpoint());
    await world.must('DescribeEndpoint', { EndpointName: 'e' });
    await refused('CreateInferenceComponent', component(), 'it takes no components');
  });

  test('an adapter needs its base in service, on the same endpoint', async () => {
    await servingEndpoint(world);
    await world.must('CreateInferenceComponent', component());
    await refused('CreateInferenceComponent', adapter(), 'is Creating, not InService');
    await world.must('CreateEndpoint', endpoint('e2'));
    await world.must('DescribeEndpoint', { EndpointName: 'e2' });
    await described();
    await refused(
      'CreateInferenceComponent',
      adapter('lora', 'ic', { EndpointName: 'e2' }),
      'not on the endpoint e2',
    );
  });

  test('fail for a reason', async () => {
    await servingEndpoint(world);
    world.aws.plan({ kind: 'inference-component', on: 'create', fails: 'out of memory' });
    await world.must('CreateInferenceComponent', component());
    await described();
    expect(await described()).toMatchObject({
      InferenceComponentStatus: 'Failed',
      FailureReason: 'out of memory',
    });
    await refused(
      'UpdateInferenceComponent',
      { ...name(), RuntimeConfig: { CopyCount: 2 } },
      'with status Failed',
    );
    await world.must('DeleteInferenceComponent', name());
  });

  test('cannot be deleted or updated while they are changing', async () => {
    await servingEndpoint(world);
    await world.must('CreateInferenceComponent', component());
    const update = { ...name(), RuntimeConfig: { CopyCount: 2 } };
    await refused('DeleteInferenceComponent', name(), 'Cannot delete in-progress inference component');
    await refused('UpdateInferenceComponent', update, 'Cannot update in-progress inference component');
    await described();
    await world.must('UpdateInferenceComponent', update);
    await refused('DeleteInferenceComponent', name(), 'it is Updating');
  });

  test('are gone after Deleting, adapters before their bases', async () => {
    await servingAdapter();
    await refused('DeleteInferenceComponent', name(), 'the base of adapters (lora)');
    await world.must('DeleteInferenceComponent', name('lora'));
    await refused('DeleteInferenceComponent', name(), 'the base of adapters (lora)');
    expect(await described('lora')).toMatchObject({ InferenceComponentStatus: 'Deleting' });
    await refused('DescribeInferenceComponent', name('lora'), 'Could not find inference component');
    await world.must('DeleteInferenceComponent', name());
  });

  test('are updated to another specification, or to other copies', async () => {
    await servingComponent(world);
    const Image = IMAGE.replace(/a+$/, 'b'.repeat(64));
    await refused('UpdateInferenceComponent', name(), 'nothing to update');
    await refused(
      'UpdateInferenceComponent',
      { ...name(), Specification: specification({ Container: {} }) },
      'needs an Image',
    );
    await world.must('UpdateInferenceComponent', {
      ...name(),
      Specification: specification({ Container: { Image } }),
    });
    const running = (image: string) => ({
      Specification: { Container: { DeployedImage: { SpecifiedImage: image } } },
    });
    expect(await described()).toMatchObject({ InferenceComponentStatus: 'Updating', ...running(IMAGE) });
    expect(await described()).toMatchObject({ InferenceComponentStatus: 'InService', ...running(Image) });
    const copies = { ...name(), DesiredRuntimeConfig: { CopyCount: 3 } };
    await world.must('UpdateInferenceComponentRuntimeConfig', copies);
    expect(await described()).toMatchObject({ InferenceComponentStatus: 'Updating' });
    expect(await described()).toMatchObject({ RuntimeConfig: { DesiredCopyCount: 3 }, ...running(Image) });
  });

  test('an adapter has no copies of its own', async () => {
    await servingAdapter();
    const copies = { ...name('lora'), DesiredRuntimeConfig: { CopyCount: 2 } };
    await refused('UpdateInferenceComponentRuntimeConfig', copies, 'has no copies of its own');
  });

  test('roll an update back, or fail in it', async () => {
    await servingComponent(world);
    world.aws.plan({ kind: 'inference-component', on: 'update', fails: 'crash' });
    world.aws.plan({ kind: 'inference-component', on: 'update', rollsBack: 'unhealthy', times: 1 });
    const update = { ...name(), RuntimeConfig: { CopyCount: 5 } };
    await world.must('UpdateInferenceComponent', update);
    await described();
    expect(await described()).toMatchObject({
      InferenceComponentStatus: 'InService',
      FailureReason: 'unhealthy',
      RuntimeConfig: { DesiredCopyCount: 1 },
    });
    await world.must('UpdateInferenceComponent', update);
    await described();
    expect(await described()).toMatchObject({ InferenceComponentStatus: 'Failed', FailureReason: 'crash' });
  });

  test('keep the model that they run from being deleted', async () => {
    await world.must('CreateModel', model());
    await servingEndpoint(world);
    const Specification = specification({ Container: undefined, ModelName: 'm' });
    await world.must('CreateInferenceComponent', component('ic', { Specification }));
    await refused('DeleteModel', { ModelName: 'm' }, 'inference-component/ic');
    await described();
    await world.must('DeleteInferenceComponent', name());
    await described();
    await world.must('DeleteModel', { ModelName: 'm' });
  });

  test('are listed by endpoint and variant', async () => {
    await servingComponent(world);
    const names = async (input: object) =>
      ((await world.must('ListInferenceComponents', input)).InferenceComponents as object[]).length;
    expect(await names({ EndpointNameEquals: 'e' })).toBe(1);
    expect(await names({ EndpointNameEquals: 'e2' })).toBe(0);
    expect(await names({ VariantNameEquals: 'Other' })).toBe(0);
  });
});
