import { type DeployedObjects, keyOf } from '../deployed.js';
import { servingIdentityOf } from './identity.js';
import type { ServingInput } from './input.js';
import { refuseWithoutWorkload } from './workload.js';

/** The objects of a serving workload, whatever its settings say beside names and places. */
export function objectsOfServing(input: ServingInput): DeployedObjects {
  refuseWithoutWorkload(input.target);
  const { name, namespace, project: partOf } = servingIdentityOf(input);
  if (input.target.workload === 'inference-endpoint-config') {
    const kind = 'InferenceEndpointConfig';
    return { keys: [keyOf('inference.sagemaker.aws.amazon.com/v1', kind, namespace, name)], partOf };
  }
  const kinds = [
    ['v1', 'Service'],
    ['apps/v1', 'Deployment'],
    ['v1', 'ConfigMap'],
  ] as const;
  return { keys: kinds.map(([apiVersion, kind]) => keyOf(apiVersion, kind, namespace, name)), partOf };
}
