import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../lib/package/index.js';

/** The version range of a development dependency, as package.json has it. */
export function developmentVersion(name: string): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  return manifest.devDependencies[name];
}
