import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { Failure } from '../failure/index.js';

/** Makes a file that must not be there yet, readable by its owner only; undefined when it is there. */
export function createExclusively(path: string, line: string, configPath: string): number | undefined {
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

export function cannotWrite(configPath: string, cause: unknown): Failure {
  return new Failure({
    what: `${configPath} was not changed`,
    why: cause instanceof Error ? cause.message : String(cause),
    next: 'see that its folder is writable and its disk is not full, and run the same command again',
    exit: 1,
    cause,
  });
}
