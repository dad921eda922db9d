export {
  type Applied,
  applyObjects,
  type Change,
  type Cluster,
  connect,
  deleteObjects,
  type LiveObject,
  nameOf,
  waitUntilReady,
} from './client/index.js';
export type { DeployedObjects, ObjectKey } from './deployed.js';
export { pinImages } from './images/index.js';
export type { ManifestFile } from './manifest.js';
export type { KubeObject } from './objects.js';
export { leaveUnpinned, type PinImages, type PinOptions } from './pin.js';
export { contextOf } from './profile.js';
export { objectsOfRun } from './run/deployed.js';
export { readManifestFile, readPackFiles } from './run/files.js';
export type { LoopMode, Pack, PackFile, PlaybookMode, RunInput } from './run/input.js';
export { renderRun } from './run/render.js';
export { secretsOfRun } from './run/secrets.js';
export type { NeededSecret } from './secrets.js';
export { objectsOfServing } from './serving/deployed.js';
export { type ServingRecords, servingIdentityOf, servingRecordsOf } from './serving/identity.js';
export type { ServingEngine, ServingInput, ServingTarget } from './serving/input.js';
export { readServingProject } from './serving/project.js';
export { renderServing } from './serving/render.js';
export { secretsOfServing } from './serving/secrets.js';
export { readSourceFile } from './source-file.js';
export type { SourceFile } from './toml/document.js';
export { toYaml } from './yaml/emit.js';
