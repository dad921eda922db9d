/** What `mlcc` and the Yeoman generators share: options, answers, messages, writing. */
export { type AddTargetFlags, runAddTarget } from './add-target.js';
export { readAnswersFile } from './answers-file.js';
export { collectAnswers } from './collect-answers.js';
export { type CommandOption, regenerateOptions, scaffoldOptions } from './command-options.js';
export { commandReference } from './command-reference.js';
export { nextSteps } from './next-steps.js';
export { targetDirs } from './option-parsing.js';
export { optionsTable } from './options-table.js';
export { type RegenerateFlags, regenerateProject } from './regenerate-project.js';
export { run } from './run.js';
export { addTargetOptions } from './target-options.js';
export { processTerminal, type Terminal } from './terminal.js';
export { refuseClashes } from './write-project.js';
export {
  addYeomanOptions,
  forYeoman,
  refuseUnknownFlags,
  typedArgument,
  typedArgv,
  typedFlags,
  yeomanProjectFlags,
} from './yeoman.js';
