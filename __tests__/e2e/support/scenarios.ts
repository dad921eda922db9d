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
