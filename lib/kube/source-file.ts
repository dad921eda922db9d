import { readFileSync } from 'node:fs';
import { Failure } from '../failure/index.js';
import type { SourceFile } from './toml/document.js';

/** Reads a text file; `file` in the result is the path as it was given. Throws a Failure where it cannot be read. */
export function readSourceFile(path: string): SourceFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };
    throw new Failure({
      what: `${path} cannot be read`,
      why: reasons[code ?? ''] ?? message,
      exit: 2,
      cause: error,
    });
  }
  try {
    return { file: path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    throw new Failure({ what: `${path} cannot be read`, why: 'it is not UTF-8 text', exit: 2, cause: error });
  }
}
