import type { EngineManifest } from './generated/engine-manifest.js';
import type { SharedVariable } from './generated/shared-variables.js';
import type { Param, TargetManifest } from './generated/target-manifest.js';

export type { EngineManifest, Param, SharedVariable, TargetManifest };

export type VerbName = keyof TargetManifest['verbs'];
export type Lifecycle = SharedVariable['lifecycle'];

/** A text file of the catalogue or of a rendered project. */
export interface TextFile {
  contents: string;
  executable: boolean;
}

/** Where a descriptor comes from: the package itself, a folder that the user named, or the project it is used in. */
export type Origin = 'built-in' | 'pack' | 'project';

/** What stands in one target or engine folder: `manifest.json` and the files beside it, by relative POSIX path. */
export interface DescriptorFolder {
  /** The folder's own name. */
  name: string;
  /** How messages call the folder. */
  location: string;
  origin: Origin;
  files: ReadonlyMap<string, TextFile>;
}

export interface Target {
  manifest: TargetManifest;
  /** The descriptor's own text, so that a copy keeps the author's formatting. */
  manifestText: string;
  location: string;
  origin: Origin;
  deploy: string;
  clean: string;
  /** `files/` of the target folder, by path below it. */
  assets: ReadonlyMap<string, TextFile>;
}

export interface Engine {
  manifest: EngineManifest;
  manifestText: string;
  location: string;
  origin: Origin;
  serve: string;
}

/** Everything that is known about targets, engines and shared variables. Lists are sorted by name. */
export interface Catalog {
  targets: readonly Target[];
  engines: readonly Engine[];
  variables: Readonly<Record<string, SharedVariable>>;
}
