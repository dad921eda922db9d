/** What can be known of a run's Pod in a cluster. */
interface RunPod {
  metadata: { labels?: Record<string, string> };
  spec?: { containers?: { args?: string[] }[] };
}

/** Where the run keeps its state in the container; undefined for a Pod that is no run of ours. */
export function stateFolderOf({ metadata, spec }: RunPod): string | undefined {
  const { labels = {} } = metadata;
  const mode = labels['app.kubernetes.io/component'] ?? '';
  // The wrapper's first argument is the domain's folder.
  const folder = spec?.containers?.[0]?.args?.[0];
  if (labels['app.kubernetes.io/managed-by'] !== 'mlcc' || !['loop', 'playbook'].includes(mode))
    return undefined;
  return folder === undefined ? undefined : `${folder.replaceAll('$$', '$')}/state`;
}

/** The records of the session that the wrapper prints into the log at a run's end; undefined where it has not yet. */
export function sessionInLog(log: string): string[] | undefined {
  const lines = log.split('\n');
  const marker = lines.findLastIndex((line) => /^SESSION \(rc=\d+\)$/.test(line));
  if (marker < 0) return undefined;
  return lines.slice(marker + 1).filter((line) => line !== '');
}
