import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextFile } from '../catalog/index.js';
import { Failure } from '../failure/index.js';

/** Writes a folder of files below `parent`, which is made where it is missing. The folder appears whole or not at all. */
export function writeFolder(parent: string, name: string, files: ReadonlyMap<string, TextFile>): void {
  const target = join(parent, name);
  let staging: string | undefined;
  try {
    mkdirSync(parent, { recursive: true });
    staging = mkdtempSync(join(parent, `.${name}.mlcc-`));
    for (const [path, { contents, executable }] of files) {
      const file = join(staging, path);
      writeFileSync(file, contents);
      chmodSync(file, executable ? 0o755 : 0o644);
    }
    chmodSync(staging, 0o755);
    refuseExisting(target);
    renameSync(staging, target);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const why = (cause as Error).message;
    throw new Failure({ what: `${target} cannot be written; nothing was changed`, why, cause });
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
  }
}

/** Removes a folder: it is gone from its place at once, whatever stops the rest. */
export function removeFolder(parent: string, name: string): void {
  try {
    const aside = mkdtempSync(join(parent, `.${name}.mlcc-`));
    renameSync(join(parent, name), join(aside, name));
    rmSync(aside, { recursive: true, force: true });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Failure({ what: `${join(parent, name)} cannot be removed`, why, cause });
  }
}

export function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw new Failure({
    what: `${path} is there already; nothing was written`,
    next: 'choose another name, or move it out of the way',
    exit: 2,
  });
}
