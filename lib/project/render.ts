import ejs from 'ejs';
import { type Catalog, type Engine, type Target, type TextFile, verbTargets } from '../catalog/index.js';
import { verbs } from '../contract/index.js';
import { Failure } from '../failure/index.js';
import { packageName, packageVersion } from '../package/index.js';
import { escapeForPath } from '../shell/index.js';
import { type Answers, chosenTarget, resolveAnswers } from './answers.js';
import { BASE_PATH, RECORD_PATHS, serialiseBase } from './base.js';
import { renderConfig } from './config-file.js';
import { derivedBlocks, derivedFiles } from './derived.js';
import { type FileTree, sortTree } from './file-tree.js';
import { fillBlocks } from './generated.js';
import { defaultAnswers } from './options.js';
import { packageTemplates, type Templates } from './templates.js';
import { renderYoRc } from './yo-rc.js';

/** What a render depends on besides answers and catalogue. Tests give other templates and another version. */
export interface RenderSource {
  templates: Templates;
  version: string;
}

/**
 * The whole project as a tree of files, records (.yo-rc.json, .mlcc/base.json) included. A pure function: the same
 * answers, catalogue and templates give the same bytes. Throws a usage Failure for answers that are not allowed.
 */
export function render(given: Answers, catalog: Catalog, source: Partial<RenderSource> = {}): FileTree {
  const { templates = packageTemplates(), version = packageVersion } = source;
  const answers = resolveAnswers(catalog, given);
  const target = chosenTarget(catalog, answers);
  const engine = chosenEngine(catalog, answers);
  const defaults = defaultAnswers(catalog, target);
  const files = sortTree(
    new Map([
      ...fromTemplates(templates, catalog, { answers, target, engine, version }),
      ...derivedFiles(catalog),
      ...catalogFiles(catalog),
      ['do/config', { contents: renderConfig(catalog, target, answers), executable: false }],
      ['code/serve', { contents: engine.serve, executable: true }],
    ]),
  );
  return sortTree(
    new Map([
      ...files,
      ['.yo-rc.json', { contents: renderYoRc({ version, answers }), executable: false }],
      [
        BASE_PATH,
        { contents: serialiseBase({ version, defaults, files, pending: new Map() }), executable: false },
      ],
    ]),
  );
}

/** A tree without the files that record a render: what is merged with a person's project. */
export function withoutRecords(tree: FileTree): FileTree {
  return new Map([...tree].filter(([path]) => !RECORD_PATHS.has(path)));
}

function chosenEngine(catalog: Catalog, answers: Answers): Engine {
  const engine = catalog.engines.find(({ manifest }) => manifest.engine === answers.engine);
  if (engine && !answers.baseImage && !engine.manifest.base_image) {
    throw new Failure({
      what: `the engine ${answers.engine} has no image of its own`,
      why: `${engine.location}/manifest.json has no base_image`,
      next: 'name the image to build from: --base-image IMAGE',
      exit: 2,
    });
  }
  if (engine) return engine;
  const known = catalog.engines.map(({ manifest }) => manifest.engine).join(', ');
  throw new Failure({ what: `unknown engine "${answers.engine}"`, why: `known engines: ${known}`, exit: 2 });
}

interface TemplateValues {
  answers: Answers;
  target: Target;
  engine: Engine;
  version: string;
}

function* fromTemplates(
  templates: Templates,
  catalog: Catalog,
  values: TemplateValues,
): Generator<[string, TextFile]> {
  const blocks = derivedBlocks(catalog, templates);
  for (const [template, text] of templates) {
    if (!isWanted(template, values.engine)) continue;
    const path = template.replace(/\.ejs$/, '');
    const rendered = template === path ? text : renderEjs(path, text, values);
    const contents = withTargetsHeader(catalog, path, fillBlocks(path, rendered, blocks));
    yield [path, { contents, executable: contents.startsWith('#!') }];
  }
}

/** `code/` holds what the chosen engine's `serve` needs beside it, and nothing that only other engines need. */
function isWanted(template: string, { manifest }: Engine): boolean {
  const [folder, name] = template.split('/');
  return folder !== 'code' || (manifest.helpers ?? []).some((helper) => helper === name);
}

/** Values are escaped by the kind of file they stand in, so that no answer can become code. */
function renderEjs(path: string, text: string, { answers, target, engine, version }: TemplateValues): string {
  const values = { answers, target: target.manifest, engine: engine.manifest, version, packageName };
  return ejs.render(text, values, { escape: escapeForPath(path), filename: path, async: false });
}

/** The descriptors decide about restricted verbs; the header repeats the decision for people and tools. */
function withTargetsHeader(catalog: Catalog, path: string, contents: string): string {
  const verb = verbs.find(({ name }) => path === `do/${name}`);
  if (verb?.targets !== 'map') return contents;
  return contents.replace(/^# targets: map$/m, `# targets: ${verbTargets(catalog, verb.name).join(', ')}`);
}

/** The descriptors, and each target's scripts and assets, as a project has them. */
export function* catalogFiles(catalog: Catalog): Generator<[string, TextFile]> {
  for (const { manifest, manifestText, deploy, clean, assets } of catalog.targets) {
    yield [`do/targets.d/${manifest.target}/manifest.json`, { contents: manifestText, executable: false }];
    yield [`do/${manifest.deploy_script}`, { contents: deploy, executable: true }];
    yield [`do/${manifest.clean_script}`, { contents: clean, executable: true }];
    for (const [path, file] of assets) yield [`do/targets.d/${manifest.target}/files/${path}`, file];
  }
  for (const { manifest, manifestText } of catalog.engines) {
    yield [`do/serve.d/${manifest.engine}/manifest.json`, { contents: manifestText, executable: false }];
  }
  const variables = `${JSON.stringify({ variables: catalog.variables }, null, 2)}\n`;
  yield ['do/targets.d/variables.json', { contents: variables, executable: false }];
}
