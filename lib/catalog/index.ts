/** Descriptors of targets and engines: read, validated, and everything that derives from them. */
export * from './derive.js';
export { type Fault, faultLine, hint, nearest } from './faults.js';
export {
  buildCatalog,
  builtInSources,
  type CatalogResult,
  type CatalogSources,
  loadCatalog,
  orThrow,
} from './load.js';
export { camelCase, RESERVED_FLAGS } from './names.js';
export { parseEngineManifest, parseTargetManifest } from './parse.js';
export { readFolders, readTextFile } from './read.js';
export { schemaPaths } from './schemas.js';
export type * from './types.js';
