/** Refreshing a project: three-way merge, the plan, and an apply that survives a crash. */
export { applyJournalled, type Change, interruptedCommand } from './journal.js';
export { type ConfigMerge, mergeConfig } from './merge-config.js';
export { mergeText, sameText } from './merge-text.js';
export { type ConflictMode, makePlan, type Plan, type PlanEntry, type PlanInput } from './plan.js';
export { finishUpdate } from './recovery.js';
export { type RegenerateOptions, type RegenerateResult, regenerate, sideFile } from './regenerate.js';
export { releaseNotes } from './release-notes.js';
