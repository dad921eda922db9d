import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from '../../support/project.js';

/** Puts a program in front of the PATH of the project's runs; returns that PATH. `only`: nothing else is on it. */
export function fakeProgram(project: TestProject, name: string, body: string, only = false): string {
  const folder = join(project.home, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/bash\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
  return only ? folder : `${folder}:${process.env.PATH}`;
}
