import type { NeededSecret } from '../secrets.js';
import { factsOf } from './facts.js';
import type { RunInput } from './input.js';
import { AUTHFILE_KEY } from './paths.js';

/** Every secret and key that a run refers to, in a fixed order, whatever it may spend; the renderer itself reads none. */
export function secretsOfRun(input: RunInput): NeededSecret[] {
  const { profile, required, settings } = factsOf(input, { checksLimits: false });
  const files = [
    { secret: profile.image?.pull_secret, neededBy: 'image.pull_secret' },
    { secret: profile.secrets?.pull_authfile, neededBy: 'secrets.pull_authfile' },
    { secret: profile.secrets?.push_authfile, neededBy: 'secrets.push_authfile' },
  ].flatMap(({ secret, neededBy }) =>
    secret === undefined ? [] : [{ secret, key: AUTHFILE_KEY, neededBy }],
  );
  const variables = settings.secretEnv.map(({ secret, key, name }) => ({
    secret,
    key,
    neededBy: `secret_env ${name}`,
  }));
  variables.sort((one, other) => (one.neededBy < other.neededBy ? -1 : 1));
  return [...files, ...variables].map((entry) => ({ namespace: required.loopNamespace, ...entry }));
}
