import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { Failure } from '../failure/index.js';
import { packageVersion } from '../package/index.js';
import { isPromptStopped, STOPPED, STOPPED_EXIT } from './questions.js';
import { Exit, refuseWindows, type Terminal } from './terminal.js';

type Define = (command: Command, terminal: Terminal) => Command;

/** Every command, each loaded only when it is asked for. */
export const COMMANDS: Readonly<Record<string, { summary: string; load: () => Promise<Define> }>> = {
  new: {
    summary: 'scaffold a project',
    load: async () => (await import('./commands/new.js')).defineNew,
  },
  config: {
    summary: 'read and edit the settings of a project',
    load: async () => (await import('./commands/config.js')).defineConfig,
  },
  regenerate: {
    summary: 'refresh a project with this version of the generator; state and edits stay',
    load: async () => (await import('./commands/regenerate.js')).defineRegenerate,
  },
  deploy: {
    summary: 'render a project’s workload or a run for Kubernetes, apply it, delete it',
    load: async () => (await import('./commands/deploy.js')).defineDeploy,
  },
  kube: {
    summary: 'look at and change what runs on a Kubernetes cluster',
    load: async () => (await import('./commands/kube.js')).defineKube,
  },
  check: {
    summary: 'whether a project agrees with the descriptors of its targets; --fix mends what derives',
    load: async () => (await import('./commands/check.js')).defineCheck,
  },
  'add-target': {
    summary: 'add a deployment target to a project, a pack or the generator',
    load: async () => (await import('./commands/add-target.js')).defineAddTarget,
  },
  'remove-target': {
    summary: 'take a deployment target out again',
    load: async () => (await import('./commands/remove-target.js')).defineRemoveTarget,
  },
  targets: {
    summary: 'list the deployment targets and the verbs that each supports',
    load: async () => (await import('./commands/targets.js')).defineTargets,
  },
};

/** Runs `mlcc`. Resolves to the exit code; messages go to the terminal. */
export async function run(terminal: Terminal): Promise<number> {
  try {
    const program = await build(terminal);
    if (terminal.argv[0] !== undefined && terminal.argv[0] in COMMANDS) refuseWindows(terminal.platform);
    await warnOfUnfinishedUpdate(terminal);
    await program.parseAsync([...terminal.argv], { from: 'user' });
    return 0;
  } catch (error) {
    return report(error, terminal);
  }
}

/** An update that was interrupted is said by every command; the merging ones complete it, so those say it themselves. */
async function warnOfUnfinishedUpdate({ argv, cwd, err }: Terminal): Promise<void> {
  if (argv[0] === 'regenerate' || argv[0] === 'new') return;
  const dir = argv.flatMap((argument, index) =>
    argument === '--dir' ? (argv[index + 1] ?? []) : (/^--dir=(.*)$/s.exec(argument)?.[1] ?? []),
  )[0];
  const project = resolve(cwd, dir ?? '.');
  if (!existsSync(join(project, '.mlcc'))) return;
  const { isUpdateUnfinished } = await import('../update/index.js');
  if (!isUpdateUnfinished(project)) return;
  err(
    'mlcc: an update of this project was interrupted, or is still at work\n→ mlcc regenerate completes it\n',
  );
}

async function build(terminal: Terminal): Promise<Command> {
  const program = new Command('mlcc')
    .description('Scaffold and maintain projects that deploy an ML model to SageMaker, HyperPod or EKS.')
    .version(packageVersion)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  const [first, second] = terminal.argv;
  const wanted = first === 'help' ? second : first;
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program
      .command(name)
      .description(summary)
      .showHelpAfterError(`(mlcc ${name} --help shows every option)`);
    if (name === wanted) (await load())(command, terminal);
  }
  return program;
}

function report(error: unknown, terminal: Terminal): number {
  // Commander has printed its message already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Exit) return error.code;
  if (error instanceof Failure) {
    terminal.err(`mlcc: ${error.lines().join('\n')}\n`);
    return error.exit;
  }
  if (isPromptStopped(error)) {
    terminal.err(`\nmlcc: ${STOPPED}\n`);
    return STOPPED_EXIT;
  }
  terminal.err(
    `mlcc: internal error, please report it\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return 1;
}
