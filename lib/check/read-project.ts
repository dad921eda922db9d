import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TextFile } from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { BASE_PATH, type FileTree, YO_RC_PATH } from '../project/index.js';
import { readTree } from '../update/index.js';
import { parseLastRender } from './last-render.js';

/** What a check looks at beside the rendered files: the verbs and libraries, the folders of targets and engines. */
const FOLDERS: readonly { folder: string; isDeep: boolean }[] = [
  { folder: 'do', isDeep: false },
  { folder: 'do/lib', isDeep: true },
  { folder: 'do/targets.d', isDeep: true },
  { folder: 'do/serve.d', isDeep: true },
  { folder: 'do/deploy.d', isDeep: false },
  { folder: 'do/clean.d', isDeep: false },
  { folder: 'code', isDeep: false },
];
/** Traces of editors, of Python and of an update. */
const NO_PART = /(?:^|\/)__pycache__\/|~$|\.mlcc-new$|(?:^|\/)\.[^/]*\.sw.$|\.pyc$/;

/** The files of a project on disk that a check looks at. What is no text is left out, unless it was rendered. */
export function readProject(root: string): FileTree {
  const records = readTree(root, [YO_RC_PATH, BASE_PATH]);
  const rendered = renderedPaths(records.get(BASE_PATH));
  const own = FOLDERS.flatMap(({ folder, isDeep }) => filesIn(root, folder, isDeep)).filter(
    (path) => !rendered.has(path) && !NO_PART.test(path),
  );
  return new Map([...records, ...readTree(root, rendered), ...own.flatMap((path) => readIfText(root, path))]);
}

function renderedPaths(base: TextFile | undefined): Set<string> {
  try {
    return new Set(parseLastRender(base)?.files.keys());
  } catch {
    return new Set();
  }
}

function filesIn(root: string, folder: string, isDeep: boolean): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: isDeep, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Failure({ what: `${folder} cannot be read`, why: (cause as Error).message, cause });
  }
}

function readIfText(root: string, path: string): [string, TextFile][] {
  try {
    return [...readTree(root, [path])];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
