export type { ManifestFile } from './manifest.js';
export type { KubeObject } from './objects.js';
export type { PinImages, PinOptions } from './pin.js';
export { readManifestFile, readPackFiles, readSourceFile } from './run/files.js';
export type { LoopMode, Pack, PackFile, PlaybookMode, RunInput } from './run/input.js';
export { renderRun } from './run/render.js';
export { type NeededSecret, secretsOfRun } from './run/secrets.js';
export type { SourceFile } from './toml/document.js';
export { toYaml } from './yaml/emit.js';
