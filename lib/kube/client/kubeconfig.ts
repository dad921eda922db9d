import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { Failure } from '../../failure/index.js';
import { parseYaml } from './yaml.js';

/** How a cluster is chosen. */
export interface ClusterChoice {
  /** Paths of kubeconfigs, parted as in KUBECONFIG. Default: KUBECONFIG, else ~/.kube/config, else the Pod's own access. */
  kubeconfig?: string | undefined;
  /** Default: the current context. */
  context?: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** A cluster as a kubeconfig writes it. */
export interface ClusterEntry {
  server: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
}

/** A program that prints credentials. */
export interface ExecEntry {
  apiVersion?: string;
  command: string;
  args?: string[];
  env?: { name: string; value: string }[] | null;
  installHint?: string;
  provideClusterInfo?: boolean;
}

/** A user as a kubeconfig writes it. */
export interface UserEntry {
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  exec?: ExecEntry;
  'auth-provider'?: { name: string; config?: Record<string, string> };
  as?: string;
}

/** A cluster with the way in. File paths are absolute. */
export interface Access {
  /** Name of the context; for messages. */
  context: string;
  /** Where objects without a namespace are. */
  namespace: string;
  cluster: ClusterEntry;
  user: UserEntry;
}

interface Kubeconfig {
  'current-context'?: string;
  clusters: Map<string, ClusterEntry>;
  users: Map<string, UserEntry>;
  contexts: Map<string, { cluster: string; user?: string; namespace?: string }>;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Finds the way to a cluster. Throws a Failure that says what to name where there is none. */
export function findAccess({ kubeconfig, context, env }: ClusterChoice): Access {
  const files = kubeconfigFiles(kubeconfig, env);
  if (files.length === 0) {
    const own = context === undefined ? inCluster(env) : undefined;
    if (own) return own;
    throw noKubeconfig(kubeconfig, env);
  }
  const config = merged(files);
  const name = context ?? config['current-context'];
  const known = [...config.contexts.keys()].sort().join(', ') || 'none';
  if (!name) {
    throw new Failure({
      what: 'the kubeconfig names no current context',
      why: `${files.join(', ')} has ${known}`,
      next: 'name one with --context, or choose it: kubectl config use-context NAME',
      exit: 2,
    });
  }
  const found = config.contexts.get(name);
  if (!found) {
    throw new Failure({
      what: `there is no context \`${name}\` in the kubeconfig`,
      why: `${files.join(', ')} has ${known}`,
      next: 'name one of these with --context, or another file with --kubeconfig',
      exit: 2,
    });
  }
  const cluster = config.clusters.get(found.cluster);
  if (!cluster) throw dangling(name, 'cluster', found.cluster, files);
  const user = found.user ? config.users.get(found.user) : {};
  if (!user) throw dangling(name, 'user', found.user ?? '', files);
  if (!URL.canParse(cluster.server)) {
    const why = `\`${cluster.server}\` is not an address`;
    throw new Failure({ what: `the cluster \`${found.cluster}\` of ${files.join(', ')} has no server`, why });
  }
  return { context: name, namespace: found.namespace || 'default', cluster, user };
}

/** The kubeconfigs that exist; one that was named by an option must. */
function kubeconfigFiles(named: string | undefined, env: NodeJS.ProcessEnv): string[] {
  const list = named ?? env.KUBECONFIG;
  const home = env.HOME ?? env.USERPROFILE;
  const paths = list
    ? list.split(delimiter).filter((path) => path !== '')
    : home
      ? [join(home, '.kube', 'config')]
      : [];
  return paths.map((path) => resolve(path)).filter((path) => existsSync(path));
}

function noKubeconfig(named: string | undefined, env: NodeJS.ProcessEnv): Failure {
  const [from, value] = named
    ? ['', named]
    : env.KUBECONFIG
      ? ['KUBECONFIG names ', env.KUBECONFIG]
      : ['', '~/.kube/config'];
  return new Failure({
    what: 'there is no kubeconfig: no cluster is known',
    why: `${from}${value}, which does not exist`,
    next: 'name one with --kubeconfig, or make one: aws eks update-kubeconfig --name CLUSTER',
  });
}

/** Of entries with the same name, the first file's counts, as with kubectl. */
function merged(files: readonly string[]): Kubeconfig {
  const all: Kubeconfig = { clusters: new Map(), users: new Map(), contexts: new Map() };
  for (const file of files) {
    const data = parsed(file);
    all['current-context'] ||= data['current-context'] as string;
    for (const [list, key] of [
      ['clusters', 'cluster'],
      ['users', 'user'],
      ['contexts', 'context'],
    ] as const) {
      for (const entry of (data[list] ?? []) as Record<string, unknown>[]) {
        const name = String(entry.name);
        const value = withAbsolutePaths((entry[key] ?? {}) as Record<string, unknown>, dirname(file));
        if (!all[list].has(name)) (all[list] as Map<string, unknown>).set(name, value);
      }
    }
  }
  return all;
}

function parsed(file: string): Record<string, unknown> {
  let data: unknown;
  try {
    data = parseYaml(readFileSync(file, 'utf8'))[0];
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Failure({ what: `the kubeconfig ${file} cannot be read`, why, cause });
  }
  if (data === undefined || data === null) return {};
  const lists = ['clusters', 'users', 'contexts'];
  const isMap = typeof data === 'object' && !Array.isArray(data);
  const record = data as Record<string, unknown>;
  if (isMap && lists.every((list) => Array.isArray(record[list] ?? []))) return record;
  throw new Failure({
    what: `${file} is not a kubeconfig`,
    why: `it must have the lists ${lists.join(', ')}`,
  });
}

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

function withAbsolutePaths(entry: Record<string, unknown>, folder: string): Record<string, unknown> {
  const absolute = Object.entries(entry).map(([key, value]) => [
    key,
    PATHS.includes(key) && typeof value === 'string' && value !== '' && !isAbsolute(value)
      ? join(folder, value)
      : value,
  ]);
  const result = Object.fromEntries(absolute) as Record<string, unknown>;
  const exec = result.exec as ExecEntry | undefined;
  // A bare name is looked up in the PATH.
  if (exec?.command?.includes('/') && !isAbsolute(exec.command)) {
    result.exec = { ...exec, command: join(folder, exec.command) };
  }
  return result;
}

function dangling(context: string, kind: string, name: string, files: readonly string[]): Failure {
  return new Failure({
    what: `the context \`${context}\` names the ${kind} \`${name}\`, which is not there`,
    why: files.join(', '),
    next: 'name another context with --context, or correct the kubeconfig',
  });
}

/** The access that every Pod gets to the cluster that it runs on. */
function inCluster(env: NodeJS.ProcessEnv): Access | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const tokenFile = join(SERVICE_ACCOUNT, 'token');
  if (!host || !port || !existsSync(tokenFile)) return undefined;
  const namespace = readFileSync(join(SERVICE_ACCOUNT, 'namespace'), 'utf8').trim();
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    context: 'in-cluster',
    namespace,
    cluster: { server, 'certificate-authority': join(SERVICE_ACCOUNT, 'ca.crt') },
    user: { tokenFile },
  };
}
