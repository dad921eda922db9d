import { AwsError } from '../aws-error.js';
import { page } from './listing.js';
import { type Context, type Operations, structures, text } from './operation.js';
import type { Resource } from './resource.js';

export const clusterOperations: Operations = {
  CreateCluster(input, { region, resources }) {
    const name = text(input, 'ClusterName');
    if (resources.has('cluster', region, name)) {
      throw new AwsError(
        'ResourceInUse',
        `Resource Already Exists: Cluster with name ${name} already exists.`,
      );
    }
    const cluster = resources.add('cluster', region, name, input, 'Creating');
    const plan = resources.plans.take('cluster', name, 'create');
    resources.begin(cluster, 'Creating', plan.looks, () => {
      cluster.status = plan.fails === undefined ? 'InService' : 'Failed';
      if (plan.fails !== undefined) cluster.reason = plan.fails;
    });
    return { ClusterArn: cluster.arn };
  },

  async DescribeCluster(input, context) {
    const cluster = clusterOf(text(input, 'ClusterName'), context);
    const { name, arn, status, reason, createdAt, spec } = cluster;
    const { Orchestrator, VpcConfig, NodeRecovery } = spec;
    const description = {
      ClusterName: name,
      ClusterArn: arn,
      ClusterStatus: status,
      CreationTime: createdAt,
      ...(reason !== undefined && { FailureMessage: reason }),
      InstanceGroups: structures(spec.InstanceGroups).map(({ InstanceCount, ...group }) => ({
        ...group,
        CurrentCount: status === 'InService' ? InstanceCount : 0,
        TargetCount: InstanceCount,
      })),
      ...(Orchestrator !== undefined && { Orchestrator }),
      ...(VpcConfig !== undefined && { VpcConfig }),
      ...(NodeRecovery !== undefined && { NodeRecovery }),
    };
    await context.resources.looked(cluster);
    return description;
  },

  ListClusters(input, { region, resources }) {
    const { found, next } = page(input, resources.list('cluster', region));
    const ClusterSummaries = found.map(({ name, arn, status, createdAt }) => ({
      ClusterName: name,
      ClusterArn: arn,
      ClusterStatus: status,
      CreationTime: createdAt,
    }));
    return { ClusterSummaries, ...next };
  },

  DeleteCluster(input, context) {
    const cluster = clusterOf(text(input, 'ClusterName'), context);
    const plan = context.resources.plans.take('cluster', cluster.name, 'delete');
    context.resources.begin(cluster, 'Deleting', plan.looks, () => context.resources.remove(cluster));
    return { ClusterArn: cluster.arn };
  },
};

/** A cluster goes by its name or its ARN. */
function clusterOf(nameOrArn: string, { region, resources }: Context): Resource {
  const cluster = resources.byArn(nameOrArn) ?? resources.find('cluster', region, nameOrArn);
  if (!cluster) throw new AwsError('ResourceNotFound', `Cluster with name ${nameOrArn} does not exist.`);
  return cluster;
}
