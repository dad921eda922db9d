import { image, type Subject, subject, subjects } from './sagemaker.js';
import { callService } from './service-call.js';
import type { Stage } from './stage.js';

/** The name of an adapter on the project's component. */
export const ADAPTER = 'an-adapter';

/** A run of a verb that things go wrong in. */
export interface Scenario {
  title: string;
  subject: Subject;
  /** `deploy` where nothing serves at its beginning, `update` where something does, `read` where nothing changes. */
  kind: 'deploy' | 'update' | 'clean' | 'read';
  verb: string;
  args: readonly string[];
  /** Nothing goes wrong in it: it has the same calls as others, but comes to them in another way. */
  isPathOnly?: boolean;
  /** Ctrl-C in that call ends it, which would go on for ever. */
  interruptAt?: number;
  /** Brings the project to where the run begins. */
  prepare?: (stage: Stage) => Promise<void>;
}

/** Every run of deploy, update, clean and of the reading verbs, for each kind of SageMaker target. */
export function scenarios(): Scenario[] {
  const attached = subject('component', 'on the endpoint of others');
  return [
    ...subjects()
      .filter(({ settings }) => !settings.INSTANCE_TYPES)
      .map((one) => deployOf(one)),
    ...[subject('component', 'with a folder of weights'), subject('async'), subject('job'), attached].map(
      (one) => updateOf(one, 'a new image', ['--set', `ECR_IMAGE_URI=${image('b')}`]),
    ),
    updateOf(subject('component'), 'more copies', ['--set', 'IC_COPY_COUNT=2']),
    updateOf(subject('component'), 'another instance type', ['--set', 'INSTANCE_TYPE=ml.g5.2xlarge']),
    cleanOf(subject('component', 'with a folder of weights'), 'and an adapter', addAdapter),
    cleanOf(attached),
    cleanOf(subject('async')),
    cleanOf(subject('job'), 'that runs', keepRunning),
    overLeftoversOf(subject('component', 'with a folder of weights'), [
      '--set',
      'INSTANCE_TYPE=ml.g5.2xlarge',
      '--set',
      `ECR_IMAGE_URI=${image('b')}`,
    ]),
    overLeftoversOf(subject('async'), ['--set', `ECR_IMAGE_URI=${image('b')}`]),
    overLeftoversOf(subject('job'), ['--set', `ECR_IMAGE_URI=${image('b')}`], keepRunning),
    ...paths(),
    ...['component', 'async', 'job'].flatMap((invocation) =>
      ['status', 'test', 'logs'].map((verb) => readOf(subject(invocation), verb)),
    ),
  ];
}

const deployed = async (stage: Stage): Promise<void> => {
  await stage.project.must('deploy');
};

function deployOf(one: Subject): Scenario {
  return { title: `deploy ${one.title}`, subject: one, kind: 'deploy', verb: 'deploy', args: [] };
}

function updateOf(one: Subject, what: string, args: readonly string[]): Scenario {
  const kind = one.target.family === 'sagemaker-job' ? 'deploy' : 'update';
  return {
    title: `update ${one.title}: ${what}`,
    subject: one,
    kind,
    verb: 'deploy',
    args,
    prepare: deployed,
  };
}

function cleanOf(one: Subject, what = '', more?: (stage: Stage) => Promise<void>): Scenario {
  const prepare = async (stage: Stage): Promise<void> => {
    await deployed(stage);
    await more?.(stage);
  };
  return {
    title: `clean ${one.title} ${what}`.trim(),
    subject: one,
    kind: 'clean',
    verb: 'clean',
    args: ['--yes'],
    prepare,
  };
}

/** A deploy over what an earlier one has left that was killed before it could say that all is there. */
function overLeftoversOf(
  one: Subject,
  args: readonly string[],
  more?: (stage: Stage) => Promise<void>,
): Scenario {
  const prepare = async (stage: Stage): Promise<void> => {
    await deployed(stage);
    await more?.(stage);
    const { status_var } = one.target;
    stage.project.set({ [status_var]: 'Creating', [status_var.replace(/STATUS$/, 'IMAGE')]: '' });
  };
  return {
    title: `deploy over leftovers of ${one.title}`,
    subject: one,
    kind: 'deploy',
    verb: 'deploy',
    args,
    prepare,
  };
}

