import { basename } from 'node:path';
import {
  buildCatalog,
  type Catalog,
  type DescriptorFolder,
  type Engine,
  type Origin,
  orThrow,
  type Target,
  type TextFile,
} from '../catalog/index.js';
import type { FileTree } from '../project/index.js';
import { mergeText } from './merge-text.js';

/*
 * A project's descriptors are input: a person's edit of one changes everything that derives from it. So they are merged
 * before anything is rendered.
 */

const TARGET_MANIFEST = /^do\/targets\.d\/([^/]+)\/manifest\.json$/;
const ENGINE_MANIFEST = /^do\/serve\.d\/([^/]+)\/manifest\.json$/;
const VARIABLES = 'do/targets.d/variables.json';

export interface MergedDescriptors {
  catalog: Catalog;
  /** Targets and engines that only this project has: their files are the person's, and no part of the render. */
  own: (path: string) => boolean;
}

/** The catalogue of a project: its descriptors as they will be after the merge. Throws a Failure for a faulty one. */
export function mergeDescriptors(
  packageCatalog: Catalog,
  pristine: FileTree,
  base: FileTree,
  mine: FileTree,
): MergedDescriptors {
  const text = (path: string): TextFile | undefined =>
    mergedFile(base.get(path), mine.get(path), pristine.get(path));
  const names = (pattern: RegExp) =>
    [...new Set([...pristine.keys(), ...mine.keys()])].flatMap((path) => {
      const name = pattern.exec(path)?.[1];
      return name !== undefined && text(path) ? [name] : [];
    });
  const targetOf = new Map(packageCatalog.targets.map((target) => [target.manifest.target, target]));
  const engineOf = new Map(packageCatalog.engines.map((engine) => [engine.manifest.engine, engine]));
  const targets = names(TARGET_MANIFEST).map((name) => targetFolder(name, targetOf.get(name), text, mine));
  const engines = names(ENGINE_MANIFEST).map((name) => engineFolder(name, engineOf.get(name), text, mine));
  const catalog = orThrow(
    buildCatalog({
      targets,
      engines,
      variables: { contents: text(VARIABLES)?.contents ?? '{"variables":{}}', file: VARIABLES },
    }),
  );
  const ownNames = new Set(names(TARGET_MANIFEST).filter((name) => !targetOf.has(name)));
  const own = (path: string) => {
    const name = /^do\/(?:targets|deploy|clean)\.d\/([^/]+)/.exec(path)?.[1];
    return name !== undefined && ownNames.has(name);
  };
  return { catalog, own };
}

/** The file that the plan will leave in the project, whatever becomes of a conflict: mine wins until it is decided. */
function mergedFile(
  base: TextFile | undefined,
  mine: TextFile | undefined,
  theirs: TextFile | undefined,
): TextFile | undefined {
  if (!mine) return base ? undefined : theirs;
  if (!theirs || !base) return mine;
  const merged = mergeText(base.contents, mine.contents, theirs.contents);
  return merged.conflict ? mine : { contents: merged.text, executable: mine.executable };
}

function targetFolder(
  name: string,
  known: Target | undefined,
  text: (path: string) => TextFile | undefined,
  mine: FileTree,
): DescriptorFolder {
  const location = `do/targets.d/${name}`;
  const files = new Map<string, TextFile>();
  const add = (inFolder: string, path: string) => {
    const file = text(path);
    // What lost its executable bit on the way here gets it back; it is no fault of the descriptor.
    if (file) files.set(inFolder, { ...file, executable: file.executable || inFolder !== 'manifest.json' });
  };
  add('manifest.json', `${location}/manifest.json`);
  add('deploy', `do/deploy.d/${name}`);
  add('clean', `do/clean.d/${name}`);
  const assets = new Set([...mine.keys()].filter((path) => path.startsWith(`${location}/files/`)));
  for (const path of known?.assets.keys() ?? []) assets.add(`${location}/files/${path}`);
  for (const path of assets) add(path.slice(location.length + 1), path);
  return { name, location, origin: known?.origin ?? ('project' satisfies Origin), files };
}

/** A project has the engine's descriptor, and its start script only where the engine is the chosen one. */
function engineFolder(
  name: string,
  known: Engine | undefined,
  text: (path: string) => TextFile | undefined,
  mine: FileTree,
): DescriptorFolder {
  const location = `do/serve.d/${name}`;
  const files = new Map<string, TextFile>();
  const manifest = text(`${location}/manifest.json`);
  if (manifest) files.set('manifest.json', manifest);
  files.set('serve', { contents: known?.serve ?? mine.get('code/serve')?.contents ?? '', executable: true });
  return { name: basename(location), location, origin: known?.origin ?? 'project', files };
}
