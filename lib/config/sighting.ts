import { closeSync, rmSync } from 'node:fs';
import { Failure } from '../failure/index.js';
import { createExclusively } from './exclusive.js';
import { firstLine, hasEnded, isOnThisHost, newOwnerLine, parseOwner } from './owner.js';

/** How long a waiter sees one and the same owner before it gives up, or takes an owner on another host for dead. */
export const PATIENCE_MS = 30_000;
/** How long a lock may stay empty: its owner died between making and writing it, or is in between right now. */
const EMPTY_LOCK_MS = 3_000;
/** How long an ended owner's lock is left alone: a program that it started, such as mv, may still be at work on it. */
const ENDED_OWNER_MS = 1_000;
/** Removing a dead lock takes a moment; a mark that stays longer was left by a killed process. */
const BREAK_MARK_MS = 5_000;

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
export class Sighting {
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
