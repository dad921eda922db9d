import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import {
  applyObjects,
  type Cluster,
  type KubeObject,
  nameOf,
  readObjects,
  readSourceFile,
  waitUntilReady,
} from '../../kube/index.js';
import { durationOf, pathIn, usage } from '../flag-values.js';
import { Exit, type Terminal } from '../terminal.js';
import { type KubeFlags, onCluster } from './kube-cluster.js';

interface ApplyFlags extends KubeFlags {
  filename?: string;
  dryRun?: 'server';
  wait?: boolean;
  timeout?: string;
  replace?: boolean;
  forceConflicts?: boolean;
}

const LIMIT_MS = 3600_000;

/** `mlcc kube apply -f FILE`: any objects, with the same care as a deployment's. */
export async function applyFile(flags: ApplyFlags, terminal: Terminal): Promise<void> {
  const { filename } = flags;
  if (filename === undefined)
    throw usage('nothing says what to apply', 'add -f FILE, or -f - for standard input');
  const limitMs = durationOf('timeout', flags.timeout) ?? LIMIT_MS;
  const text =
    filename === '-'
      ? await readText(terminal.stdin ?? Readable.from([]))
      : readSourceFile(pathIn(terminal, filename)).text;
  const given = readObjects(filename === '-' ? 'standard input' : filename, text);
  await onCluster(flags, terminal, async ({ cluster, namespace, report }) => {
    const objects = await inNamespace(cluster, given, namespace);
    const dryRun = flags.dryRun === 'server';
    const applied = await applyObjects(cluster, objects, {
      dryRun,
      replace: flags.replace ?? false,
      force: flags.forceConflicts ?? false,
      limitMs,
      report,
    });
    for (const { object, change } of applied) {
      terminal.out(`${nameOf(object)}: ${change}${dryRun ? ' (dry run)' : ''}\n`);
    }
    if (dryRun || !flags.wait) return;
    const exitCode = await waitUntilReady(cluster, objects, { limitMs, report });
    if (exitCode !== 0) throw new Exit(exitCode);
  });
}

/** Objects that name no namespace get the chosen one, where their kind has any. */
async function inNamespace(
  cluster: Cluster,
  objects: readonly KubeObject[],
  namespace: string,
): Promise<KubeObject[]> {
  const placed: KubeObject[] = [];
  for (const object of objects) {
    const isPlaced = object.metadata.namespace !== undefined || !(await cluster.isNamespaced(object));
    placed.push(isPlaced ? object : { ...object, metadata: { ...object.metadata, namespace } });
  }
  return placed;
}
