import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';
import { Failure } from '../failure/index.js';
import { type ConfigDocument, parseConfig } from './document.js';
import { takeConfigLock } from './lock.js';
import { checkConfigKey, checkConfigValue, refuseSecret } from './values.js';

/** A config whose lock is held: nobody else who uses the store changes it meanwhile. */
export interface LockedConfig {
  /** The file itself, behind any symlink. */
  readonly path: string;
  /** Its text at the moment of the lock. */
  readonly text: string;
  /** Gives it new contents when the work under the lock has ended well. The last call counts. */
  replace(text: string): void;
}

/** Reads and parses a config. Needs no lock: a reader sees the file before or after a change, never in between. */
export function readConfigFile(path: string): ConfigDocument {
  return parseConfig(readText(path));
}

/**
 * Runs work while this process holds the config's lock, then publishes the replacement, if any, and unlocks in one step.
 * When the work throws, the config stays as it was. The work may also rename a new file over the config itself.
 */
export async function withConfigLock<Result>(
  path: string,
  work: (config: LockedConfig) => Result | Promise<Result>,
): Promise<Result> {
  const realPath = findWritable(path);
  const lock = await takeConfigLock(realPath);
  try {
    const text = readText(realPath);
    let replacement: string | undefined;
    const result = await work({
      path: realPath,
      text,
      replace: (newText) => {
        replacement = newText;
      },
    });
    if (replacement !== undefined && replacement !== text) lock.publish(replacement);
    return result;
  } finally {
    lock.release();
  }
}

/** Edits a config under its lock. A file that the edit does not change is not written. */
function updateConfigFile<Result>(path: string, edit: (config: ConfigDocument) => Result): Promise<Result> {
  return withConfigLock(path, (locked) => {
    const config = parseConfig(locked.text);
    const result = edit(config);
    locked.replace(config.toString());
    return result;
  });
}

/** Stores one value; a bad key, a value of several lines and a secret are refused with exit 2. */
export async function setConfigValue(path: string, key: string, value: string): Promise<void> {
  checkConfigKey(key);
  checkConfigValue(key, value);
  refuseSecret(key, value);
  await updateConfigFile(path, (config) => config.set(key, value));
}

/** Drops a key; nothing happens when it is not there. */
export async function unsetConfigValue(path: string, key: string): Promise<void> {
  checkConfigKey(key);
  await updateConfigFile(path, (config) => config.unset(key));
}

function findWritable(path: string): string {
  try {
    const realPath = realpathSync(path);
    accessSync(realPath, constants.W_OK);
    return realPath;
  } catch (error) {
    throw unusable(path, 'written', error);
  }
}

function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unusable(path, 'read', error);
  }
  const text = bytes.toString('utf8');
  if (text.includes('\0') || !Buffer.from(text, 'utf8').equals(bytes)) {
    throw new Failure({
      what: `${path} is not a text file`,
      why: 'it holds a NUL byte, or bytes that are not UTF-8',
      next: 'save it as UTF-8, and run the same command again',
      exit: 1,
    });
  }
  return text;
}

function unusable(path: string, verb: string, cause: unknown): Failure {
  return new Failure({
    what: `${path} cannot be ${verb}`,
    why: cause instanceof Error ? cause.message : String(cause),
    exit: 1,
    cause,
  });
}
