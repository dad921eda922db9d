import { spawnSync } from 'node:child_process';
import type { TextFile } from '../catalog/index.js';

/** Whether bash can parse a script. Where there is no bash, nobody can tell. */
export function parsesInBash({ contents }: TextFile): boolean {
  const { status, error } = spawnSync('bash', ['-n'], {
    input: contents,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return status === 0 || (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
