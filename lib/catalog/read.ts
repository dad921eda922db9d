import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TextDecoder } from 'node:util';
import { Failure } from '../failure/index.js';
import type { DescriptorFolder, Origin, TextFile } from './types.js';

/** A descriptor or script larger than this is a mistake (a model or an archive put in the wrong folder). */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads every descriptor folder directly below `root`, sorted by name.
 * Files beside the folders (the schema, a README) are not descriptors; hidden entries are skipped.
 * Some packers drop the executable bit of everything, so what comes with the package is executable by its first line.
 */
export function readFolders(root: string, origin: Origin, label: string = root): DescriptorFolder[] {
  return list(root)
    .filter((name) => !name.startsWith('.') && isFolder(join(root, name)))
    .map((name) => ({
      name,
      location: `${label}/${name}`,
      origin,
      files: readFiles(join(root, name), origin === 'built-in'),
    }));
}

function readFiles(folder: string, byFirstLine: boolean, prefix = ''): Map<string, TextFile> {
  const files = new Map<string, TextFile>();
  for (const name of list(join(folder, prefix))) {
    const path = prefix ? `${prefix}/${name}` : name;
    if (isFolder(join(folder, path))) {
      for (const [inner, file] of readFiles(folder, byFirstLine, path)) files.set(inner, file);
      continue;
    }
    const { contents, executable } = readTextFile(join(folder, path));
    files.set(path, { contents, executable: executable || (byFirstLine && contents.startsWith('#!')) });
  }
  return files;
}

/** Reads a UTF-8 file, with a failure that names it when it is missing, unreadable, too large or in another encoding. */
export function readTextFile(path: string): TextFile {
  const stat = attempt(path, () => statSync(path));
  if (!stat.isFile()) throw new Failure({ what: `${path} is not a file`, exit: 2 });
  if (stat.size > MAX_FILE_BYTES) {
    throw new Failure({ what: `${path} is too large`, why: `${stat.size} bytes; at most 1 MiB`, exit: 2 });
  }
  const bytes = attempt(path, () => readFileSync(path));
  try {
    const contents = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { contents, executable: (stat.mode & 0o100) !== 0 };
  } catch (cause) {
    throw new Failure({
      what: `${path} is not UTF-8 text`,
      next: `save it as UTF-8: iconv -f LATIN1 -t UTF-8`,
      exit: 2,
      cause,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  ENOTDIR: 'it is not a folder',
  ELOOP: 'its symbolic links go in circles',
};

const list = (folder: string): string[] => attempt(folder, () => readdirSync(folder)).sort();
const isFolder = (path: string): boolean => attempt(path, () => statSync(path)).isDirectory();

function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const why = REASONS[code ?? ''] ?? (cause as Error).message;
    throw new Failure({ what: `cannot read ${path}`, why, exit: 2, cause });
  }
}
