import type { Command } from 'commander';
import {
  currentImage,
  followSession,
  headroom,
  NVIDIA_GPU,
  nameOf,
  podOf,
  restart,
  setImage,
  setPullSecret,
  setRollingUpdate,
  steer,
  stop,
  targetKey,
  waitUntilReady,
} from '../../kube/index.js';
import { kubeCommandOptions, kubeOptions } from '../command-options.js';
import { durationOf, usage } from '../flag-values.js';
import { addOptions } from '../option-parsing.js';
import { Exit, type Terminal } from '../terminal.js';
import { textTable } from '../text-table.js';
import { applyFile } from './kube-apply.js';
import { type KubeFlags, type KubeWork, onCluster } from './kube-cluster.js';
import { execCommand } from './kube-exec.js';

type Work = KubeWork<{
  container?: string;
  maxSurge?: string;
  maxUnavailable?: string;
  timeout?: string;
  resource?: string;
  json?: boolean;
  steer?: string;
  stop?: boolean;
}>;

const ROLLOUT_LIMIT_MS = 3600_000;
const WORKLOADS = ['deployment', 'inferenceendpointconfig'];

/** `mlcc kube …`: single steps on a cluster, for people and for the hooks of runs. */
export function defineKube(command: Command, terminal: Terminal): Command {
  const define = (name: keyof typeof kubeCommandOptions, description: string, usageText: string) =>
    addOptions(command.command(`${name} ${usageText}`.trimEnd()).description(description), [
      ...kubeCommandOptions[name],
      ...kubeOptions,
    ]);
  const action = (
    name: keyof typeof kubeCommandOptions,
    description: string,
    usageText: string,
    work: (given: Work, ...words: string[]) => Promise<void>,
  ) =>
    define(name, description, usageText).action((...given: unknown[]) => {
      const words = given.slice(0, -2) as string[];
      return onCluster(given.at(-2) as Work['flags'], terminal, (each) => work(each, ...words));
    });

  action('set-image', 'set the image of a workload', '<workload> <image>', putImage);
  action(
    'set-pull-secret',
    'let a workload, or serviceaccount/NAME, pull with a secret',
    '<workload> <secret>',
    putSecret,
  );
  action('set-rolling-update', 'set how a Deployment’s Pods are replaced', '<deployment>', putRollingUpdate);
  action('rollout-restart', 'replace a Deployment’s Pods by new ones', '<deployment>', rolloutRestart);
  action(
    'rollout-status',
    'wait until a workload serves, or pod/NAME has ended',
    '<workload>',
    rolloutStatus,
  );
  action('current-image', 'print the image of a workload', '<workload>', printImage);
  action('pod-name', 'print the name of a ready Pod of a Deployment', '<deployment>', printPodName);
  action('gpu-headroom', 'print the GPUs that are free on each node', '', printHeadroom);
  action('view', 'follow the session log of a run until it ends', '<pod>', view);
  define(
    'exec',
    'run a command in a Pod, or in one of deployment/NAME; -- before it',
    '<pod> <command...>',
  ).action((pod: string, words: string[], flags: KubeFlags & { container?: string; stdin?: boolean }) =>
    onCluster(flags, terminal, (given) => execCommand(given, pod, words)),
  );
  define('apply', 'apply the objects of a file as mlcc deploy does', '').action(
    (flags: Parameters<typeof applyFile>[0]) => applyFile(flags, terminal),
  );
  return command;
}

async function putImage({ cluster, namespace, flags, terminal }: Work, name = '', given = ''): Promise<void> {
  const [, container = flags.container, image = given] = /^([a-z0-9-]+)=(.+)$/.exec(given) ?? [];
  const key = targetKey(name, WORKLOADS, namespace);
  await setImage(cluster, key, { image, container });
  terminal.out(`${nameOf(key)}: image set to ${image}\n`);
}

