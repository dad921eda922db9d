import { randomBytes } from 'node:crypto';
import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure/index.js';

/**
 * Writes a file, all of it or nothing: whoever reads it sees the old text or the new one. A link stays one, the mode is kept,
 * and a pipe or device is written to instead of replaced. Throws a Failure where it cannot be written.
 */
export function writeWholeFile(file: string, text: string): void {
  let temporary: string | undefined;
  try {
    const known = statSync(file, { throwIfNoEntry: false });
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
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Failure({
      what: `${file} could not be written`,
      // The system's own text would speak of the temporary file.
      why: code === 'ENOENT' ? `there is no folder ${dirname(file)}` : message,
      next: 'name a file in a folder that exists and can be written',
      cause,
    });
  }
}
