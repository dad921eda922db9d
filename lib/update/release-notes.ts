import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gt, lte, valid } from 'semver';
import { packageRoot } from '../package/index.js';

/** The sections of CHANGELOG.md behind `from` and up to `to`, newest first, as Markdown; empty when there are none. */
export function releaseNotes(from: string, to: string, changelog?: string): string {
  if (valid(from) === null || !gt(to, from)) return '';
  return (changelog ?? packageChangelog())
    .split(/^(?=## )/m)
    .filter((section) => {
      const version = /^## \[?v?([^\s\]]+)/.exec(section)?.[1] ?? '';
      return valid(version) !== null && gt(version, from) && lte(version, to);
    })
    .map((section) => section.trim())
    .join('\n\n');
}

function packageChangelog(): string {
  const file = join(packageRoot, 'CHANGELOG.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
