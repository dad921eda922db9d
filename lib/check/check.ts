import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../catalog/index.js';
import { withConfigLock } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { packageVersion } from '../package/index.js';
import { type FileTree, parseYoRc, YO_RC_PATH } from '../project/index.js';
import { applyJournalled, type Change, finishUpdate, regenerate, sideFile } from '../update/index.js';
import { parsesInBash } from './bash.js';
import { CONFIG_PATH } from './config-rules.js';
import { type Finding, finding, sortFindings } from './finding.js';
import { checkGenerator, isGenerator } from './generator-tree.js';
import { type Inspection, inspect } from './inspect.js';
import { readProject } from './read-project.js';

export interface CheckOptions {
  /** The descriptors of this version of the package, with packs. */
  catalog: Catalog;
  /** Mend what derives. */
  fix?: boolean;
}

export interface CheckResult {
  /** What is left to do. */
  findings: readonly Finding[];
  /** What was found and has been mended. */
  fixed: readonly Finding[];
  /** What a person should know beside that. */
  notes: readonly string[];
}

/**
 * Checks a project, or the generator's own tree, against its descriptors. Throws a usage Failure for any other folder, and a
 * Failure (exit 3) where an update was interrupted and is not to be completed.
 */
export async function check(folder: string, options: CheckOptions): Promise<CheckResult> {
  const root = existsSync(folder) ? realpathSync(folder) : folder;
  if (isGenerator(root)) {
    if (options.fix) {
      const next = 'npm run codegen writes what derives from the descriptors';
      throw new Failure({ what: '--fix mends projects, not the generator', next, exit: 2 });
    }
    return { findings: checkGenerator(root), fixed: [], notes: [] };
  }
  parseYoRc(existsSync(root) ? textOf(root) : undefined, folder);
  const interrupted = await finishUpdate(root, !options.fix);
  const look = () => inspectProject(root, options.catalog);
  const { inspection, notes } = look();
  if (!options.fix) return { findings: inspection.findings, fixed: [], notes };
  const pending = await mend(root, look, options.catalog);
  const left = sortFindings([...look().inspection.findings, ...pending]);
  const open = new Set(left.map(identity));
  return {
    findings: left,
    fixed: inspection.findings.filter((one) => !open.has(identity(one))),
    notes: [...interrupted, ...notes],
  };
}

interface Look {
  files: FileTree;
  inspection: Inspection;
  notes: string[];
}

function inspectProject(root: string, packageCatalog: Catalog): Look {
  const files = readProject(root);
  const { version } = parseYoRc(files.get(YO_RC_PATH)?.contents, root);
  return {
    files,
    inspection: inspect(files, { packageCatalog, parses: parsesInBash }),
    notes: version === packageVersion ? [] : [`made by version ${version}, checked by ${packageVersion}`],
  };
}

const textOf = (root: string): string | undefined => readProject(root).get(YO_RC_PATH)?.contents;

/** Writes what derives and, where descriptors or answers have changed, renders anew. Returns what a person has to decide. */
async function mend(root: string, look: () => Look, catalog: Catalog): Promise<Finding[]> {
  const write = () => {
    const { files, inspection } = look();
    applyJournalled(
      root,
      [...inspection.mended].map(([path, after]): Change => ({ path, before: files.get(path), after })),
    );
  };
  const config = join(root, CONFIG_PATH);
  // Under the lock, no script writes to do/config meanwhile, and no other update is at work.
  await (existsSync(config) ? withConfigLock(config, write) : write());
  if (!look().inspection.isStale) return [];
  const { pending } = await regenerate(root, { catalog });
  return pending.map((path) => {
    const mend = `compare it with ${sideFile(path)}, then: mlcc regenerate --resolved ${path}`;
    return finding(
      'generated-text',
      { file: path, field: path },
      'your edit and the new text are at odds',
      mend,
    );
  });
}

const identity = ({ authority, file, field, message }: Finding): string =>
  JSON.stringify([authority, file, field, message]);
