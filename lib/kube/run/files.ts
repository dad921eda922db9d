import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Failure } from '../../failure/index.js';
import { Faults } from '../faults.js';
import { DEFAULT_WORKSPACE, type ManifestFile, readManifest, workspaceOf } from '../manifest.js';
import { readSourceFile } from '../source-file.js';
import type { PackFile } from './input.js';
import { isLeftOut, LARGEST_PACK_BYTES } from './pack.js';

/** Reads a domain manifest together with the names of itself and of its folder. */
export function readManifestFile(path: string): ManifestFile {
  const absolute = resolve(path);
  return { ...readSourceFile(path), name: basename(absolute), folder: basename(dirname(absolute)) };
}

/**
 * Reads the files of a manifest's folder for `--pack`. A link to a file inside the folder is read as that file; a link that
 * leads out of it, or anything that is no file, is a Failure.
 */
export function readPackFiles(manifestPath: string): PackFile[] {
  // What is wrong with the manifest is reported by rendering.
  const manifest = readManifest(readManifestFile(manifestPath), new Faults());
  const workspace = manifest ? workspaceOf(manifest) : DEFAULT_WORKSPACE;
  const root = realpathSync(dirname(resolve(manifestPath)));
  const files: PackFile[] = [];
  const faults: string[] = [];
  const visit = (folder: string) => {
    for (const name of readdirSync(folder).sort()) {
      const full = join(folder, name);
      const path = relative(root, full).split(sep).join('/');
      if (isLeftOut(path, workspace)) continue;
      if (lstatSync(full).isDirectory()) visit(full);
      else addFile(full, path);
    }
  };
  const addFile = (full: string, path: string) => {
    let target: string;
    try {
      target = realpathSync(full);
    } catch {
      faults.push(`${path} is a link to nothing`);
      return;
    }
    const status = statSync(target);
    if (!target.startsWith(root + sep)) faults.push(`${path} is a link that leads out of the folder`);
    else if (!status.isFile()) faults.push(`${path} is not a file`);
    else if (status.size > LARGEST_PACK_BYTES) {
      const [size, most] = [status.size, LARGEST_PACK_BYTES].map((bytes) => Math.ceil(bytes / 1024));
      faults.push(`${path} has ${size} KiB; at most ${most} KiB can be delivered in all`);
    } else files.push({ path, bytes: readFileSync(target), executable: (status.mode & 0o100) !== 0 });
  };
  visit(root);
  if (faults.length > 0) {
    throw new Failure({ what: `${dirname(manifestPath)} cannot be packed`, why: faults, exit: 2 });
  }
  return files;
}
