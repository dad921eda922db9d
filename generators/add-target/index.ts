import Generator, { type BaseOptions } from 'yeoman-generator';
import {
  type AddTargetFlags,
  addTargetOptions,
  addYeomanOptions,
  forYeoman,
  refuseUnknownFlags,
  runAddTarget,
  targetDirs,
  typedArgument,
  typedArgv,
  typedFlags,
} from '../../lib/cli/index.js';

/** `yo mlcc:add-target [name]`: the same as `mlcc add-target`; files of a project are changed by its journal, not by mem-fs. */
export default class AddTargetGenerator extends Generator {
  constructor(args: string[], options: BaseOptions) {
    super(args, options);
    this.argument('name', { type: String, required: false, description: 'name of the target' });
    addYeomanOptions(this, addTargetOptions);
  }

  async adding(): Promise<void> {
    const argv = typedArgv(process.argv.slice(2));
    const output = await forYeoman(() => {
      refuseUnknownFlags(argv, addTargetOptions);
      const { targetsDir: _read, ...flags } = typedFlags(argv, addTargetOptions) as AddTargetFlags & {
        targetsDir?: string[];
      };
      const { name } = this.options as { name?: string };
      return runAddTarget(typedArgument(argv, addTargetOptions) ?? name ?? undefined, flags, {
        cwd: this.destinationRoot(),
        targetDirs: targetDirs(argv, process.env),
        ask: process.stdin.isTTY ? (questions) => this.prompt(questions as never) : undefined,
      });
    });
    process.stdout.write(output);
  }
}