/** Runs that come to calls in ways that no other does. */
function paths(): Scenario[] {
  const [component, async] = [subject('component', 'with a folder of weights'), subject('async')];
  const update = (one: Subject, what: string, args: readonly string[], prepare = deployed): Scenario => ({
    ...updateOf(one, what, args),
    isPathOnly: true,
    prepare,
  });
  const read = (title: string, args: readonly string[], rest: Partial<Scenario>): Scenario => ({
    ...readOf(async, 'logs'),
    title,
    args,
    isPathOnly: true,
    ...rest,
  });
  const without = (remove: (stage: Stage) => Promise<void>) => async (stage: Stage) => {
    await deployed(stage);
    await remove(stage);
  };
  return [
    update(async, 'back to the image before', ['--rollback'], async (stage) => {
      await deployed(stage);
      await stage.project.must('deploy', ['--set', `ECR_IMAGE_URI=${image('b')}`]);
    }),
    update(async, 'configured anew', ['--reconfigure', '--yes']),
    update(component, 'weights in an archive', ['--set', 'STAGED_MODEL_PATH=s3://data/weights.tar.gz']),
    update(component, 'whose component is gone', [], without(removeComponent)),
    update(
      component,
      'whose endpoint is gone',
      [],
      without(async (stage) => {
        await removeComponent(stage);
        await removeEndpoint(stage);
      }),
    ),
    update(async, 'whose endpoint is gone', [], without(removeEndpoint)),
    read('logs of a model that has said nothing', [], { prepare: without(removeLogs) }),
    read('logs that go on until Ctrl-C', ['--follow'], { interruptAt: 4 }),
  ];
}

async function removeComponent({ cloud: { aws } }: Stage): Promise<void> {
  for (const { name } of aws.resources('inference-component')) {
    await callService(aws, 'sagemaker', 'DeleteInferenceComponent', { InferenceComponentName: name });
    await callService(aws, 'sagemaker', 'DescribeInferenceComponent', { InferenceComponentName: name });
  }
}

async function removeEndpoint({ cloud: { aws } }: Stage): Promise<void> {
  for (const { name } of aws.resources('endpoint')) {
    await callService(aws, 'sagemaker', 'DeleteEndpoint', { EndpointName: name });
    await callService(aws, 'sagemaker', 'DescribeEndpoint', { EndpointName: name });
  }
}

async function removeLogs({ cloud: { aws } }: Stage): Promise<void> {
  for (const { name } of aws.resources('endpoint')) {
    await callService(aws, 'logs', 'DeleteLogGroup', { logGroupName: `/aws/sagemaker/Endpoints/${name}` });
  }
}

function readOf(one: Subject, verb: string): Scenario {
  return { title: `${verb} of ${one.title}`, subject: one, kind: 'read', verb, args: [], prepare: deployed };
}

/** An adapter on the component, as the project makes them. */
async function addAdapter({ cloud: { aws }, subject: { target }, project }: Stage): Promise<void> {
  await callService(aws, 'sagemaker', 'CreateInferenceComponent', {
    InferenceComponentName: ADAPTER,
    EndpointName: project.record(target, 'ENDPOINT'),
    Specification: {
      BaseInferenceComponentName: project.record(target, 'COMPONENT'),
      Container: { ArtifactUrl: 's3://data/adapter.tar.gz' },
    },
    Tags: [
      { Key: 'mlcc:project', Value: 'demo' },
      { Key: 'mlcc:target', Value: target.target },
    ],
  });
  await callService(aws, 'sagemaker', 'DescribeInferenceComponent', { InferenceComponentName: ADAPTER });
}

/** The job goes on for ever, until it is stopped. */
async function keepRunning({ cloud: { aws } }: Stage): Promise<void> {
  for (const job of aws.resources('transform-job')) {
    job.status = 'InProgress';
    delete job.endedAt;
    job.steps = [];
  }
}
