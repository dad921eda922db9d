import type { KubeObject } from '../objects.js';
import { type PinImages, pinAll } from '../pin.js';
import { FETCH_IMAGE, servingConfigMap, servingDeployment, servingService } from './deployment.js';
import { servingFactsOf } from './facts.js';
import { inferenceEndpointConfig } from './inference-endpoint-config.js';
import type { ServingInput } from './input.js';

/**
 * Renders the workload of an MLCC project as its target's descriptor asks: a ConfigMap, Deployment and Service, or an
 * InferenceEndpointConfig. Throws a Failure that lists all faults of the input before any image is looked up.
 */
export async function renderServing(input: ServingInput, pin: PinImages): Promise<KubeObject[]> {
  const facts = servingFactsOf(input);
  const isDeployment = input.target.workload === 'deployment';
  const fetches = isDeployment && facts.source.kind === 's3';
  const images = [facts.image, ...(fetches ? [FETCH_IMAGE] : [])];
  const pinned = await pinAll(pin, images, facts.profile);
  if (!isDeployment) return [inferenceEndpointConfig(facts, pinned)];
  return [servingConfigMap(facts), servingDeployment(facts, pinned), servingService(facts)];
}
