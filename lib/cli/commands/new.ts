import { readdirSync, statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadCatalog } from '../../catalog/index.js';
import { Failure } from '../../failure/index.js';
import { type Answers, type FileTree, render, resolveAnswers } from '../../project/index.js';
import { placeProject } from '../../update/index.js';
import { readAnswersFile } from '../answers-file.js';
import { askOnTerminal } from '../ask.js';
import { collectAnswers } from '../collect-answers.js';
import { newOptions } from '../command-options.js';
import { nextSteps } from '../next-steps.js';
import {
  addOptions,
  addProjectOptions,
  projectFlags,
  refuseMissingValues,
  targetDirs,
} from '../option-parsing.js';
import { Exit, type Terminal } from '../terminal.js';
import { updateJson, updateReport } from '../update-report.js';
import { refuseClashes, writeProject } from '../write-project.js';

interface NewFlags {
  yes?: boolean;
  answers?: string;
  here?: boolean;
  targetsDir?: string[];
  dest?: string;
  force?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** `mlcc new [name]`: scaffolds a project. */
export function defineNew(command: Command, terminal: Terminal): Command {
  const catalog = loadCatalog({ targetDirs: targetDirs(terminal.argv, terminal.env) });
  addOptions(command.argument('[name]', 'name of the project, and of its folder'), newOptions);
  addProjectOptions(command, catalog);
  refuseMissingValues(
    terminal.argv,
    new Map(command.options.map((option) => [option.long?.slice(2) ?? '', option.required])),
  );
  return command.action(async (name: string | undefined, flags: NewFlags) => {
    if (flags.here && flags.dest !== undefined) {
      throw new Failure({ what: '--here and --dest exclude each other', next: 'give one of them', exit: 2 });
    }
    const answers = await collectAnswers(catalog, {
      name,
      flags: projectFlags(command, catalog),
      env: terminal.env,
      file: flags.answers === undefined ? {} : readAnswersFile(flags.answers, terminal.cwd, catalog),
      ...(flags.here ? { proposedName: basename(terminal.cwd) } : {}),
      yes: flags.yes ?? false,
      ask: terminal.interactive ? askOnTerminal : undefined,
    });
    const tree = render(answers, catalog);
    const dest = destination(flags, answers, terminal.cwd);
    const folder = relative(terminal.cwd, dest) || '.';
    if (flags.force && hasFiles(dest)) return scaffoldAround(dest, tree, flags, terminal);
    if (flags.dryRun) refuseClashes(dest, tree);
    else writeProject(dest, tree);
    const files = [...tree.keys()];
    if (flags.json) {
      const written = !flags.dryRun;
      terminal.out(
        `${JSON.stringify({ project: answers.projectName, folder: dest, written, files }, null, 2)}\n`,
      );
    } else if (flags.dryRun) terminal.out(`${files.map((path) => `${folder}/${path}\n`).join('')}`);
    else terminal.out(`${nextSteps(folder, resolveAnswers(catalog, answers), files.length).join('\n')}\n`);
  });
}

const hasFiles = (dest: string): boolean =>
  (statSync(dest, { throwIfNoEntry: false })?.isDirectory() ?? false) && readdirSync(dest).length > 0;

/** Scaffolds around the files of a folder. Ends with 3 when some of them wait for a decision. */
async function scaffoldAround(
  dest: string,
  tree: FileTree,
  flags: NewFlags,
  terminal: Terminal,
): Promise<void> {
  const dryRun = flags.dryRun ?? false;
  const result = await placeProject(dest, tree, dryRun);
  const view = { dryRun, folder: relative(terminal.cwd, dest) };
  const report = () => `${updateReport(`new project in ${dest}`, result, view).join('\n')}\n`;
  terminal.out(flags.json ? updateJson(result, false) : report());
  if (result.pending.length > 0) throw new Exit(3);
}

function destination(flags: NewFlags, answers: Answers, cwd: string): string {
  return resolve(cwd, flags.dest ?? (flags.here ? '.' : (answers.projectName ?? '')));
}
