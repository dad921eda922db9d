import type { KubeObject } from '../objects.js';
import { type PinImages, pinAll } from '../pin.js';
import { factsOf } from './facts.js';
import type { RunInput } from './input.js';
import { packConfigMap } from './pack.js';
import { runPod } from './pod.js';
import { rigRoleBinding } from './role-binding.js';

/**
 * Renders a run: the ConfigMap of a delivered pack, the binding to the rig's namespace, and the Pod, in the order in
 * which they can be applied. Throws a Failure that lists all faults of the input before any image is looked up.
 */
export async function renderRun(input: RunInput, pin: PinImages): Promise<KubeObject[]> {
  const facts = factsOf(input);
  const pinned = await pinAll(pin, facts.images, facts.profile);
  const namespace = facts.required.loopNamespace;
  const pack = input.pack && packConfigMap(input.pack, facts.manifest, { namespace, labels: facts.labels });
  const reference = pack && { configMap: pack.object.metadata.name, items: pack.items };
  return [...(pack ? [pack.object] : []), rigRoleBinding(facts), runPod(facts, pinned, reference)];
}
