import { loadCatalog, type Target } from '../../../lib/catalog/index.js';
import { ACCOUNT, type Aws, REGION } from '../../support/aws/index.js';
import type { EmulatedAws } from './emulated-aws.js';
import { LiveProject } from './live-project.js';
import { callService } from './service-call.js';

export const ROLE = 'arn:aws:iam::123456789012:role/execution';
export const BUCKET = 'data';
export const RECORDS = '{"inputs": "one"}\n{"inputs": "two"}\n';

/** An image by digest; another letter is another image. */
export const image = (letter: string): string =>
  `123456789012.dkr.ecr.${REGION}.amazonaws.com/demo@sha256:${letter.repeat(64)}`;

/** A SageMaker target as it is deployed in the tests. */
export interface Subject {
  title: string;
  target: Target['manifest'];
  settings: Readonly<Record<string, string>>;
}

const COMMON = {
  AWS_REGION: REGION,
  ROLE_ARN: ROLE,
  ECR_IMAGE_URI: image('a'),
  INSTANCE_TYPE: 'ml.g5.xlarge',
};

type Variants = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The ways to deploy a target, by how it is invoked. */
const VARIANTS: Readonly<Record<string, Variants>> = {
  component: {
    plain: {},
    'with a folder of weights': { STAGED_MODEL_PATH: `s3://${BUCKET}/weights/` },
    'on the endpoint of others': { ENDPOINT_STRATEGY: 'existing', ENDPOINT_NAME: 'theirs' },
    'on several instance types': {
      ENDPOINT_STRATEGY: 'heterogeneous',
      INSTANCE_TYPES: 'ml.g6e.2xlarge,ml.g5.2xlarge',
    },
  },
  async: {
    plain: { ASYNC_S3_OUTPUT_PATH: `s3://${BUCKET}/results` },
    'with a topic': {
      ASYNC_S3_OUTPUT_PATH: `s3://${BUCKET}/results`,
      ASYNC_SNS_TOPIC: `arn:aws:sns:${REGION}:${ACCOUNT}:news`,
      HF_TOKEN_ARN: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:hub`,
    },
  },
  job: { plain: { BATCH_INPUT_PATH: `s3://${BUCKET}/in`, BATCH_OUTPUT_PATH: `s3://${BUCKET}/out` } },
};

/** Every SageMaker target of the catalogue in every variant; one that nobody has thought of here is an error. */
export function subjects(): Subject[] {
  return sagemakerTargets().flatMap((target) =>
    Object.entries(VARIANTS[target.invocation] ?? {}).map(([variant, settings]) => ({
      title: `${target.target}, ${variant}`,
      target,
      settings: { ...COMMON, ...settings, DEPLOYMENT_TARGET: target.target },
    })),
  );
}

/** The plain variant of the first target with that invocation. */
export function subject(invocation: string, variant = 'plain'): Subject {
  const found = subjects().find(
    ({ title, target }) => target.invocation === invocation && title.endsWith(`, ${variant}`),
  );
  if (!found) throw new Error(`no target is invoked as ${invocation}, ${variant}`);
  return found;
}

function sagemakerTargets(): Target['manifest'][] {
  const found = loadCatalog()
    .targets.map(({ manifest }) => manifest)
    .filter(({ family }) => family !== 'kubernetes');
  for (const { target, invocation } of found) {
    if (!VARIANTS[invocation])
      throw new Error(`${target}: no settings for a target that is invoked as ${invocation}`);
  }
  return found;
}

/** Puts into the cloud what people have there before they deploy. */
export async function furnish({ aws }: EmulatedAws, { settings }: Subject): Promise<void> {
  await aws.objects.createBucket(BUCKET);
  await aws.objects.write({ bucket: BUCKET, key: 'in/1.jsonl' }, RECORDS);
  await aws.objects.write({ bucket: BUCKET, key: 'weights/config.json' }, '{}');
  await aws.objects.write({ bucket: BUCKET, key: 'results/earlier.out' }, '{}');
  await aws.createTopic('news');
  await createSecret(aws);
  if (settings.ENDPOINT_STRATEGY === 'existing') await makeOthersEndpoint(aws, settings.ENDPOINT_NAME ?? '');
  aws.calls.clear();
}

/** The account's secret, which a second project in it finds there. */
async function createSecret(aws: Aws): Promise<void> {
  try {
    await callService(aws, 'secretsmanager', 'CreateSecret', { Name: 'hub', SecretString: 'hf_token' });
  } catch (error) {
    if (!String(error).includes('ResourceExistsException')) throw error;
  }
}

/** An endpoint of somebody else, in service. */
async function makeOthersEndpoint(aws: Aws, EndpointName: string): Promise<void> {
  const EndpointConfigName = `${EndpointName}-config`;
  const ProductionVariants = [
    { VariantName: 'Theirs', InstanceType: 'ml.g5.xlarge', InitialInstanceCount: 1 },
  ];
  const config = { EndpointConfigName, ExecutionRoleArn: ROLE, ProductionVariants };
  await callService(aws, 'sagemaker', 'CreateEndpointConfig', config);
  await callService(aws, 'sagemaker', 'CreateEndpoint', { EndpointName, EndpointConfigName });
  await callService(aws, 'sagemaker', 'DescribeEndpoint', { EndpointName });
}

/** A project for that subject, freshly scaffolded. */
export function projectFor(
  { environment }: EmulatedAws,
  { settings }: Subject,
  projectName?: string,
): LiveProject {
  return new LiveProject(environment, settings, projectName);
}
