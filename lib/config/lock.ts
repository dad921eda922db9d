import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cannotWrite, createExclusively } from './exclusive.js';
import { firstLine, newOwnerLine } from './owner.js';
import { PATIENCE_MS, Sighting } from './sighting.js';

/*
 * The lock of a config, the same here, in config-lock.sh and in config_store.py:
 *
 *   config.lock        made with O_EXCL; holds the owner's line, then the new contents, and is renamed over the config
 *   config.owner       holds the owner's line from before the lock is overwritten
 *   config.lock.break  made with O_EXCL by the one waiter that removes a dead owner's lock
 */

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 320;

/** A lock that this process holds. */
export interface HeldLock {
  /** Puts new contents in the config's place and unlocks, in one step. */
  publish(contents: string): void;
  /** Unlocks without a change. Does nothing after `publish`. */
  release(): void;
}

/** Waits for the lock of a config (its real path, no symlink) and takes it. */
export async function takeConfigLock(configPath: string, patienceMs = PATIENCE_MS): Promise<HeldLock> {
  const sighting = new Sighting(configPath, patienceMs);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const held = tryLock(configPath);
    if (held !== undefined) return held;
    if (sighting.look()) continue;
    await sleep(pause + Math.random() * pause);
  }
}

function tryLock(configPath: string): HeldLock | undefined {
  const lockPath = `${configPath}.lock`;
  const ownerPath = `${configPath}.owner`;
  const ownerLine = newOwnerLine();
  const file = createExclusively(lockPath, ownerLine, configPath);
  if (file === undefined) return undefined;
  const isStillOurs = (): boolean => firstLine(ownerPath) === ownerLine && isSameFile(file, lockPath);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const release = (): void => {
    if (!isOpen) return;
    if (isSameFile(file, lockPath)) rmSync(lockPath, { force: true });
    close();
  };
  try {
    writeOwner(ownerPath, ownerLine);
  } catch (error) {
    release();
    throw cannotWrite(configPath, error);
  }
  if (!isStillOurs()) {
    close();
    return undefined;
  }
  const publish = (contents: string): void => {
    try {
      fillLike(file, contents, configPath);
      if (!isStillOurs()) throw new Error(`${lockPath} was taken away while it was held`);
      renameSync(lockPath, configPath);
      close();
    } catch (error) {
      throw cannotWrite(configPath, error);
    } finally {
      release();
    }
  };
  return { publish, release };
}

/** The file stays behind when the lock is gone, and may then be another user's. */
function writeOwner(path: string, line: string): void {
  try {
    writeFileSync(path, `${line}\n`);
  } catch {
    rmSync(path, { force: true });
    writeFileSync(path, `${line}\n`);
  }
}

/** Gives an open file new contents, then the owner and mode of the config. It is never empty in between. */
function fillLike(file: number, contents: string, configPath: string): void {
  const bytes = Buffer.from(contents, 'utf8');
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, done);
  ftruncateSync(file, bytes.length);
  const config = statSync(configPath);
  const mine = fstatSync(file);
  if (config.uid !== mine.uid || config.gid !== mine.gid) {
    try {
      fchownSync(file, config.uid, config.gid);
    } catch {
      // Only root may give a file away; a shared config then changes hands, as with any editor.
    }
  }
  fchmodSync(file, config.mode & 0o7777);
  fsyncSync(file);
}

function isSameFile(file: number, path: string): boolean {
  const atPath = statSync(path, { throwIfNoEntry: false });
  const opened = fstatSync(file);
  return atPath !== undefined && atPath.ino === opened.ino && atPath.dev === opened.dev;
}
