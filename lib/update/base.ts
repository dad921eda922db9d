import { Failure } from '../failure/index.js';
import { BASE_PATH, type Base, type FileTree, type PendingFile } from '../project/index.js';

/** Reads the text of .mlcc/base.json; undefined when it is missing or damaged, which is no failure: it only costs knowledge. */
export function parseBase(text: string | undefined): Base | undefined {
  if (text === undefined) return undefined;
  try {
    const data = JSON.parse(text) as {
      version: unknown;
      defaults: unknown;
      files: unknown;
      pending: unknown;
    };
    if (typeof data.version !== 'string') return undefined;
    const pending = new Map<string, PendingFile | null>();
    for (const [path, file] of Object.entries(data.pending as object)) {
      pending.set(path, file === null ? null : toFile(file));
    }
    return {
      version: data.version,
      defaults: toDefaults(data.defaults),
      files: new Map(Object.entries(data.files as object).map(([path, file]) => [path, toFile(file)])),
      pending,
    };
  } catch {
    return undefined;
  }
}

function toFile(value: unknown): { contents: string; executable: boolean } {
  const { contents, executable } = value as { contents: unknown; executable: unknown };
  if (typeof contents !== 'string' || typeof executable !== 'boolean') throw new TypeError('not a file');
  return { contents, executable };
}

function toDefaults(value: unknown): Record<string, string> {
  const entries = Object.entries((value ?? {}) as object);
  if (entries.some(([, text]) => typeof text !== 'string')) throw new TypeError('not a default');
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The base entries of a project whose base is not known: none. */
export const UNKNOWN_BASE: FileTree = new Map();

export const damagedBase = (exists: boolean): string =>
  exists
    ? `${BASE_PATH} is damaged: every file that differs from the new render counts as possibly edited`
    : `${BASE_PATH} is missing: every file that differs from the new render counts as possibly edited`;

/** Refuses a path that is not pending. */
export function notPending(path: string, pending: Iterable<string>): Failure {
  const list = [...pending];
  return new Failure({
    what: `${path} is not waiting for a decision`,
    why: list.length > 0 ? `waiting: ${list.join(', ')}` : 'nothing is',
    exit: 2,
  });
}
