import Generator, { type BaseOptions } from 'yeoman-generator';
import {
  addYeomanOptions,
  forYeoman,
  type RegenerateFlags,
  refuseUnknownFlags,
  regenerateOptions,
  regenerateProject,
  targetDirs,
  typedArgv,
  typedFlags,
} from '../../lib/cli/index.js';

/**
 * `yo mlcc:regenerate`: refreshes the project in the current folder. It never goes through mem-fs, whose conflicter asks
 * for every file: the merge and the apply are those of `mlcc regenerate`.
 */
export default class RegenerateGenerator extends Generator {
  constructor(args: string[], options: BaseOptions) {
    super(args, options);
    addYeomanOptions(this, regenerateOptions);
  }

  async regenerating(): Promise<void> {
    const argv = typedArgv(process.argv.slice(2));
    const { output, code } = await forYeoman(() => {
      refuseUnknownFlags(argv, regenerateOptions);
      const flags = typedFlags(argv, regenerateOptions) as RegenerateFlags;
      return regenerateProject(this.destinationRoot(), flags, {
        targetDirs: targetDirs(argv, process.env),
        colour: Boolean(process.stdout.isTTY) && !process.env.NO_COLOR,
        cwd: this.env.cwd,
      });
    });
    process.stdout.write(output);
    process.exitCode = code;
  }
}
