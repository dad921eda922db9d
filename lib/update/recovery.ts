import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, withConfigLock } from '../config/index.js';
import { Failure } from '../failure/index.js';
import { BASE_PATH, parseYoRc, serialiseBase, updateYoRc, YO_RC_PATH } from '../project/index.js';
import { parseBase } from './base.js';
import { type ChangedMeanwhile, finishInterrupted, interruptedCommand, JOURNAL_PATH } from './journal.js';
import { mergeConfig } from './merge-config.js';
import { readTree } from './read-tree.js';
import { replaceFile } from './replace-file.js';

/**
 * Completes an update that was interrupted, and says so. In a dry run it refuses instead (exit 3), since nothing that it
 * could show would be true.
 */
export async function finishUpdate(root: string, dryRun: boolean): Promise<string[]> {
  if (!existsSync(join(root, JOURNAL_PATH))) return [];
  const command = interruptedCommand(root);
  if (dryRun && command !== undefined) {
    throw new Failure({
      what: `${command} was interrupted here`,
      next: `run it again to complete it: ${command}`,
      exit: 3,
    });
  }
  if (dryRun) return [];
  const notes = command === undefined ? [] : [`an interrupted ${command} was completed first`];
  const finish = () =>
    finishInterrupted(root, (changed) => {
      if (changed.path === 'do/config') mergeConfigAgain(root, changed);
      else notes.push(keepPersonsFile(root, changed));
    });
  const config = join(root, 'do/config');
  if (existsSync(config)) await withConfigLock(config, finish);
  else finish();
  return notes;
}

/** What scripts wrote since the interruption stays, whatever the key; everything else becomes what was staged. */
function mergeConfigAgain(root: string, { path, staged, before = '' }: ChangedMeanwhile): void {
  const mine = readTree(root, [path]).get(path)?.contents ?? '';
  const [then, now] = [parseConfig(before), parseConfig(mine)];
  const written = new Set(now.keys().filter((key) => now.get(key) !== then.get(key)));
  const { text } = mergeConfig({
    base: before,
    mine,
    theirs: staged?.contents ?? mine,
    runtimeOwned: written,
  });
  replaceFile(root, path, text);
}

/** A file that a person changed since the interruption becomes a pending conflict. */
function keepPersonsFile(root: string, { path, staged, restage }: ChangedMeanwhile): string {
  const oldVersion = parseYoRc(readTree(root, [YO_RC_PATH]).get(YO_RC_PATH)?.contents, root).version;
  restage(BASE_PATH, (text) => {
    const base = parseBase(text);
    if (!base) return text;
    const files = new Map([...base.files].filter(([name]) => name !== path));
    return serialiseBase({
      ...base,
      version: oldVersion,
      files,
      pending: new Map([...base.pending, [path, staged ?? null]]),
    });
  });
  restage(YO_RC_PATH, (text) => updateYoRc(text, { ...parseYoRc(text, root), version: oldVersion }));
  if (staged) replaceFile(root, `${path}.mlcc-new`, staged.contents);
  return `${path} was changed since then: it was left as it is, and waits for a decision`;
}
