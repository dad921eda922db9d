import { type Cluster, connect, contextOf, readSourceFile } from '../../kube/index.js';
import { pathIn } from '../flag-values.js';
import type { Terminal } from '../terminal.js';

/** The flags that say where. */
export interface KubeFlags {
  namespace?: string;
  context?: string;
  kubeconfig?: string;
  profile?: string;
}

/** What a command works with. */
export interface KubeWork<Flags> {
  cluster: Cluster;
  namespace: string;
  flags: Flags & KubeFlags;
  terminal: Terminal;
  /** Progress, to standard error. */
  report: (line: string) => void;
}

/** Connects to the cluster that the flags name, does the work, and closes the connection. */
export async function onCluster<Flags>(
  flags: Flags & KubeFlags,
  terminal: Terminal,
  work: (given: KubeWork<Flags>) => Promise<void>,
): Promise<void> {
  const report = (line: string) => terminal.err(`mlcc: ${line}\n`);
  const { profile } = flags;
  const context =
    flags.context ??
    (profile === undefined ? undefined : contextOf(readSourceFile(pathIn(terminal, profile))));
  const cluster = connect({
    context,
    kubeconfig: flags.kubeconfig,
    env: terminal.env as NodeJS.ProcessEnv,
    onWarning: (text) => report(`warning: ${text}`),
  });
  try {
    await work({ cluster, namespace: flags.namespace ?? cluster.namespace, flags, terminal, report });
  } finally {
    cluster.close();
  }
}
