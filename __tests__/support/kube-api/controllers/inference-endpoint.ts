import { ApiError } from '../api-error.js';
import { type JsonObject, type KubeObject, listAt, sameJson, valueAt } from '../json.js';
import { conditionOf, isTrue, withCondition } from './conditions.js';
import type { EndpointPlan, Plans } from './plans.js';
import { type Controller, controlledBy, isOwnedBy, type Tools } from './tools.js';

const ENDPOINT_FINALIZER = 'inference.sagemaker.aws.amazon.com/finalizer';
const OPERATOR = 'hyperpod-inference-operator';
const STEP_SECONDS = 1;
const DEPLOY_SECONDS = 3600;

/** Plays the inference operator: a Deployment per config, and the states that lead to it and away from it. */
export const inferenceEndpointController =
  (plans: Plans): Controller =>
  ({ object, previous, type }, tools) => {
    if (object.kind === 'InferenceEndpointConfig' && type !== 'DELETED') {
      if (!object.metadata.deletionTimestamp && !sameJson(object.spec, previous?.spec))
        begin(object, plans, tools);
      if (object.metadata.deletionTimestamp && !previous?.metadata.deletionTimestamp)
        end(object, plans, tools);
    }
    if (object.kind === 'Deployment' && type === 'MODIFIED') {
      for (const config of tools.list('InferenceEndpointConfig', object.metadata.namespace)) {
        if (isOwnedBy(object, config)) follow(config, object, plans, tools);
      }
    }
  };

function setState(config: KubeObject, state: string, message: string, tools: Tools): void {
  const endpoint = valueAt(config, 'spec', 'endpointName');
  const endpointState = state === 'DeploymentComplete' ? 'CreationCompleted' : 'CreationInProgress';
  const condition = { type: state, status: 'True', reason: state, message } as const;
  tools.updateStatus(
    config,
    (draft) => {
      draft.status = {
        ...(draft.status as JsonObject | undefined),
        state,
        observedGeneration: config.metadata.generation ?? 1,
        ...(endpoint && state.startsWith('Deployment')
          ? { endpoints: { sagemaker: { state: endpointState } } }
          : {}),
      };
      const others = listAt(draft, 'status', 'conditions').map((old) => ({ ...old, status: 'False' }));
      (draft.status as JsonObject).conditions = others;
      (draft.status as JsonObject).conditions = withCondition(draft, condition, tools.clock.timestamp());
    },
    OPERATOR,
  );
}

/** The config as it is now, if it is still of this generation. */
function sameGeneration(config: KubeObject, tools: Tools): KubeObject | undefined {
  const now = tools.get('InferenceEndpointConfig', config.metadata.namespace, config.metadata.name);
  const isSame =
    now?.metadata.uid === config.metadata.uid && now?.metadata.generation === config.metadata.generation;
  return isSame ? now : undefined;
}

function begin(config: KubeObject, plans: Plans, tools: Tools): void {
  tools.update(
    config,
    ({ metadata }) => {
      metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), ENDPOINT_FINALIZER])];
    },
    OPERATOR,
  );
  tools.clock.after(STEP_SECONDS, () => {
    const now = sameGeneration(config, tools);
    if (now) setState(now, 'DeploymentPending', 'waiting for resources', tools);
  });
  tools.clock.after(2 * STEP_SECONDS, () => {
    const now = sameGeneration(config, tools);
    if (!now) return;
    setState(now, 'DeploymentInProgress', 'the model is being deployed', tools);
    const plan = plans.forEndpoint(now);
    if (plan.deploy === 'failed') {
      tools.clock.after(STEP_SECONDS, () =>
        fail(now, plan.message ?? 'the operator could not deploy the model', tools),
      );
    } else {
      deployOrFail(now, tools);
      // a change that leaves the Deployment as it is ends here
      const deployment = tools.get('Deployment', now.metadata.namespace, now.metadata.name);
      if (deployment) follow(now, deployment, plans, tools);
    }
  });
  const limit = Number(valueAt(config, 'spec', 'maxDeployTimeInSeconds') ?? DEPLOY_SECONDS);
  tools.clock.after(limit, () => {
    if (plans.forEndpoint(config).deploy !== 'never')
      fail(config, `not deployed within ${limit} seconds`, tools);
  });
}

