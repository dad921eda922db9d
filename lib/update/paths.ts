import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, relative, sep } from 'node:path';
import { Failure } from '../failure/index.js';

/**
 * The place on disk of a path of the project, behind symlinks that stay inside it. Throws a Failure for a path that leads
 * out, by `..` or by a symlink, before anything outside is read or written.
 */
export function placeOf(root: string, path: string): string {
  if (isAbsolute(path) || posix.normalize(path) !== path || path.startsWith('../') || path === '..') {
    throw leadsOut(path);
  }
  const realRoot = realpathSync(root);
  const wanted = join(realRoot, path);
  const existing = nearestExisting(wanted);
  const real = resolveLink(existing, path);
  if (real !== realRoot && !real.startsWith(realRoot + sep)) throw leadsOut(path);
  if (existing === wanted) return real;
  if (!statSync(real).isDirectory()) {
    throw new Failure({
      what: `${path} cannot be there; nothing was changed`,
      why: `${relative(realRoot, existing)} is not a folder`,
      next: 'move it out of the way',
    });
  }
  return join(real, wanted.slice(existing.length));
}

/** The path itself or the nearest thing above it that is there, symlinks included. */
function nearestExisting(path: string): string {
  return isThere(path) ? path : nearestExisting(dirname(path));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw new Failure({
      what: `a folder cannot be read: ${dirname(path)}`,
      why: (cause as Error).message,
      next: `chmod u+rwx ${dirname(path)}`,
      cause,
    });
  }
}

function resolveLink(path: string, name: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new Failure({ what: `${name} is a symlink to nothing`, next: 'mend or delete the link', cause });
  }
}

const leadsOut = (path: string): Failure =>
  new Failure({
    what: `${path} leads out of the project; nothing was changed`,
    next: 'replace the symlink by a file or folder of the project',
  });
