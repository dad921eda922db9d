import type { ResourceRequirements } from 'kubernetes-types/core/v1.js';
import type { EffectiveResources } from './profile.js';

/** A container's resources. Of GPUs, request and limit are the same, as the cluster demands. */
export function resourceRequirements({
  cpuRequest,
  memoryRequest,
  cpuLimit,
  memoryLimit,
  gpu,
}: EffectiveResources): ResourceRequirements {
  const gpus = gpu > 0 ? { 'nvidia.com/gpu': String(gpu) } : {};
  const limits = {
    ...(cpuLimit === undefined ? {} : { cpu: cpuLimit }),
    ...(memoryLimit === undefined ? {} : { memory: memoryLimit }),
    ...gpus,
  };
  return {
    requests: { cpu: cpuRequest, memory: memoryRequest, ...gpus },
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

/** An image that is pinned for one platform can only run there. */
export function platformSelector(platform: string): Record<string, string> {
  const [os = '', architecture = ''] = platform.split('/');
  return { 'kubernetes.io/arch': architecture, 'kubernetes.io/os': os };
}
