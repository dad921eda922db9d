import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { gt, valid } from 'semver';
import { type ConfigDocument, parseConfig, withConfigLock } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { packageVersion } from '../package/index.js';
import {
  type Answers,
  BASE_PATH,
  type EditableBase,
  parseBase,
  parseYoRc,
  serialiseBase,
  YO_RC_PATH,
} from '../project/index.js';
import { applyJournalled, type Change, readTree, refuseUnfinished, sameText } from '../update/index.js';

/** A project as it stands while its do/config is locked. */
export interface LockedProject {
  root: string;
  rcText: string;
  version: string;
  answers: Answers;
  config: ConfigDocument;
  base: EditableBase | undefined;
}

/**
 * Changes a project's targets: `decide` says what is to change in its files, and may edit `base`, which is written last.
 * All of it happens, or nothing. Throws a Failure, with nothing changed, for a project that has to be refreshed first.
 */
export async function changeProject<T>(
  folder: string,
  decide: (project: LockedProject) => { changes: Change[]; result: T },
): Promise<{ changes: readonly Change[]; result: T }> {
  const root = realpathSync(folder);
  const configFile = join(root, 'do', 'config');
  refuseUnfinished(root);
  const records = readTree(root, [YO_RC_PATH, BASE_PATH]);
  const { version } = parseYoRc(records.get(YO_RC_PATH)?.contents, root);
  refuseOtherVersion(version);
  if (!existsSync(configFile)) {
    const next = 'mlcc regenerate --restore do/config';
    throw new Failure({ what: 'do/config is missing; nothing was written', next });
  }
  return withConfigLock(configFile, ({ text }) => {
    // One that was killed while this waited for its lock.
    refuseUnfinished(root);
    const locked = readTree(root, [YO_RC_PATH, BASE_PATH]);
    const rcText = locked.get(YO_RC_PATH)?.contents ?? '';
    const before = locked.get(BASE_PATH);
    const base = parseBase(before?.contents);
    const { answers } = parseYoRc(rcText, root);
    const { changes, result } = decide({ root, rcText, version, answers, config: parseConfig(text), base });
    const all = [...changes];
    const contents = base && serialiseBase(base);
    if (contents !== undefined && before && !sameText(contents, before.contents)) {
      all.push({ path: BASE_PATH, before, after: { ...before, contents } });
    }
    applyJournalled(root, all);
    return { changes: all, result };
  });
}

/** What derives from descriptors has the form of the version that made the project: one version at a time. */
function refuseOtherVersion(version: string): void {
  if (version === packageVersion) return;
  const isNewer = valid(version) !== null && gt(version, packageVersion);
  throw new Failure({
    what: `the project was made by ${version}; this is ${packageVersion}; nothing was written`,
    next: isNewer
      ? `update the generator: npm install --global generator-mlcc@${version}`
      : 'mlcc regenerate first, then run the command again',
    exit: 3,
  });
}
