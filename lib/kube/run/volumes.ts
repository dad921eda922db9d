import type { KeyToPath, Volume, VolumeMount, VolumeProjection } from 'kubernetes-types/core/v1.js';
import type { RunFacts } from './facts.js';
import * as paths from './paths.js';

/** A volume of the run's Pod and where its containers see it. */
interface Mounted {
  volume: Volume;
  /** Mount in the run's container. */
  mount?: Omit<VolumeMount, 'name'>;
  /** Mount in the init container. */
  staging?: Omit<VolumeMount, 'name'>;
}

const TOKEN_SECONDS = 3600;
const AWS_AUDIENCE = 'sts.amazonaws.com';

/** The delivered pack, as the Pod refers to it. */
export interface PackReference {
  configMap: string;
  items: KeyToPath[];
}

export interface RunVolumes {
  volumes: Volume[];
  mounts: VolumeMount[];
  stagingMounts: VolumeMount[];
}

/** All volumes of a run's Pod with their mounts, in a fixed order. */
export function runVolumes(facts: RunFacts, pack: PackReference | undefined): RunVolumes {
  const mounted = [
    apiAccess(),
    ...identity(facts),
    ...configMaps(facts),
    ...authFiles(facts),
    { volume: { name: 'build-storage', emptyDir: {} }, mount: { mountPath: paths.BUILD_STORAGE_FOLDER } },
    ...(pack ? delivery(facts, pack) : []),
    ...state(facts),
  ];
  const named = (which: 'mount' | 'staging') =>
    mounted.flatMap((entry) => {
      const mount = entry[which];
      return mount ? [{ name: entry.volume.name, ...mount }] : [];
    });
  return {
    volumes: mounted.map(({ volume }) => volume),
    mounts: named('mount'),
    stagingMounts: named('staging'),
  };
}

/** What Kubernetes would mount itself, but with a token that rotates and that only this container sees. */
function apiAccess(): Mounted {
  const sources: VolumeProjection[] = [
    { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
  ];
  return {
    volume: { name: 'api-access', projected: { sources } },
    mount: { mountPath: paths.API_ACCESS_FOLDER, readOnly: true },
  };
}

function identity({ profile }: RunFacts): Mounted[] {
  const { aws_role_arn: role, ingest_url: ingest } = profile.cluster ?? {};
  const token = (file: string, audience: string): VolumeProjection => ({
    serviceAccountToken: {
      audience,
      expirationSeconds: TOKEN_SECONDS,
      path: file.slice(paths.IDENTITY_FOLDER.length + 1),
    },
  });
  const sources = [
    ...(role === undefined ? [] : [token(paths.AWS_TOKEN_FILE, AWS_AUDIENCE)]),
    ...(ingest === undefined ? [] : [token(paths.INGEST_TOKEN_FILE, new URL(ingest).origin)]),
  ];
  if (sources.length === 0) return [];
  return [
    {
      volume: { name: 'identity', projected: { sources } },
      mount: { mountPath: paths.IDENTITY_FOLDER, readOnly: true },
    },
  ];
}

function configMaps({ profile }: RunFacts): Mounted[] {
  const { kubeconfig_configmap: kubeconfig, prior_candidate_configmap: candidate } = profile.cluster ?? {};
  return [
    { volume: 'kubeconfig', name: kubeconfig, mountPath: paths.KUBECONFIG_FOLDER },
    { volume: 'prior-candidate', name: candidate, mountPath: paths.PRIOR_CANDIDATE_FOLDER },
  ].flatMap(({ volume, name, mountPath }) =>
    name === undefined
      ? []
      : [{ volume: { name: volume, configMap: { name } }, mount: { mountPath, readOnly: true } }],
  );
}

function authFiles({ profile }: RunFacts): Mounted[] {
  const { pull_authfile: pull, push_authfile: push } = profile.secrets ?? {};
  return [
    { volume: 'pull-auth', secretName: pull, mountPath: paths.PULL_AUTH_FOLDER },
    { volume: 'push-auth', secretName: push, mountPath: paths.PUSH_AUTH_FOLDER },
  ].flatMap(({ volume, secretName, mountPath }) => {
    if (secretName === undefined) return [];
    const items = [{ key: paths.AUTHFILE_KEY, path: paths.AUTHFILE_NAME }];
    return [
      { volume: { name: volume, secret: { secretName, items } }, mount: { mountPath, readOnly: true } },
    ];
  });
}

function delivery({ domainFolder }: RunFacts, { configMap, items }: PackReference): Mounted[] {
  return [
    {
      volume: { name: 'pack', configMap: { name: configMap, items } },
      staging: { mountPath: paths.PACK_FOLDER, readOnly: true },
    },
    {
      volume: { name: 'domain', emptyDir: {} },
      mount: { mountPath: domainFolder },
      staging: { mountPath: domainFolder },
    },
  ];
}

function state({ stateClaim, domainFolder, manifest }: RunFacts): Mounted[] {
  if (stateClaim === undefined) return [];
  return [
    {
      volume: { name: 'state', persistentVolumeClaim: { claimName: stateClaim } },
      // One claim serves all domains of a cluster: each has a folder of its own in it.
      mount: { mountPath: `${domainFolder}/state`, subPath: manifest.name },
    },
  ];
}
