import { join } from 'node:path';
import { isolatedEnv, type TestProject } from '../../support/project.js';
import { onTerminal } from '../../support/terminal.js';

/** Runs a script of a project on a pseudo-terminal where nobody types anything. */
export function runInTerminal(
  project: TestProject,
  script: string,
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): { code: number; output: string } {
  return onTerminal([join(project.dir, script), ...args], [], {
    cwd: project.dir,
    // Python would change the C locale into one with UTF-8 for the programs that it starts.
    env: isolatedEnv(project.home, { TERM: 'xterm', PYTHONCOERCECLOCALE: '0', ...env }),
  });
}
