import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../failure/index.js';
import { packageName } from '../package/index.js';
import { parseYoRc, YO_RC_PATH } from '../project/index.js';

/** Where a target lives: the generator's own tree, a project, or a folder of targets that a team shares. */
export interface Home {
  kind: 'generator' | 'project' | 'pack';
  /** The root of the tree or project, or the folder itself. */
  dir: string;
}

/** Where a target goes: the folder that was named, else the project or tree that `cwd` is in, else `cwd` as a pack. */
export function findHome(cwd: string, into: string | undefined): Home {
  if (into !== undefined) return homeAt(into) ?? { kind: 'pack', dir: into };
  for (let dir = cwd; ; dir = dirname(dir)) {
    const home = homeAt(dir);
    if (home) return home;
    if (dirname(dir) === dir) return { kind: 'pack', dir: cwd };
  }
}

function homeAt(dir: string): Home | undefined {
  const real = existsSync(dir) ? realpathSync(dir) : dir;
  if (isGenerator(real)) return { kind: 'generator', dir: real };
  if (basename(real) === 'targets.d' && isGenerator(dirname(real)))
    return { kind: 'generator', dir: dirname(real) };
  return isProject(real) ? { kind: 'project', dir: real } : undefined;
}

function isGenerator(dir: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { name?: unknown };
    return name === packageName && existsSync(join(dir, 'targets.d'));
  } catch {
    return false;
  }
}

/** A project whose records are damaged is one all the same: that is said when they are read. */
const isProject = (dir: string): boolean =>
  existsSync(join(dir, 'do', 'config')) || isOurYoRc(join(dir, YO_RC_PATH));

function isOurYoRc(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    parseYoRc(readFileSync(file, 'utf8'), dirname(file));
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
