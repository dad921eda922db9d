/** Descriptors of targets and engines: read, validated, and everything that derives from them. */
export { camelCase } from './cross-checks.js';
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
export { readFolders, readTextFile } from './read.js';
export { schemaPaths } from './schemas.js';
export type * from './types.js';
