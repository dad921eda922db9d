import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCatalog, builtInSources, type Catalog, readFolders } from '../catalog/index.js';
import { packageName } from '../package/index.js';
import { type FileTree, readTemplates, render, type Templates } from '../project/index.js';
import { parsesInBash } from './bash.js';
import { descriptorFindings } from './descriptor-faults.js';
import { type Finding, sortFindings } from './finding.js';
import { compareWith, demandOf } from './inspect.js';
import { parseFindings } from './scripts.js';

/** Whether a folder is the source of the generator. */
export function isGenerator(root: string): boolean {
  if (!existsSync(join(root, 'package.json')) || !existsSync(join(root, 'targets.d'))) return false;
  try {
    return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name === packageName;
  } catch {
    return false;
  }
}

/**
 * Checks descriptors, scripts and templates of the generator: first by themselves, then as the project that they make. What
 * is found there is reported where it stands here.
 */
export function checkGenerator(root: string): Finding[] {
  const sources = builtInSources(root);
  const { catalog, faults } = buildCatalog({
    ...sources,
    // As they stand: here, a missing executable bit is a fault, whatever the first line says.
    targets: readFolders(join(root, 'targets.d'), 'pack', 'targets.d'),
    engines: readFolders(join(root, 'serve.d'), 'pack', 'serve.d'),
  });
  if (faults.length > 0) return sortFindings(descriptorFindings(faults, filesOf(sources)));
  const templates = readTemplates(join(root, 'templates'));
  const tree = render(firstAnswers(catalog), catalog, { templates });
  const options = { packageCatalog: catalog, parses: parsesInBash, source: { templates } };
  const { findings } = compareWith(tree, demandOf(tree, options), options);
  const unparsed = parseFindings(tree, new Map(), parsesInBash);
  return sortFindings([...findings, ...unparsed].map((one) => atHome(one, templates)));
}

/** Any project will do: descriptors, scripts and templates are in all of them. */
const firstAnswers = ({ targets, engines }: Catalog) => ({
  projectName: 'check',
  deploymentTarget: targets[0]?.manifest.target ?? '',
  engine: engines[0]?.manifest.engine ?? '',
});

function filesOf({ targets, engines, variables }: ReturnType<typeof builtInSources>): FileTree {
  const folders = [...targets, ...engines].flatMap(({ location, files }) =>
    [...files].map(([path, file]) => [`${location}/${path}`, file] as const),
  );
  return new Map([...folders, [variables.file, { contents: variables.contents, executable: false }]]);
}

/** The place in this tree of something that was found in a project. */
function atHome(found: Finding, templates: Templates): Finding {
  return { ...found, file: homeOf(found.file, templates), field: homeOf(found.field, templates) };
}

function homeOf(path: string, templates: Templates): string {
  const script = /^do\/(deploy|clean)\.d\/([^/]+)$/.exec(path);
  if (script) return `targets.d/${script[2]}/${script[1]}`;
  const folder = /^do\/(targets\.d|serve\.d)\/(.*)$/s.exec(path);
  if (folder) return `${folder[1]}/${folder[2]}`;
  if (templates.has(path) && path.startsWith('do/')) return `templates/${path}`;
  return path;
}
