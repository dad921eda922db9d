import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { Environment } from '../environment.js';
import type { Faults } from '../faults.js';
import { DEPLOY_FACTS, type DeployTarget, type Manifest, ownDeployTarget } from '../manifest.js';
import type { DomainSettings, Profile } from '../profile.js';
import { pointer } from '../toml/positions.js';
import { AWS_TOKEN_FILE, KUBECONFIG_FILE, PULL_AUTHFILE, PUSH_AUTHFILE } from './paths.js';

interface ComponentTarget {
  component: string;
  target: DeployTarget;
}

/** What each component builds and deploys: `[deploy]` with `[deploy.<component>]` over it, key by key. */
export function deployTargets(manifest: Manifest): ComponentTarget[] {
  const { deploy = {} } = manifest.data;
  const { registry, dockerfile, base_ref, deploy_name, env } = deploy;
  const shared = definedOnly({ registry, dockerfile, base_ref, deploy_name, env });
  return manifest.components.flatMap(({ name }) => {
    const own = ownDeployTarget(manifest, name);
    if (own === undefined && Object.keys(shared).length === 0) return [];
    const target: DeployTarget = { ...shared, ...own, env: { ...shared.env, ...own?.env } };
    return [{ component: name, target }];
  });
}

/**
 * The environment of the run's container: the manifest's facts, the mounts, and the profile's variables on top.
 * @param supervisorImage the sandbox supervisor's image, pinned where its digest is known
 */
export function projectEnvironment(
  manifest: Manifest,
  profile: Profile,
  settings: DomainSettings,
  faults: Faults,
  supervisorImage: string | undefined = profile.cluster?.supervisor_image,
): EnvVar[] {
  const environment = new Environment(profile.expand ?? false, faults);
  environment.setField('POD_NAME', 'metadata.name');
  environment.setField('POD_UID', 'metadata.uid');
  environment.setField('POD_NAMESPACE', 'metadata.namespace');
  environment.set('OPENSHELL_SUPERVISOR_IMAGE', supervisorImage);
  if (profile.cluster?.kubeconfig_configmap) environment.set('KUBECONFIG', KUBECONFIG_FILE);
  if (profile.secrets?.pull_authfile) environment.set('REGISTRY_AUTH_FILE', PULL_AUTHFILE);
  if (profile.secrets?.push_authfile) environment.set('FORGE_AUTHFILE', PUSH_AUTHFILE);
  if (profile.cluster?.aws_role_arn) {
    environment.set('AWS_ROLE_ARN', profile.cluster.aws_role_arn);
    environment.set('AWS_WEB_IDENTITY_TOKEN_FILE', AWS_TOKEN_FILE);
  }
  projectBroker(manifest, environment);
  projectForge(manifest, environment, faults);
  handOnEnvironments(manifest, environment);
  environment.override(settings.env, settings.secretEnv);
  return environment.entries();
}

function projectBroker({ data, components }: Manifest, environment: Environment): void {
  const broker = data.agent?.broker;
  if (broker === undefined) return;
  environment.set('BROKER_BIND', broker.bind);
  environment.set('BROKER_NAME', broker.name);
  if (broker.build) environment.set('BROKER_BUILD', String(broker.build));
  if (components.length > 1)
    environment.set('BROKER_COMPOSITE', components.map(({ name }) => name).join(','));
  environment.set('BROKER_MEASURE_CMD', data.judge?.measure_cmd);
  environment.set('BROKER_COMPOSITE_APPLY_CMD', data.world?.apply_cmd);
}

/** What all targets share is told once, what differs is told with the component's name. */
function projectForge(manifest: Manifest, environment: Environment, faults: Faults): void {
  const targets = deployTargets(manifest);
  const owners = new Map<string, string>();
  for (const fact of DEPLOY_FACTS) {
    const [first, ...others] = targets.map(({ target }) => target[fact]);
    const name = fact.toUpperCase();
    if (others.every((value) => value === first)) {
      environment.set(`FORGE_${name}`, first);
      continue;
    }
    for (const { component, target } of targets) {
      if (target[fact] === undefined) continue;
      const variable = `FORGE_${upperSnake(component)}_${name}`;
      const owner = owners.get(variable);
      if (owner !== undefined) {
        const where = manifest.document.where('/component');
        faults.add(
          where,
          `components \`${owner}\` and \`${component}\` both become \`${variable}\`: rename one`,
        );
      }
      owners.set(variable, component);
      environment.set(variable, target[fact]);
    }
  }
}

function upperSnake(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
}

function handOnEnvironments(manifest: Manifest, environment: Environment): void {
  const { document, data } = manifest;
  const handOn = (table: readonly string[], name: string, value: string) => {
    const where = document.where(pointer([...table, name]));
    environment.handOn(name, value, { source: `[${table.join('.')}]`, where });
  };
  for (const [name, value] of Object.entries(data.agent?.env ?? {})) handOn(['agent', 'env'], name, value);
  for (const { component, target } of deployTargets(manifest)) {
    const own = ownDeployTarget(manifest, component)?.env ?? {};
    for (const [name, value] of Object.entries(target.env ?? {})) {
      const isOwn = Object.hasOwn(own, name);
      handOn(isOwn ? ['deploy', component, 'env'] : ['deploy', 'env'], name, value);
    }
  }
}

function definedOnly(target: { [Key in keyof DeployTarget]: DeployTarget[Key] | undefined }): DeployTarget {
  return Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined));
}
