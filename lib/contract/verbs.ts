import type { VerbName } from '../catalog/index.js';

export const scriptTypes = ['model-centric', 'deployment-centric', 'hybrid'] as const;
export const guards = [
  'none',
  'artifact-ready',
  'model-staged',
  'deployment-recorded',
  'deployment-active',
] as const;
export const lifecycles = [
  'configuration',
  'build',
  'local-test',
  'publish',
  'deploy',
  'monitor',
  'post-deploy',
  'teardown',
  'ci',
  'metadata',
] as const;

export type Guard = (typeof guards)[number];

/** One verb of the do/ project. `targets: 'map'` means that each descriptor's `verbs` decides. */
export type Verb = {
  type: (typeof scriptTypes)[number];
  guard: Guard;
  lifecycle: (typeof lifecycles)[number];
  summary: string;
} & ({ name: VerbName; targets: 'map' } | { name: string; targets: 'all' });

/** Every verb that a do/ project has or will have, in the order of a model's life. A script's header repeats its row. */
export const verbs: readonly Verb[] = [
  verb(
    'config',
    'model-centric',
    'none',
    'configuration',
    'The settings and state of the project (sourced data).',
  ),
  verb('build', 'model-centric', 'none', 'build', 'Builds the container image.'),
  verb('submit', 'model-centric', 'none', 'build', 'Builds the container image in CodeBuild.'),
  verb('run', 'model-centric', 'none', 'local-test', 'Runs the image on this machine.'),
  verb('push', 'model-centric', 'none', 'publish', 'Pushes the image and records its digest.'),
  verb('stage', 'model-centric', 'none', 'publish', 'Copies the model weights to S3.'),
  verb('deploy', 'deployment-centric', 'none', 'deploy', 'Deploys the model, or updates what is deployed.'),
  verb('status', 'deployment-centric', 'none', 'monitor', "Shows every target's recorded and live state."),
  verb('test', 'deployment-centric', 'deployment-active', 'monitor', 'Sends one real request.'),
  verb('logs', 'deployment-centric', 'deployment-recorded', 'monitor', 'Shows the logs of the deployment.'),
  restricted('benchmark', 'deployment-active', 'post-deploy', 'Measures latency and throughput.'),
  restricted('optimize', 'deployment-active', 'post-deploy', 'Asks the service for recommended settings.'),
  restricted('adapter', 'deployment-active', 'post-deploy', 'Adds, lists and removes LoRA adapters.'),
  restricted('add-ic', 'deployment-active', 'post-deploy', 'Adds an inference component to the endpoint.'),
  restricted('draft', 'deployment-active', 'post-deploy', 'Sets up speculative decoding.'),
  {
    ...verb('ci', 'model-centric', 'none', 'ci', 'Installs and runs the CI harness.'),
    name: 'ci',
    targets: 'map',
  },
  verb('clean', 'deployment-centric', 'none', 'teardown', 'Deletes what deploy created, and only that.'),
  verb('export', 'model-centric', 'none', 'metadata', "Prints the project's settings as JSON."),
];

function verb(
  name: string,
  type: Verb['type'],
  guard: Guard,
  lifecycle: Verb['lifecycle'],
  summary: string,
): Verb & { targets: 'all' } {
  return { name, type, guard, lifecycle, targets: 'all', summary };
}

function restricted(name: VerbName, guard: Guard, lifecycle: Verb['lifecycle'], summary: string): Verb {
  return { name, type: 'deployment-centric', guard, lifecycle, targets: 'map', summary };
}
