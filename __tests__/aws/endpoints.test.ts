import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { config, endpoint, model, servingComponent, servingEndpoint, variant } from './support/requests.js';
import { describeWithCloud, startWorld, type World } from './support/world.js';

const ARN = 'arn:aws:sagemaker:us-west-2:123456789012';

describeWithCloud('Endpoints', () => {
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

  test('need a config, and a name of their own', async () => {
    await refused(
      'CreateEndpoint',
      endpoint(),
      `Could not find endpoint configuration "${ARN}:endpoint-config/c".`,
    );
    await servingEndpoint(world);
    await refused(
      'CreateEndpoint',
      endpoint(),
      `Cannot create already existing endpoint "${ARN}:endpoint/e".`,
    );
  });

  test('need the models of their config', async () => {
    await world.must('CreateModel', model());
    await world.must('CreateEndpointConfig', withModel());
    await world.must('DeleteModel', { ModelName: 'm' });
    await refused('CreateEndpoint', endpoint('e', 'mc'), 'Could not find model');
  });

  test('come into service after a look, or later, or never', async () => {
    await world.must('CreateEndpointConfig', config());
    world.aws.plan({ kind: 'endpoint', name: 'e', on: 'create', looks: 3 });
    world.aws.plan({ kind: 'endpoint', name: /^never/, on: 'create', looks: Number.POSITIVE_INFINITY });
    await world.must('CreateEndpoint', endpoint());
    await world.must('CreateEndpoint', endpoint('never'));
    expect(await statuses(4)).toEqual(['Creating', 'Creating', 'Creating', 'InService']);
    await world.aws.tick(50);
    expect((await described('never')).EndpointStatus).toBe('Creating');
  });

  test('move on by the clock alone when a test wants it', async () => {
    world.aws.progress('manual');
    await world.must('CreateEndpointConfig', config());
    await world.must('CreateEndpoint', endpoint());
    expect(await statuses(3)).toEqual(['Creating', 'Creating', 'Creating']);
    await world.aws.tick();
    expect(await statuses(1)).toEqual(['InService']);
  });

  test('fail for a reason; deleting is all that can be done with such a one', async () => {
    world.aws.plan({ kind: 'endpoint', on: 'create', fails: 'no capacity' });
    await world.must('CreateEndpointConfig', config());
    await world.must('CreateEndpoint', endpoint());
    await described();
    expect(await described()).toMatchObject({ EndpointStatus: 'Failed', FailureReason: 'no capacity' });
    await world.must('CreateEndpointConfig', config('c2'));
    await refused('UpdateEndpoint', endpoint('e', 'c2'), 'with status Failed');
    await world.must('DeleteEndpoint', { EndpointName: 'e' });
  });

  test('in progress can be neither updated nor deleted', async () => {
    await world.must('CreateEndpointConfig', config());
    await world.must('CreateEndpointConfig', config('c2'));
    await world.must('CreateEndpoint', endpoint());
    await refused('UpdateEndpoint', endpoint('e', 'c2'), 'Cannot update in-progress endpoint');
    await refused('DeleteEndpoint', { EndpointName: 'e' }, 'Cannot update in-progress endpoint');
    await described();
    await world.must('DeleteEndpoint', { EndpointName: 'e' });
    await refused('DeleteEndpoint', { EndpointName: 'e' }, 'Cannot update in-progress endpoint');
  });

  test('are gone after Deleting', async () => {
    await servingEndpoint(world);
    await world.must('DeleteEndpoint', { EndpointName: 'e' });
    expect(await statuses(1)).toEqual(['Deleting']);
    await refused('DescribeEndpoint', { EndpointName: 'e' }, `Could not find endpoint "${ARN}:endpoint/e".`);
  });

  test('are updated to another config that is there', async () => {
    await servingEndpoint(world);
    await refused('UpdateEndpoint', endpoint('e', 'none'), 'Could not find endpoint configuration');
    await refused('UpdateEndpoint', endpoint(), 'already has the configuration');
    await world.must('CreateEndpointConfig', config('c2'));
    await world.must('UpdateEndpoint', endpoint('e', 'c2'));
    expect(await described()).toMatchObject({
      EndpointStatus: 'Updating',
      EndpointConfigName: 'c',
      PendingDeploymentSummary: { EndpointConfigName: 'c2' },
    });
    expect(await described()).toMatchObject({ EndpointStatus: 'InService', EndpointConfigName: 'c2' });
  });

  test('roll an update back, and say why', async () => {
    await servingEndpoint(world);
    await world.must('CreateEndpointConfig', config('c2'));
    world.aws.plan({ kind: 'endpoint', on: 'update', rollsBack: 'unhealthy', times: 1 });
    await world.must('UpdateEndpoint', endpoint('e', 'c2'));
    expect(await statuses(2)).toEqual(['Updating', 'RollingBack']);
    expect(await described()).toMatchObject({
      EndpointStatus: 'InService',
      EndpointConfigName: 'c',
      FailureReason: 'unhealthy',
    });
    await world.must('UpdateEndpoint', endpoint('e', 'c2'));
    await described();
    expect(await described()).not.toHaveProperty('FailureReason');
  });

  test('may fail to roll back, and can be updated then', async () => {
    await servingEndpoint(world);
    await world.must('CreateEndpointConfig', config('c2'));
    world.aws.plan({ kind: 'endpoint', on: 'update', rollbackFails: 'no capacity', times: 1 });
    await world.must('UpdateEndpoint', endpoint('e', 'c2'));
    expect(await statuses(3)).toEqual(['Updating', 'RollingBack', 'UpdateRollbackFailed']);
    await world.must('UpdateEndpoint', endpoint('e', 'c2'));
  });

  test('with components are not deleted, and keep their variants', async () => {
    await servingComponent(world);
    await refused('DeleteEndpoint', { EndpointName: 'e' }, 'it hosts inference components (ic)');
    await world.must('CreateEndpointConfig', config('c2', { VariantName: 'Other' }));
    await refused(
      'UpdateEndpoint',
      endpoint('e', 'c2'),
      'has no variant "AllTraffic" for the inference component',
    );
    await world.must('CreateModel', model());
    await world.must('CreateEndpointConfig', withModel());
    await refused('UpdateEndpoint', endpoint('e', 'mc'), 'for the inference component "ic"');
  });

  test('are listed by name, state and page, the newest first', async () => {
    await world.must('CreateEndpointConfig', config());
    for (const name of ['one', 'two', 'three']) await world.must('CreateEndpoint', endpoint(name));
    await world.must('DescribeEndpoint', { EndpointName: 'two' });
    const names = (output: Record<string, unknown>) =>
      (output.Endpoints as { EndpointName: string }[]).map(({ EndpointName }) => EndpointName);
    expect(names(await world.must('ListEndpoints', { StatusEquals: 'InService' }))).toEqual(['two']);
    expect(names(await world.must('ListEndpoints', { NameContains: 'T' }))).toEqual(['three', 'two']);
    const first = await world.must('ListEndpoints', {
      MaxResults: 2,
      SortBy: 'Name',
      SortOrder: 'Ascending',
    });
    expect(names(first)).toEqual(['one', 'three']);
    const second = { SortBy: 'Name', SortOrder: 'Ascending', NextToken: first.NextToken };
    expect(names(await world.must('ListEndpoints', second))).toEqual(['two']);
    await refused('ListEndpoints', { NextToken: 'x' }, 'Invalid pagination token');
  });

  test('tags of all kinds can be read, added and taken off', async () => {
    await servingEndpoint(world);
    const ResourceArn = `${ARN}:endpoint/e`;
    await world.must('AddTags', { ResourceArn, Tags: [{ Key: 'a', Value: '1' }] });
    await world.must('AddTags', {
      ResourceArn,
      Tags: [
        { Key: 'a', Value: '2' },
        { Key: 'b', Value: '' },
      ],
    });
    await world.must('DeleteTags', { ResourceArn, TagKeys: ['b'] });
    expect(await world.must('ListTags', { ResourceArn })).toEqual({ Tags: [{ Key: 'a', Value: '2' }] });
    await refused('ListTags', { ResourceArn: `${ARN}:endpoint/none` }, 'Could not find resource');
    await refused('AddTags', { ResourceArn, Tags: [{ Key: 'aws:x', Value: '' }] }, 'reserved');
    const Tags = Array.from({ length: 50 }, (_, number) => ({ Key: `k${number}`, Value: '' }));
    await refused('AddTags', { ResourceArn, Tags }, 'at most 50 tags');
  });
});
