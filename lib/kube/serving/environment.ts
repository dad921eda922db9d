import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { Environment } from '../environment.js';
import type { Faults } from '../faults.js';
import type { DomainSettings, Profile, SecretVariable } from '../profile.js';
import type { ServingEngine } from './input.js';
import type { Settings } from './settings.js';

/** Passed into the container under the name without this. */
const PASSED_ON = 'IC_ENV_';
const SECRET_ARN = /^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:.+$/;
const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** A variable whose value stands in Secrets Manager and is put into the workload's own secret before a deploy. */
export interface SettingSecret {
  variable: string;
  /** The setting that names it. */
  setting: string;
  arn: string;
}

/** The container's environment as the project's settings give it. */
export interface SettingVariables {
  literals: ReadonlyMap<string, string>;
  secrets: readonly SettingSecret[];
}

/**
 * What of the settings reaches the container: `IC_ENV_<NAME>` as `<NAME>`, the engine's own variables, the model's names,
 * and secrets by reference. `IC_ENV_` has the last word.
 */
export function settingVariables(
  settings: Settings,
  { engine, gpu, isStaged }: { engine: ServingEngine | undefined; gpu: number; isStaged: boolean },
  faults: Faults,
): SettingVariables {
  const literals = new Map<string, string>(engineDefaults(settings, engine, gpu));
  const secrets = new Map<string, SettingSecret>();
  const token = settings.get('HF_TOKEN_ARN');
  if (token !== '' && !isStaged)
    secrets.set('HF_TOKEN', { variable: 'HF_TOKEN', setting: 'HF_TOKEN_ARN', arn: token });
  const entries = settings.entries();
  for (const [name, value] of entries) {
    const isEngines = engine !== undefined && name.startsWith(engine.env_var_prefix);
    if (isEngines || name === 'MODEL_NAME' || name === 'HF_MODEL_ID') literals.set(name, value);
  }
  for (const [setting, value] of entries) {
    if (!setting.startsWith(PASSED_ON)) continue;
    const isSecret = setting.endsWith('_ARN') && SECRET_ARN.test(value);
    const variable = setting.slice(PASSED_ON.length, isSecret ? -'_ARN'.length : undefined);
    if (!VARIABLE.test(variable)) {
      faults.add(settings.where(setting), `${setting} gives no environment variable's name: \`${variable}\``);
    } else if (isSecret) {
      literals.delete(variable);
      secrets.set(variable, { variable, setting, arn: value });
    } else {
      secrets.delete(variable);
      literals.set(variable, value);
    }
  }
  return { literals, secrets: [...secrets.values()].sort(byVariable) };
}

/** What the workload itself asks of the engine: to use all its GPUs, and to take adapters where that was chosen. */
function engineDefaults(
  settings: Settings,
  engine: ServingEngine | undefined,
  gpu: number,
): [string, string][] {
  const suffix = engine?.dimension_map?.tensor_parallel_degree;
  const parallel: [string, string][] =
    engine && suffix && gpu > 1 ? [[`${engine.env_var_prefix}${suffix}`, String(gpu)]] : [];
  const takesAdapters = /^(?:true|yes|1)$/i.test(settings.get('HP_LORA_ENABLED'));
  return [...parallel, ...(takesAdapters ? Object.entries(engine?.adapter_api?.required_env ?? {}) : [])];
}

function byVariable(one: SettingSecret, other: SettingSecret): number {
  return one.variable < other.variable ? -1 : 1;
}

/**
 * The environment with the profile's variables over the settings' ones.
 * @param secretName the workload's own secret, whose keys are named like the variables
 */
export function servingEnvironment(
  { literals, secrets }: SettingVariables,
  secretName: string,
  profile: Profile,
  { env, secretEnv }: DomainSettings,
): { literals: ReadonlyMap<string, string>; entries: EnvVar[] } {
  const overridden = new Set([...env.keys(), ...secretEnv.map(({ name }) => name)]);
  const environment = new Environment(profile.expand ?? false);
  const own = secrets.map(
    ({ variable }): SecretVariable => ({ name: variable, secret: secretName, key: variable }),
  );
  environment.override(new Map(), own);
  environment.override(env, secretEnv);
  const kept = [...literals]
    .filter(([name]) => !overridden.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return { literals: new Map(kept), entries: environment.entries() };
}
