import { BASE_PATH, type Base, type PendingFile } from '../project/index.js';

/** Reads the text of .mlcc/base.json; undefined when it is missing or damaged, which is no failure: it only costs knowledge. */
export function parseBase(text: string | undefined): Base | undefined {
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

/** What a person should know when there is no usable base. */
export const damagedBase = (exists: boolean): string =>
  `${BASE_PATH} is ${exists ? 'damaged' : 'missing'}: every file that differs from the new render counts as possibly edited`;
