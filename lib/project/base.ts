import type { TextFile } from '../catalog/index.js';
import { type FileTree, sortTree } from './file-tree.js';

/** Where the last pristine render is kept: what makes a three-way merge possible later, offline. */
export const BASE_PATH = '.mlcc/base.json';

/** The paths that record a render and are therefore no part of it. */
export const RECORD_PATHS: ReadonlySet<string> = new Set([BASE_PATH, '.yo-rc.json']);

/** A file that could not be merged: what the generator wanted, kept until a person decides. */
export interface PendingFile {
  contents: string;
  executable: boolean;
}

/** The contents of .mlcc/base.json. */
export interface Base {
  /** Version of the generator that made `files`. */
  version: string;
  /** The defaults of that version by answer, so that a changed one can be reported. */
  defaults: Readonly<Record<string, string>>;
  files: FileTree;
  /** Conflicted paths; `null` where the generator dropped the file. */
  pending: ReadonlyMap<string, PendingFile | null>;
}

/** A base whose files may be set and deleted. */
export interface EditableBase extends Base {
  files: Map<string, TextFile>;
}

/** The same bytes on every platform: sorted paths, two spaces, a final newline. */
export function serialiseBase({ version, defaults, files, pending }: Base): string {
  const entries = (map: ReadonlyMap<string, unknown>) => Object.fromEntries(map);
  const data = {
    version,
    defaults: entries(new Map(Object.entries(defaults).sort(([a], [b]) => (a < b ? -1 : 1)))),
    files: entries(
      new Map(
        [...sortTree(files)].map(([path, { contents, executable }]) => [path, { contents, executable }]),
      ),
    ),
    pending: entries(new Map([...pending].sort(([a], [b]) => (a < b ? -1 : 1)))),
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}

/** Reads the text of .mlcc/base.json; undefined when it is missing or damaged, which is no failure: it only costs knowledge. */
export function parseBase(text: string | undefined): EditableBase | undefined {
  if (text === undefined) return undefined;
  try {
    const data = JSON.parse(text) as Record<'version' | 'defaults' | 'files' | 'pending', unknown>;
    if (typeof data.version !== 'string') return undefined;
    return {
      version: data.version,
      defaults: toDefaults(data.defaults),
      files: new Map(entriesOf(data.files).map(([path, file]) => [path, toFile(file)])),
      pending: new Map(
        entriesOf(data.pending).map(([path, file]) => [path, file === null ? null : toFile(file)]),
      ),
    };
  } catch {
    return undefined;
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return Object.entries(value);
}

function toFile(value: unknown): PendingFile {
  const { contents, executable } = value as PendingFile;
  if (typeof contents !== 'string' || typeof executable !== 'boolean') throw new TypeError('not a file');
  return { contents, executable };
}

function toDefaults(value: unknown): Record<string, string> {
  const entries = entriesOf(value);
  if (entries.some(([, text]) => typeof text !== 'string')) throw new TypeError('not a default');
  return Object.fromEntries(entries) as Record<string, string>;
}
