import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure/index.js';
import { firstLine, hasEnded, isOnThisHost, newOwnerLine, parseOwner } from './owner.js';

/*
 * The lock of a config, the same here, in config-lock.sh and in config_store.py:
 *
 *   config.lock        made with O_EXCL; holds the owner's line, then the new contents, and is renamed over the config
 *   config.owner       holds the owner's line from before the lock is overwritten
 *   config.lock.break  made with O_EXCL by the one waiter that removes a dead owner's lock
 */

/** How long a waiter sees one and the same owner before it gives up, or takes an owner on another host for dead. */
const PATIENCE_MS = 30_000;
/** How long a lock may stay empty: its owner died between making and writing it, or is in between right now. */
const EMPTY_LOCK_MS = 3_000;
/** How long an ended owner's lock is left alone: a program that it started, such as mv, may still be at work on it. */
const ENDED_OWNER_MS = 1_000;
/** Removing a dead lock takes a moment; a mark that stays longer was left by a killed process. */
const BREAK_MARK_MS = 5_000;
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

/** Makes a file that must not be there yet, readable by its owner only; undefined when it is there. */
function createExclusively(path: string, line: string, configPath: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw cannotWrite(configPath, error);
  }
  try {
    writeSync(file, `${line}\n`);
    return file;
  } catch (error) {
    rmSync(path, { force: true });
    closeSync(file);
    throw cannotWrite(configPath, error);
  }
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

/** Tells how long something has looked the same. */
class Steady {
  #seen: string | undefined;
  #since = 0;

  /** Milliseconds for which this has been seen; 0 at the first sight. */
  age(seen: string): number {
    const now = performance.now();
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#since = now;
    }
    return now - this.#since;
  }
}

/** What a waiter sees of somebody else's lock. */
class Sighting {
  readonly #lock = new Steady();
  readonly #breakMark = new Steady();

  constructor(
    private readonly configPath: string,
    private readonly patienceMs: number,
  ) {}

  /** Looks at the lock once. True when it is worth trying at once; throws when waiting longer makes no sense. */
  look(): boolean {
    const state = lockState(this.configPath);
    if (state === undefined) return true;
    if (this.#lock.age(state.seen) < this.#patienceWith(state.kind)) return false;
    if (state.kind === 'held') throw lockedFailure(this.configPath, state.owner, this.patienceMs);
    return this.#break(state.seen);
  }

  #patienceWith(kind: LockKind): number {
    if (kind === 'empty') return EMPTY_LOCK_MS;
    return kind === 'ended' ? ENDED_OWNER_MS : this.patienceMs;
  }

  /** Removes the dead owner's lock, unless somebody else is about to. */
  #break(judged: string): boolean {
    const lockPath = `${this.configPath}.lock`;
    const markPath = `${lockPath}.break`;
    const ownerLine = newOwnerLine();
    const mark = createExclusively(markPath, ownerLine, this.configPath);
    if (mark === undefined) {
      if (this.#breakMark.age(firstLine(markPath) ?? '') >= BREAK_MARK_MS) rmSync(markPath, { force: true });
      return false;
    }
    try {
      const isUnchanged = lockState(this.configPath)?.seen === judged;
      if (isUnchanged && firstLine(markPath) === ownerLine) rmSync(lockPath, { force: true });
    } finally {
      rmSync(markPath, { force: true });
      closeSync(mark);
    }
    return true;
  }
}

/** Empty; its owner on this host has ended; its owner is on another host; or, for all we know, its owner is at work. */
type LockKind = 'empty' | 'ended' | 'elsewhere' | 'held';

interface LockState {
  kind: LockKind;
  owner: string;
  /** The same text for the same owner in the same state. */
  seen: string;
}

/** Undefined when there is no lock. */
function lockState(configPath: string): LockState | undefined {
  const inLock = firstLine(`${configPath}.lock`);
  if (inLock === undefined) return undefined;
  const owner = parseOwner(inLock) ? inLock : (firstLine(`${configPath}.owner`) ?? '');
  // An empty lock may be a new one, and then config.owner still names the owner before.
  const kind = inLock === '' ? 'empty' : kindOf(owner);
  return { kind, owner, seen: `${kind} ${owner}` };
}

function kindOf(ownerLine: string): LockKind {
  const owner = parseOwner(ownerLine);
  if (owner === undefined) return 'held';
  if (!isOnThisHost(owner)) return 'elsewhere';
  return hasEnded(owner.pid) ? 'ended' : 'held';
}

function isSameFile(file: number, path: string): boolean {
  const atPath = statSync(path, { throwIfNoEntry: false });
  const opened = fstatSync(file);
  return atPath !== undefined && atPath.ino === opened.ino && atPath.dev === opened.dev;
}

function lockedFailure(configPath: string, ownerLine: string, patienceMs: number): Failure {
  const owner = parseOwner(ownerLine);
  const who = owner === undefined ? 'an unknown process' : `process ${owner.pid} on ${owner.host}`;
  return new Failure({
    what: `${configPath} is locked by ${who}`,
    why: `it has held ${configPath}.lock for ${patienceMs / 1000} seconds`,
    next: 'wait until it is done, or end it, and run the same command again',
    exit: 1,
  });
}

function cannotWrite(configPath: string, cause: unknown): Failure {
  return new Failure({
    what: `${configPath} was not changed`,
    why: cause instanceof Error ? cause.message : String(cause),
    next: 'see that its folder is writable and its disk is not full, and run the same command again',
    exit: 1,
    cause,
  });
}
