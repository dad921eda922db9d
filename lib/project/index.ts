/** Answers, and the whole project rendered from them. */
export {
  type Answers,
  answerFaults,
  answerTo,
  chosenTarget,
  resolveAnswers,
} from './answers.js';
export {
  BASE_PATH,
  type Base,
  type EditableBase,
  type PendingFile,
  parseBase,
  RECORD_PATHS,
  serialiseBase,
} from './base.js';
export { type FileTree, sortTree } from './file-tree.js';
export { fillBlocks } from './generated.js';
export { checkProjectName } from './names.js';
export {
  allOptions,
  answerOf,
  defaultAnswers,
  defaultOf,
  defaultTarget,
  knownAnswers,
  type ProjectOption,
  projectOptions,
  proposed,
} from './options.js';
export { catalogFiles, type RenderSource, render, withoutRecords } from './render.js';
export {
  exitCodesTable,
  markdownTable,
  matrixTable,
  settingsTables,
  targetsTable,
  verbsTable,
} from './tables.js';
export { packageTemplates, readTemplates, type Templates } from './templates.js';
export { mergeIntoYoRc, parseYoRc, renderYoRc, updateYoRc, YO_RC_PATH, type YoRc } from './yo-rc.js';
