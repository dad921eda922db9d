import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder: path, executable bit and contents, sorted by path. */
export function filesBelow(folder: string): [path: string, executable: boolean, contents: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, boolean, string] => [
      path.slice(folder.length + 1),
      (statSync(path).mode & 0o100) !== 0,
      readFileSync(path, 'utf8'),
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
