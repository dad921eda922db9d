import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AwsProject, image, names, ROLE, targetWith } from './support/aws-project.js';

const FACTS = { invocation: 'component' } as const;
const ENDPOINT = 'the-endpoint';
let project: AwsProject;
beforeEach(() => {
  project = new AwsProject(FACTS, {
    INSTANCE_TYPE: 'ml.g5.12xlarge',
    ENDPOINT_NAME: ENDPOINT,
    VLLM_MAX_MODEL_LEN: '4096',
    IC_ENV_LOG: 'debug',
  });
});
afterEach(() => project.remove());

const TAGS = [
  { Key: 'mlcc:project', Value: 'demo' },
  { Key: 'mlcc:target', Value: targetWith(FACTS).target },
];

function deploy(...args: string[]) {
  project.deploy(...args);
  return project.takeChanges();
}

describe('a first deploy', () => {
  test('makes config, endpoint and component in this order, with the requests that the service wants', () => {
    const [config, endpoint, component] = deploy();
    expect(config).toMatchObject({ call: 'sagemaker create-endpoint-config' });
    expect(config?.request).toEqual({
      EndpointConfigName: project.record('CONFIG'),
      ExecutionRoleArn: ROLE,
      ProductionVariants: [
        {
          VariantName: 'AllTraffic',
          InstanceType: 'ml.g5.12xlarge',
          InitialInstanceCount: 1,
          ManagedInstanceScaling: { Status: 'ENABLED', MinInstanceCount: 1, MaxInstanceCount: 10 },
          RoutingConfig: { RoutingStrategy: 'LEAST_OUTSTANDING_REQUESTS' },
        },
      ],
      Tags: TAGS,
    });
    expect(endpoint?.request).toEqual({
      EndpointName: ENDPOINT,
      EndpointConfigName: project.record('CONFIG'),
      Tags: TAGS,
    });
    expect(component?.request).toEqual({
      InferenceComponentName: 'demo-component',
      EndpointName: ENDPOINT,
      VariantName: 'AllTraffic',
      Specification: {
        Container: {
          Image: image('a'),
          Environment: { LOG: 'debug', MODEL_NAME: 'Qwen/Qwen3-0.6B', VLLM_MAX_MODEL_LEN: '4096' },
        },
        StartupParameters: {
          ModelDataDownloadTimeoutInSeconds: 3600,
          ContainerStartupHealthCheckTimeoutInSeconds: 3600,
        },
        ComputeResourceRequirements: {
          MinMemoryRequiredInMb: 4096,
          NumberOfAcceleratorDevicesRequired: 4,
        },
      },
      RuntimeConfig: { CopyCount: 1 },
      Tags: TAGS,
    });
    expect(project.record('STATUS')).toBe('InService');
    expect(project.record('ENDPOINT_OWNED')).toBe('yes');
  });

  test('a heterogeneous endpoint has pools by priority instead of an instance type', () => {
    const [config] = deploy(
      '--endpoint-strategy',
      'heterogeneous',
      '--instance-types',
      'ml.g6.12xlarge,ml.g5.12xlarge',
    );
    const variants = config?.request?.ProductionVariants as Record<string, unknown>[];
    expect(variants[0]).not.toHaveProperty('InstanceType');
    expect(variants[0]?.InstancePools).toEqual([
      { InstanceType: 'ml.g6.12xlarge', Priority: 1 },
      { InstanceType: 'ml.g5.12xlarge', Priority: 2 },
    ]);
  });

  test.each([
    [['--instance-type', 'ml.unheard.large'], 'ml.unheard.large'],
    [
      ['--endpoint-strategy', 'heterogeneous', '--instance-types', 'ml.g5.12xlarge,ml.g5.xlarge'],
      'different numbers',
    ],
    [['--endpoint-strategy', 'heterogeneous'], 'INSTANCE_TYPES is empty'],
  ])('a number of accelerators is asked for, never guessed: %j', (args, reason) => {
    const { code, stderr } = project.run('deploy', args);
    expect({ code, calls: project.aws.takeCalls() }).toEqual({ code: 2, calls: [] });
    expect(stderr).toContain(reason);
  });

  test('CPUs alone: no accelerator is asked of the service, which takes at least one or none', () => {
    const [, , component] = deploy('--instance-type', 'ml.c7i.4xlarge', '--set', 'IC_CPU_COUNT=3.5');
    expect(component?.request?.Specification).toMatchObject({
      ComputeResourceRequirements: { MinMemoryRequiredInMb: 4096, NumberOfCpuCoresRequired: 3.5 },
    });
    expect(JSON.stringify(component?.request)).not.toContain('Accelerator');
  });

  test('an archive of weights goes to the component, a folder of them by way of a model', () => {
    project.set({ STAGED_MODEL_PATH: 's3://bucket/model.tar.gz' });
    expect(deploy().at(-1)?.request?.Specification).toMatchObject({
      Container: { ArtifactUrl: 's3://bucket/model.tar.gz' },
    });
    project.set({ STAGED_MODEL_PATH: 's3://bucket/weights' });
    const changes = deploy();
    expect(names(changes)).toEqual(['create-model', 'update-inference-component']);
    expect(changes[0]?.request?.PrimaryContainer).toMatchObject({
      Image: image('a'),
      ModelDataSource: {
        S3DataSource: { S3Uri: 's3://bucket/weights/', S3DataType: 'S3Prefix', CompressionType: 'None' },
      },
    });
    expect(changes[1]?.request?.Specification).toMatchObject({
      ModelName: project.record('COMPONENT_MODEL'),
    });
    expect(names(deploy('--set', `ECR_IMAGE_URI=${image('b')}`))).toEqual([
      'create-model',
      'update-inference-component',
      'delete-model',
    ]);
    expect(project.run('clean', ['--yes']).code).toBe(0);
    expect(project.aws.leftovers()).toEqual([]);
  });

  test('does not take over an endpoint that somebody else made', () => {
    project.aws.setState({ endpoint: { [ENDPOINT]: foreignEndpoint() } });
    const { code, stderr } = project.run('deploy');
    expect({ code, changes: project.takeChanges(), endpoint: project.record('ENDPOINT') }).toEqual({
      code: 1,
      changes: [],
      endpoint: undefined,
    });
    expect(stderr).toContain(`there is an endpoint ${ENDPOINT} already`);
  });
});

