import type { ManifestFile } from '../manifest.js';
import type { SourceFile } from '../toml/document.js';

/** The agent loop: iterates until it has spent its iterations or its money. */
export interface LoopMode {
  kind: 'loop';
  iterations?: number;
  /** US dollars. */
  maxCost?: number;
}

/** A playbook: a plan that runs once under ceilings. */
export interface PlaybookMode {
  kind: 'playbook';
  /** US dollars. */
  maxCost?: number;
  /** A duration such as `90m` or `1h30m`. */
  maxTime?: string;
  /** `KEY=VALUE` each, in the order in which they are handed to the plan. */
  params: readonly string[];
}

/** One file of a domain's folder. */
export interface PackFile {
  /** Relative to the manifest's folder, with slashes. */
  path: string;
  bytes: Uint8Array;
  executable: boolean;
}

/** The manifest's folder, to be delivered to the run. */
export interface Pack {
  /** Begins the ConfigMap's name; the run's name when absent. */
  name?: string;
  files: readonly PackFile[];
}

/** Everything that a run is rendered from. */
export interface RunInput {
  manifest: ManifestFile;
  profile: SourceFile;
  mode: LoopMode | PlaybookMode;
  /** Absent: the domain is baked into the image. */
  pack?: Pack;
}
