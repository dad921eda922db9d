/** Refreshing a project: three-way merge, the plan, and an apply that survives a crash. */
export { applyJournalled, finishUpdate, refuseUnfinished } from './apply.js';
export { sideFile } from './changes.js';
export { type Change, isUpdateUnfinished } from './journal.js';
export { type ConfigMerge, mergeConfig } from './merge-config.js';
export { mergeText, sameText } from './merge-text.js';
export { placeProject } from './place-project.js';
export {
  type ConflictMode,
  type Decisions,
  makePlan,
  type Plan,
  type PlanEntry,
  type PlanInput,
} from './plan.js';
export { readTree } from './read-tree.js';
export { type RegenerateOptions, regenerate, type UpdateResult } from './regenerate.js';
export { releaseNotes } from './release-notes.js';
