import type { Cloud } from './cloud.js';
import { xmlTexts } from './objects.js';

/** The names of all resources of all services, each as `service:kind name`, sorted. */
export async function snapshot(cloud: Cloud, region: string): Promise<string[]> {
  const found: string[] = [];
  for (const kind of SAGEMAKER_KINDS) {
    for (const { name, region: where } of cloud.resources.list(kind))
      found.push(`sagemaker:${kind} ${where}/${name}`);
  }
  for (const bucket of await cloud.objects.buckets()) {
    found.push(`s3:bucket ${bucket}`);
    for (const key of (await cloud.objects.keys(bucket, '')) ?? []) found.push(`s3:object ${bucket}/${key}`);
  }
  for (const element of QUERY_LISTS) {
    const xml = await cloud.moto.query(
      element.service,
      { Action: element.action, Version: element.version },
      region,
    );
    found.push(...xmlTexts(xml, element.element).map((name) => `${element.service}:${element.kind} ${name}`));
  }
  for (const { service, kind, target, member, name } of JSON_LISTS) {
    const list = (await cloud.moto.json(service, target, {}, region))[member] as (
      | string
      | Record<string, string>
    )[];
    found.push(
      ...(list ?? []).map((one) => `${service}:${kind} ${typeof one === 'string' ? one : one[name]}`),
    );
  }
  const { body } = await cloud.moto.rest('eks', 'GET', '/clusters', '', region);
  const { clusters } = JSON.parse(body.toString('utf8')) as { clusters: string[] };
  found.push(...clusters.map((name) => `eks:cluster ${name}`));
  // The service itself makes these, and they stay when the resource goes.
  return found.filter((line) => !isLogGroupOfTheService(line, cloud)).sort();
}

function isLogGroupOfTheService(line: string, { logs }: Cloud): boolean {
  return line.startsWith(LOG_GROUP) && logs.groups.has(line.slice(LOG_GROUP.length));
}

const LOG_GROUP = 'logs:group ';

const SAGEMAKER_KINDS = [
  'model',
  'endpoint-config',
  'endpoint',
  'inference-component',
  'transform-job',
  'ai-workload-config',
  'ai-benchmark-job',
  'ai-recommendation-job',
  'cluster',
] as const;

const QUERY_LISTS = [
  { service: 'sns', kind: 'topic', action: 'ListTopics', version: '2010-03-31', element: 'TopicArn' },
  {
    service: 'sns',
    kind: 'subscription',
    action: 'ListSubscriptions',
    version: '2010-03-31',
    element: 'SubscriptionArn',
  },
  { service: 'iam', kind: 'role', action: 'ListRoles', version: '2010-05-08', element: 'RoleName' },
];

const JSON_LISTS = [
  {
    service: 'secretsmanager',
    kind: 'secret',
    target: 'secretsmanager.ListSecrets',
    member: 'SecretList',
    name: 'Name',
  },
  {
    service: 'logs',
    kind: 'group',
    target: 'Logs_20140328.DescribeLogGroups',
    member: 'logGroups',
    name: 'logGroupName',
  },
  {
    service: 'ecr',
    kind: 'repository',
    target: 'AmazonEC2ContainerRegistry_V20150921.DescribeRepositories',
    member: 'repositories',
    name: 'repositoryName',
  },
  {
    service: 'codebuild',
    kind: 'project',
    target: 'CodeBuild_20161006.ListProjects',
    member: 'projects',
    name: 'name',
  },
];
