import { randomBytes } from 'node:crypto';
import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Failure } from '../../failure/index.js';

/** Writes a file, all of it or nothing: whoever reads it sees the old text or the new one. A link stays one. */
export function writeWhole(file: string, text: string): void {
  let temporary: string | undefined;
  try {
    const known = statSync(file, { throwIfNoEntry: false });
    // A pipe or device is written to, not replaced.
    if (known && !known.isFile()) {
      writeFileSync(file, text);
      return;
    }
    const target = known ? realpathSync(file) : file;
    temporary = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
    writeFileSync(temporary, text, { flag: 'wx' });
    if (known) chmodSync(temporary, known.mode & 0o777);
    renameSync(temporary, target);
  } catch (cause) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw new Failure({
      what: `${file} could not be written`,
      why: (cause as Error).message,
      next: 'name a file in a folder that exists and can be written',
      cause,
    });
  }
}
