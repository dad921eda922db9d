import { execFileSync } from 'node:child_process';
import type { TestProject } from '../../support/project.js';
import { fakeProgram } from './fake-program.js';

const PYTHON = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
}).trim();

/** Puts the interpreter itself in front of the PATH: a version manager's stand-in costs more than the scripts' programs. */
export function usePython(project: TestProject): void {
  fakeProgram(project, 'python3', `exec '${PYTHON}' "$@"`);
}
