import type { Command } from 'commander';
import {
  type Applied,
  applyObjects,
  type Cluster,
  connect,
  deleteObjects,
  type NeededSecret,
  nameOf,
  toYaml,
  waitUntilReady,
  writeWholeFile,
} from '../../kube/index.js';
import {
  type CommandOption,
  deployApplyOptions,
  deployDeleteOptions,
  deployRenderOptions,
} from '../command-options.js';
import { durationOf, pathIn } from '../flag-values.js';
import { addOptions } from '../option-parsing.js';
import { Exit, type Terminal } from '../terminal.js';
import { textTable } from '../text-table.js';
import type { DeployFlags } from './deploy-flags.js';
import { clusterOf, type DeploySource, deploySource } from './deploy-source.js';

interface RenderFlags extends DeployFlags {
  output?: string;
  listSecrets?: boolean;
}

interface ClusterFlags extends DeployFlags {
  context?: string;
  kubeconfig?: string;
  timeout?: string;
}

interface ApplyFlags extends ClusterFlags {
  dryRun?: 'server';
  wait?: boolean;
  replace?: boolean;
  forceConflicts?: boolean;
}

/** For what is deleted to be gone, where nothing says otherwise. */
const GONE_LIMIT_MS = 15 * 60_000;

/** `mlcc deploy render|apply|delete`: a project's serving workload, or a run. */
export function defineDeploy(command: Command, terminal: Terminal): Command {
  const action = <Flags>(
    name: string,
    description: string,
    options: readonly CommandOption[],
    run: (flags: Flags, terminal: Terminal) => Promise<void>,
  ) =>
    addOptions(command.command(name).description(description), options).action((flags: Flags) =>
      run(flags, terminal),
    );
  action('render', 'print the objects as YAML, with images pinned to digests', deployRenderOptions, render);
  action('apply', 'render, let the cluster check all objects, then apply them', deployApplyOptions, apply);
  action('delete', 'delete the objects, and wait until they are gone', deployDeleteOptions, remove);
  return command;
}

async function render(flags: RenderFlags, terminal: Terminal): Promise<void> {
  const source = deploySource(flags, terminal);
  const text = flags.listSecrets ? secretsTable(source.secrets()) : toYaml(await source.render());
  const { output } = flags;
  if (output === undefined || output === '-') terminal.out(text);
  else writeWholeFile(pathIn(terminal, output), text);
}

async function apply(flags: ApplyFlags, terminal: Terminal): Promise<void> {
  const source = deploySource(flags, terminal);
  const limitMs = durationOf('timeout', flags.timeout);
  const objects = await source.render();
  const dryRun = flags.dryRun === 'server';
  await withCluster(source, flags, terminal, async (cluster, report) => {
    const applied = await applyObjects(cluster, objects, {
      dryRun,
      replace: flags.replace ?? false,
      force: flags.forceConflicts ?? false,
      limitMs: limitMs ?? GONE_LIMIT_MS,
      report,
    });
    for (const { object, change } of applied) {
      terminal.out(`${nameOf(object)}: ${change}${dryRun ? ' (dry run)' : ''}\n`);
    }
    if (dryRun) return;
    noteEnded(applied, report);
    if (!flags.wait) return;
    const exitCode = await waitUntilReady(cluster, objects, {
      limitMs: limitMs ?? source.readyLimitMs,
      report,
    });
    // The run's own code, so that a script sees how the run went.
    if (exitCode !== 0) throw new Exit(exitCode);
  });
}

async function remove(flags: ClusterFlags, terminal: Terminal): Promise<void> {
  const source = deploySource(flags, terminal);
  const limitMs = durationOf('timeout', flags.timeout) ?? GONE_LIMIT_MS;
  const { keys, partOf, labelled } = source.objects();
  await withCluster(source, flags, terminal, async (cluster, report) => {
    const others = labelled ? await cluster.list(labelled.apiVersion, labelled.kind, labelled) : [];
    const deleted = await deleteObjects(cluster, [...keys, ...others], { partOf, limitMs, report });
    for (const key of deleted) terminal.out(`${nameOf(key)}: deleted\n`);
    if (deleted.length === 0) report('there was nothing to delete');
  });
}

async function withCluster(
  source: DeploySource,
  flags: ClusterFlags,
  terminal: Terminal,
  use: (cluster: Cluster, report: (line: string) => void) => Promise<void>,
): Promise<void> {
  const report = (line: string) => terminal.err(`mlcc: ${line}\n`);
  const env = terminal.env as NodeJS.ProcessEnv;
  const cluster = connect({
    ...clusterOf(source, flags),
    env,
    onWarning: (text) => report(`warning: ${text}`),
  });
  try {
    await use(cluster, report);
  } finally {
    cluster.close();
  }
}

/** An apply does not start a run again that has ended; a person may have expected that. */
function noteEnded(applied: readonly Applied[], report: (line: string) => void): void {
  for (const { object, change, live } of applied) {
    const hasEnded = ['Succeeded', 'Failed'].includes(live?.status?.phase);
    if (object.kind !== 'Pod' || change !== 'unchanged' || !hasEnded) continue;
    report(`${nameOf(object)} has ended already; to run it again, delete it first: mlcc deploy delete`);
  }
}

function secretsTable(secrets: readonly NeededSecret[]): string {
  const rows = secrets.map(({ namespace, secret, key, neededBy, arn = '' }) => [
    namespace,
    secret,
    key,
    neededBy,
    arn,
  ]);
  return textTable([['NAMESPACE', 'SECRET', 'KEY', 'NEEDED BY', 'FILLED FROM'], ...rows]);
}
