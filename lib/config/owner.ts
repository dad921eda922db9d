import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { hostname } from 'node:os';

/** The line that a lock holds: process id, host, token and a mark, divided by blanks. */
const OWNER_LINE = /^(\d+) (\S+) \S+ mlcc-lock$/;

export interface Owner {
  pid: number;
  host: string;
}

export function newOwnerLine(): string {
  return `${process.pid} ${thisHost()} ${randomBytes(8).toString('hex')} mlcc-lock`;
}

export function parseOwner(line: string): Owner | undefined {
  const [, pid, host] = OWNER_LINE.exec(line) ?? [];
  return pid === undefined || host === undefined ? undefined : { pid: Number(pid), host };
}

export function isOnThisHost(owner: Owner): boolean {
  return owner.host === thisHost();
}

/** Whether a process of this host has ended; one that waits to be reaped has. */
export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // no /proc on this system, or the process is not ours to look at
  }
}

/** The first line of a small file; undefined when the file is not there, `unreadable` when it is another user's. */
export function firstLine(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'unreadable';
  }
  try {
    const bytes = Buffer.alloc(1024);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0)).split('\n', 1)[0] ?? '';
  } finally {
    closeSync(file);
  }
}

function thisHost(): string {
  return hostname().replace(/\s/g, '') || 'localhost';
}
