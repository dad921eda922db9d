import { deploymentController } from './deployment.js';
import { garbageController } from './garbage.js';
import { inferenceEndpointController } from './inference-endpoint.js';
import { kubelet } from './kubelet.js';
import { namespaceController } from './namespace.js';
import type { Plans } from './plans.js';
import { replicaSetController } from './replica-set.js';
import { scheduler } from './scheduler.js';
import type { Controller } from './tools.js';
import { volumeClaimController } from './volume-claim.js';

/** Everything that makes a cluster of this server. */
export const allControllers = (plans: Plans, certificateAuthority: string): readonly Controller[] => [
  namespaceController(certificateAuthority),
  garbageController,
  deploymentController,
  replicaSetController,
  scheduler(plans),
  kubelet(plans),
  volumeClaimController,
  inferenceEndpointController(plans),
];
