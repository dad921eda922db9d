import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, test } from '@jest/globals';

/** Whether a program is on the PATH. */
export function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A suite that needs programs: where one is absent it fails in CI, and elsewhere is a skip that names it. */
export function describeWithPrograms(programs: readonly string[], title: string, suite: () => void): void {
  const missing = programs.filter((program) => !hasProgram(program));
  if (missing.length === 0) {
    describe(title, suite);
  } else if (process.env.CI === 'true') {
    test(title, () => {
      throw new Error(`not installed: ${missing.join(', ')}`);
    });
  } else {
    describe.skip(`${title} (not installed: ${missing.join(', ')})`, suite);
  }
}
