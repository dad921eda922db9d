import type { Stats } from 'node:fs';
import { basename, relative } from 'node:path';
import Generator, { type BaseOptions } from 'yeoman-generator';
import { type Catalog, loadCatalog } from '../../lib/catalog/index.js';
import {
  addYeomanOptions,
  collectAnswers,
  forYeoman,
  nextSteps,
  readAnswersFile,
  refuseClashes,
  refuseUnknownFlags,
  scaffoldOptions,
  targetDirs,
  typedArgument,
  typedArgv,
  yeomanProjectFlags,
} from '../../lib/cli/index.js';
import { type Answers, type FileTree, render, resolveAnswers } from '../../lib/project/index.js';

interface AppOptions extends Record<string, unknown> {
  name?: string;
  yes?: boolean;
  'skip-prompts'?: boolean;
  here?: boolean;
  answers?: string;
}

/** `yo mlcc [name]`: asks, renders, and writes a new project. The same bytes as `mlcc new`. */
export default class AppGenerator extends Generator {
  private readonly catalog: Catalog;
  private answers: Answers = {};
  private tree: FileTree = new Map();

  constructor(args: string[], options: BaseOptions) {
    super(args, options, { customInstallTask: true }); // there are no packages to install
    this.catalog = loadCatalog({ targetDirs: targetDirs(process.argv, process.env) });
    this.argument('name', {
      type: String,
      required: false,
      description: 'name of the project, and of its folder',
    });
    addYeomanOptions(this, scaffoldOptions, this.catalog);
  }

  async prompting(): Promise<void> {
    await forYeoman(async () => {
      const argv = typedArgv(process.argv.slice(2));
      refuseUnknownFlags(argv, scaffoldOptions, this.catalog);
      const options = this.options as AppOptions;
      const name = typedArgument(argv, scaffoldOptions, this.catalog) ?? options.name;
      const { here, answers: file } = options;
      const start = this.destinationRoot();
      this.answers = await collectAnswers(this.catalog, {
        name: name ?? undefined,
        flags: yeomanProjectFlags(options, argv, this.catalog),
        env: process.env,
        file: file === undefined ? {} : readAnswersFile(file, start, this.catalog),
        ...(here ? { proposedName: basename(start) } : {}),
        yes: Boolean(options.yes ?? options['skip-prompts']),
        ask: process.stdin.isTTY ? (questions) => this.prompt(questions as never) : undefined,
      });
      this.tree = render(this.answers, this.catalog);
      if (!here) this.destinationRoot(this.destinationPath(this.answers.projectName ?? ''));
      refuseClashes(this.destinationRoot(), this.tree);
    });
  }

  writing(): void {
    for (const [path, { contents, executable }] of this.tree) {
      // A plain write would always give 0644.
      this.fs.write(this.destinationPath(path), contents, {
        stat: { mode: executable ? 0o755 : 0o644 } as Stats,
      });
    }
  }

  end(): void {
    const folder = relative(this.env.cwd, this.destinationRoot()) || '.';
    const answers = resolveAnswers(this.catalog, this.answers);
    this.log(nextSteps(folder, answers, this.tree.size).join('\n'));
  }
}
