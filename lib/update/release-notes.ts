import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gt, lte, valid } from 'semver';
import { packageRoot } from '../package/index.js';

/** The sections of CHANGELOG.md behind `from` and up to `to`, newest first, as Markdown; empty when there are none. */
export function releaseNotes(from: string, to: string, changelog: string = packageChangelog()): string {
  const sections = changelog.split(/^(?=## )/m).filter((section) => {
    const version = /^## \[?v?([^\s\]]+)/.exec(section)?.[1] ?? '';
    return valid(version) !== null && gt(version, from) && lte(version, to);
  });
  return sections.map((section) => section.trim()).join('\n\n');
}

const packageChangelog = (): string => readFileSync(join(packageRoot, 'CHANGELOG.md'), 'utf8');
