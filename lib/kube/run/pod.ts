import type { Affinity, Container, Pod } from 'kubernetes-types/core/v1.js';
import { literal } from '../expansion.js';
import { Faults } from '../faults.js';
import { parseReference } from '../images/index.js';
import { labelValue } from '../names.js';
import type { KubeObject } from '../objects.js';
import { platformSelector, resourceRequirements } from '../placement.js';
import type { RunFacts } from './facts.js';
import { projectEnvironment } from './projection.js';
import { type PackReference, runVolumes } from './volumes.js';
import { STAGER, WRAPPER } from './wrapper.js';

/** Time for a run that is told to end to write its last records and for the wrapper to send them. */
const GRACE_SECONDS = 120;

/** The Pod of a run: one privileged container around crucible, and an init container when a pack is delivered. */
export function runPod(
  facts: RunFacts,
  pinned: (image: string) => string,
  pack: PackReference | undefined,
): KubeObject {
  const { profile, required, settings, stateClaim } = facts;
  const image = pinned(required.loopImage);
  const { volumes, mounts, stagingMounts } = runVolumes(facts, pack);
  const { supervisor_image: supervisor, avoid_nodes: avoidNodes = [], platform } = profile.cluster ?? {};
  const container: Container = {
    name: facts.input.mode.kind,
    image,
    command: ['/bin/bash', '-c', literal(WRAPPER), 'run'],
    args: wrapperArguments(facts, pinned).map(literal),
    env: projectEnvironment(
      facts.manifest,
      profile,
      settings,
      new Faults(),
      supervisor && pinned(supervisor),
    ),
    resources: resourceRequirements(settings.resources),
    securityContext: { privileged: true },
    volumeMounts: mounts,
  };
  const stager: Container = {
    name: 'stage-pack',
    image,
    command: ['/bin/sh', '-c', literal(STAGER), 'stage', facts.domainFolder],
    volumeMounts: stagingMounts,
  };
  const version = parseReference(required.loopImage).tag;
  const pod: Pod & KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: facts.podName,
      namespace: required.loopNamespace,
      labels: {
        ...facts.labels,
        ...(version === undefined ? {} : { 'app.kubernetes.io/version': labelValue(version) }),
      },
    },
    spec: {
      serviceAccountName: required.serviceAccount,
      automountServiceAccountToken: false,
      // A service that happens to be called `vllm` would set VLLM_PORT.
      enableServiceLinks: false,
      restartPolicy: stateClaim === undefined ? 'Never' : 'OnFailure',
      terminationGracePeriodSeconds: GRACE_SECONDS,
      ...(profile.image?.pull_secret ? { imagePullSecrets: [{ name: profile.image.pull_secret }] } : {}),
      ...(platform ? { nodeSelector: platformSelector(platform) } : {}),
      ...(avoidNodes.length > 0 ? { affinity: awayFrom(avoidNodes) } : {}),
      ...(pack ? { initContainers: [stager] } : {}),
      containers: [container],
      volumes,
    },
  };
  return pod;
}

/** The wrapper's own arguments and then crucible's, as wrapper.ts takes them. */
function wrapperArguments(facts: RunFacts, pinned: (image: string) => string): string[] {
  const { manifest, domainFolder, profile, input, stateClaim } = facts;
  const sandbox = manifest.data.agent?.sandbox_image;
  const { ingest_url: ingestUrl = '', results_bucket: bucket } = profile.cluster ?? {};
  const sandboxImage = sandbox === undefined ? '' : pinned(sandbox);
  // A manifest that names a digest needs no tag to mean it.
  const sandboxTag = sandbox === undefined || sandbox.includes('@') ? '' : sandbox;
  const own = [domainFolder, ingestUrl, sandboxImage, sandboxTag];
  const manifestArguments = ['--manifest', `${domainFolder}/${manifest.file.name}`];
  const cost = ['--max-cost', String(input.mode.maxCost)];
  if (input.mode.kind === 'playbook') {
    const { maxTime = '', params } = input.mode;
    const ceilings = [...cost, '--max-time', maxTime];
    return [
      ...own,
      'plan',
      'run',
      ...manifestArguments,
      ...ceilings,
      ...params.flatMap((param) => ['--param', param]),
    ];
  }
  const iterations = ['--iterations', String(input.mode.iterations)];
  const results = bucket === undefined ? [] : ['--results-bucket', bucket];
  return [
    ...own,
    ...manifestArguments,
    ...iterations,
    ...cost,
    ...results,
    ...(stateClaim ? ['--resume'] : []),
  ];
}

function awayFrom(nodes: readonly string[]): Affinity {
  const expression = { key: 'kubernetes.io/hostname', operator: 'NotIn', values: [...nodes].sort() };
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [expression] }],
      },
    },
  };
}
