import type { NeededSecret } from '../secrets.js';
import { servingFactsOf } from './facts.js';
import type { ServingInput } from './input.js';

/**
 * Every secret and key that a serving workload refers to. Those with an `arn` belong to the workload: a deploy fills them
 * from Secrets Manager; the others must be in the cluster.
 */
export function secretsOfServing(input: ServingInput): NeededSecret[] {
  const { namespace, secretName, secrets, profileSecrets, profile } = servingFactsOf(input);
  const pullSecret = input.target.workload === 'deployment' ? profile.image?.pull_secret : undefined;
  return [
    ...(pullSecret === undefined
      ? []
      : [{ secret: pullSecret, key: '.dockerconfigjson', neededBy: 'image.pull_secret' }]),
    ...secrets.map(({ variable, setting, arn }) => ({
      secret: secretName,
      key: variable,
      neededBy: setting,
      arn,
    })),
    ...profileSecrets.map(({ name, secret, key }) => ({ secret, key, neededBy: `secret_env ${name}` })),
  ].map((entry) => ({ namespace, ...entry }));
}
