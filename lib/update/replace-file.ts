import { chmodSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { placeOf } from './paths.js';

/** Replaces one file of the project in one step, with its mode. */
export function replaceFile(root: string, path: string, contents: string): void {
  const file = placeOf(root, path);
  const mode = existsSync(file) ? statSync(file).mode & 0o777 : 0o644;
  const temporary = `${file}.mlcc-tmp`;
  writeFileSync(temporary, contents, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, file);
}