function fail(config: KubeObject, message: string, tools: Tools): void {
  const now = sameGeneration(config, tools);
  if (now && valueAt(now, 'status', 'state') === 'DeploymentInProgress')
    setState(now, 'DeploymentFailed', message, tools);
}

/** What the cluster refuses of the worker, the operator can only report. */
function deployOrFail(config: KubeObject, tools: Tools): void {
  try {
    deploy(config, tools);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    fail(config, error.message, tools);
  }
}

/** The Deployment of a config's worker: made, or brought up to date. */
function deploy(config: KubeObject, tools: Tools): void {
  const { name, namespace } = config.metadata;
  const spec = deploymentSpec(config);
  const existing = tools.get('Deployment', namespace, name);
  const home = namespace === undefined ? {} : { namespace };
  if (!existing)
    tools.create(
      'Deployment',
      { metadata: { name, ...home, ownerReferences: [controlledBy(config)] }, spec },
      OPERATOR,
    );
  else if (isOwnedBy(existing, config)) {
    tools.update(
      existing,
      (draft) => {
        draft.spec = { ...(draft.spec as JsonObject), ...spec };
      },
      OPERATOR,
    );
  }
}

function deploymentSpec(config: KubeObject): JsonObject {
  const worker = valueAt(config, 'spec', 'worker') as JsonObject;
  const labels = { app: config.metadata.name };
  const volume = valueAt(worker, 'modelVolumeMount') as JsonObject;
  const port = valueAt(worker, 'modelInvocationPort') as JsonObject;
  return {
    replicas: Number(valueAt(config, 'spec', 'replicas') ?? 1),
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: config.metadata.name.slice(0, 63),
            image: worker.image ?? '',
            ...(worker.command && { command: worker.command }),
            ...(worker.args && { args: worker.args }),
            ...(worker.environmentVariables && { env: worker.environmentVariables }),
            resources: worker.resources ?? {},
            ports: [port],
            volumeMounts: [{ name: volume.name ?? '', mountPath: volume.mountPath ?? '/opt/ml/model' }],
          },
        ],
        volumes: [{ name: volume.name ?? '', emptyDir: {} }],
      },
    },
  };
}

/** The config's state follows its Deployment's. */
function follow(given: KubeObject, deployment: KubeObject, plans: Plans, tools: Tools): void {
  const config = sameGeneration(given, tools);
  if (!config) return;
  const plan: EndpointPlan = plans.forEndpoint(config);
  if (config.metadata.deletionTimestamp || (plan.deploy ?? 'pods') !== 'pods') return;
  if (valueAt(config, 'status', 'state') !== 'DeploymentInProgress') return;
  const progress = conditionOf(deployment, 'Progressing');
  const isSeen = valueAt(deployment, 'status', 'observedGeneration') === deployment.metadata.generation;
  if (isSeen && isTrue(deployment, 'Available') && progress?.reason === 'NewReplicaSetAvailable') {
    setState(config, 'DeploymentComplete', 'the model is deployed', tools);
  } else if (isSeen && progress?.reason === 'ProgressDeadlineExceeded') {
    fail(config, String(progress.message), tools);
  }
}

function end(config: KubeObject, plans: Plans, tools: Tools): void {
  const { deletion = 'complete', message = 'the endpoint could not be deleted' } = plans.forEndpoint(config);
  setState(config, 'DeletionPending', 'waiting to delete', tools);
  tools.clock.after(STEP_SECONDS, () => {
    setState(config, 'DeletionInProgress', 'the endpoint is being deleted', tools);
    if (deletion === 'never') return;
    tools.clock.after(STEP_SECONDS, () => {
      if (deletion === 'failed') return setState(config, 'DeletionFailed', message, tools);
      tools.update(
        config,
        ({ metadata }) => {
          metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== ENDPOINT_FINALIZER);
        },
        OPERATOR,
      );
    });
  });
}