async function putSecret({ cluster, namespace, terminal }: Work, name = '', secret = ''): Promise<void> {
  const key = targetKey(name, ['deployment', 'serviceaccount'], namespace);
  await setPullSecret(cluster, key, secret);
  terminal.out(`${nameOf(key)}: pulls with ${secret}\n`);
}

async function putRollingUpdate({ cluster, namespace, flags, terminal }: Work, name = ''): Promise<void> {
  const key = targetKey(name, ['deployment'], namespace);
  const { maxSurge, maxUnavailable } = flags;
  const live = await setRollingUpdate(cluster, key, { maxSurge, maxUnavailable });
  const now = live.spec?.strategy?.rollingUpdate;
  terminal.out(`${nameOf(key)}: max surge ${now?.maxSurge}, max unavailable ${now?.maxUnavailable}\n`);
}

async function rolloutRestart({ cluster, namespace, terminal }: Work, name = ''): Promise<void> {
  const key = targetKey(name, ['deployment'], namespace);
  await restart(cluster, key, new Date());
  terminal.out(`${nameOf(key)}: restarting\n`);
}

async function rolloutStatus(
  { cluster, namespace, flags, terminal, report }: Work,
  name = '',
): Promise<void> {
  const key = targetKey(name, [...WORKLOADS, 'pod'], namespace);
  const limitMs = durationOf('timeout', flags.timeout) ?? ROLLOUT_LIMIT_MS;
  const exitCode = await waitUntilReady(cluster, [key], { limitMs, report });
  if (exitCode !== 0) throw new Exit(exitCode);
  terminal.out(`${nameOf(key)}: ready\n`);
}

async function printImage({ cluster, namespace, flags, terminal }: Work, name = ''): Promise<void> {
  const key = targetKey(name, [...WORKLOADS, 'pod'], namespace);
  terminal.out(`${await currentImage(cluster, key, flags.container)}\n`);
}

async function printPodName({ cluster, namespace, terminal }: Work, name = ''): Promise<void> {
  const { metadata } = await podOf(cluster, targetKey(name, ['deployment'], namespace));
  terminal.out(`${metadata.name}\n`);
}

async function printHeadroom({ cluster, flags, terminal }: Work): Promise<void> {
  const resource = flags.resource ?? NVIDIA_GPU;
  const nodes = await headroom(cluster, resource);
  const sum = (field: 'allocatable' | 'used' | 'free') =>
    nodes.reduce((total, node) => total + node[field], 0);
  const largest = Math.max(0, ...nodes.map(({ free }) => free));
  if (flags.json) {
    terminal.out(`${JSON.stringify({ resource, free: sum('free'), largest, nodes }, null, 2)}\n`);
    return;
  }
  const rows = nodes.map(({ node, allocatable, used, free, closed = '' }) => [
    node,
    ...[allocatable, used, free].map(String),
    closed,
  ]);
  const total = ['total', ...[sum('allocatable'), sum('used'), sum('free')].map(String), ''];
  terminal.out(textTable([['NODE', 'ALLOCATABLE', 'USED', 'FREE', 'CLOSED'], ...rows, total]));
  terminal.out(`\nOne Pod can get at most ${largest} of ${resource}\n`);
}

async function view({ cluster, namespace, flags, terminal, report }: Work, name = ''): Promise<void> {
  const key = targetKey(name, ['pod'], namespace);
  if (flags.steer !== undefined && flags.stop) {
    throw usage('--steer and --stop are two things', 'give them one after the other');
  }
  if (flags.steer !== undefined) {
    await steer(cluster, key, flags.steer);
    report(`${nameOf(key)} has been told`);
  } else if (flags.stop) {
    await stop(cluster, key);
    report(`${nameOf(key)} has been asked to end`);
  } else {
    const exitCode = await followSession(cluster, key, {
      print: (line) => terminal.out(`${line}\n`),
      report,
    });
    if (exitCode !== 0) throw new Exit(exitCode);
  }
}