describe('an update', () => {
  beforeEach(() => {
    deploy();
  });

  test('with another image rolls the component; nothing is made or deleted', () => {
    const changes = deploy('--set', `ECR_IMAGE_URI=${image('b')}`);
    expect(names(changes)).toEqual(['update-inference-component']);
    expect(changes[0]?.request).toMatchObject({
      InferenceComponentName: 'demo-component',
      Specification: { Container: { Image: image('b') } },
      RuntimeConfig: { CopyCount: 1 },
    });
  });

  test('of the copies alone changes the copies alone', () => {
    const changes = deploy('--set', 'IC_COPY_COUNT=3');
    expect(changes.map(({ call, request }) => ({ call, request }))).toEqual([
      {
        call: 'sagemaker update-inference-component-runtime-config',
        request: { InferenceComponentName: 'demo-component', DesiredRuntimeConfig: { CopyCount: 3 } },
      },
    ]);
  });

  test('[C27] with another instance type: a new config, the endpoint moves, and only then the old config goes', () => {
    const before = project.record('CONFIG');
    const changes = deploy('--instance-type', 'ml.g6.12xlarge');
    expect(names(changes)).toEqual([
      'create-endpoint-config',
      'update-endpoint',
      'delete-endpoint-config',
      'update-inference-component',
    ]);
    expect(changes[2]?.arguments).toEqual(['--endpoint-config-name', before]);
    expect(project.record('CONFIG')).toBe(changes[0]?.request?.EndpointConfigName);
    expect(project.aws.leftovers()).toHaveLength(3);
  });

  test('that the service rolls back keeps what serves: the status, the old config; the new one goes', () => {
    const before = project.record('CONFIG');
    project.aws.setOutcome('Updating endpoint', {
      Status: 'InService',
      Reason: 'no capacity for ml.g6.12xlarge',
      RolledBack: true,
    });
    const { code, stderr } = project.run('deploy', ['--instance-type', 'ml.g6.12xlarge']);
    expect(code).toBe(1);
    expect(stderr).toContain('no capacity for ml.g6.12xlarge');
    expect({
      status: project.record('STATUS'),
      config: project.record('CONFIG'),
      previous: project.record('PREVIOUS_CONFIG'),
    }).toEqual({ status: 'InService', config: before, previous: '' });
    expect(project.aws.leftovers()).toHaveLength(3);
  });

  test('after which nothing serves is Failed', () => {
    project.aws.setOutcome('Updating inference-component', {
      Status: 'Failed',
      Reason: 'the container does not start',
    });
    const { code, stderr } = project.run('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]);
    expect({ code, status: project.record('STATUS'), image: project.record('IMAGE') }).toEqual({
      code: 1,
      status: 'Failed',
      image: image('a'),
    });
    expect(stderr).toContain('the container does not start');
    project.takeChanges();
    expect(names(deploy())).toEqual(['delete-inference-component', 'create-inference-component']);
  });
});

describe('over leftovers', () => {
  test('an endpoint that failed is deleted, what is healthy is kept', () => {
    project.aws.setOutcome('Creating endpoint', { Status: 'Failed', Reason: 'insufficient capacity' });
    const { code, stderr } = project.run('deploy');
    expect({ code, status: project.record('STATUS') }).toEqual({ code: 1, status: 'Failed' });
    expect(stderr).toContain('insufficient capacity');
    project.takeChanges();
    expect(names(deploy())).toEqual(['delete-endpoint', 'create-endpoint', 'create-inference-component']);
  });

  test('[C34] an endpoint that never gets ready: a bounded wait, then a deploy goes on with it, or a clean waits for it', () => {
    project.aws.setOutcome('Creating endpoint', 'stuck');
    const { code, stderr } = project.run('deploy', ['--set', 'DEPLOY_TIMEOUT=6']);
    expect({ code, status: project.record('STATUS') }).toEqual({ code: 1, status: 'Failed' });
    expect(stderr).toContain('still Creating');
    const cleaned = project.run('clean', ['--yes', '--set', 'DEPLOY_TIMEOUT=1'], { DEPLOY_TIMEOUT: '1' });
    expect(cleaned.code).toBe(1);
    expect(names(project.takeChanges())).toEqual(['create-endpoint-config', 'create-endpoint']);
    expect(project.aws.leftovers()).toEqual([
      `endpoint-config ${project.record('CONFIG')}`,
      `endpoint ${ENDPOINT}`,
    ]);
    project.aws.release('endpoint', ENDPOINT);
    expect(project.run('clean', ['--yes']).code).toBe(0);
    expect({ leftovers: project.aws.leftovers(), status: project.record('STATUS') }).toEqual({
      leftovers: [],
      status: '',
    });
  });

  test('of the same settings makes nothing twice', () => {
    project.aws.setOutcome('Creating inference-component', 'stuck');
    expect(project.run('deploy', ['--set', 'DEPLOY_TIMEOUT=8']).code).toBe(1);
    project.takeChanges();
    project.aws.release('inference-component', 'demo-component');
    expect(names(deploy())).toEqual([]);
    expect(project.record('STATUS')).toBe('InService');
  });
});

describe('ENDPOINT_STRATEGY=existing', () => {
  const args = ['--endpoint-strategy', 'existing'];

  test('attaches a component to the running endpoint, and clean leaves the endpoint', () => {
    project.aws.setState({ endpoint: { [ENDPOINT]: foreignEndpoint() }, 'endpoint-config': foreignConfig() });
    const changes = deploy(...args);
    expect(names(changes)).toEqual(['create-inference-component']);
    expect(changes[0]?.request).toMatchObject({ EndpointName: ENDPOINT, VariantName: 'theirs' });
    expect(project.run('clean', ['--yes']).code).toBe(0);
    expect(project.aws.leftovers()).toEqual(['endpoint-config their-config', `endpoint ${ENDPOINT}`]);
  });

  test('refuses an endpoint that is not there before anything is changed', () => {
    const { code, stderr } = project.run('deploy', args);
    expect({ code, changes: project.takeChanges() }).toEqual({ code: 1, changes: [] });
    expect(stderr).toContain(`the endpoint ${ENDPOINT} is absent`);
  });
});

describe('clean', () => {
  test('deletes adapters before what they build on, then the endpoint, then its config', () => {
    deploy();
    const { state } = project.aws;
    const adapter = (name: string, base: string) => ({
      Arn: `arn:aws:sagemaker:eu-west-1:123456789012:inference-component/${name}`,
      Status: 'InService',
      Progress: ['InService'],
      Reason: null,
      Request: {
        InferenceComponentName: name,
        EndpointName: ENDPOINT,
        Specification: { BaseInferenceComponentName: base },
        Tags: TAGS,
      },
    });
    project.aws.setState({
      ...state,
      'inference-component': {
        ...state['inference-component'],
        'an-adapter': adapter('an-adapter', 'demo-component'),
      },
    });
    const { code } = project.run('clean', ['--yes']);
    const changes = project.takeChanges();
    expect({ code, names: names(changes) }).toEqual({
      code: 0,
      names: [
        'delete-inference-component',
        'delete-inference-component',
        'delete-endpoint',
        'delete-endpoint-config',
      ],
    });
    expect(changes[0]?.arguments).toContain('an-adapter');
    expect(project.aws.leftovers()).toEqual([]);
    expect(project.run('clean', ['--yes']).code).toBe(0);
  });

  test('leaves a resource that somebody else has made under the recorded name', () => {
    deploy();
    project.aws.setState({
      ...project.aws.state,
      'inference-component': {},
      endpoint: { [ENDPOINT]: foreignEndpoint() },
    });
    const { code, stderr } = project.run('clean', ['--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain("is not this project's");
    expect(project.aws.leftovers()).toContain(`endpoint ${ENDPOINT}`);
  });
});

function foreignEndpoint() {
  return {
    Arn: `arn:aws:sagemaker:eu-west-1:123456789012:endpoint/${ENDPOINT}`,
    Status: 'InService',
    Progress: ['InService'],
    Reason: null,
    Request: { EndpointName: ENDPOINT, EndpointConfigName: 'their-config', Tags: [] },
  };
}

function foreignConfig() {
  return {
    'their-config': {
      Arn: 'arn:aws:sagemaker:eu-west-1:123456789012:endpoint-config/their-config',
      Request: {
        EndpointConfigName: 'their-config',
        ProductionVariants: [{ VariantName: 'theirs' }],
        Tags: [],
      },
    },
  };
}
