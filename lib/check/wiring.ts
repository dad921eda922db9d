import type { FileTree } from '../project/index.js';
import { type Authority, type Finding, finding } from './finding.js';
import { codeLines, isShell, shellCode, withSources } from './shell-code.js';

/** Who has to read what derives, so that it has any effect. */
const READERS: readonly { authority: Authority; file: string; reads: RegExp; field: string }[] = [
  {
    authority: 'guard-map',
    file: 'do/lib/script-contract.sh',
    reads: /\blib\/targets\.sh\b/,
    field: 'do/lib/targets.sh',
  },
  { authority: 'dispatch', file: 'do/deploy', reads: /\bdeploy\.d\/\$/, field: 'do/deploy.d' },
  { authority: 'dispatch', file: 'do/clean', reads: /\bclean\.d\/\$/, field: 'do/clean.d' },
  {
    authority: 'serving-source',
    file: 'do/lib/resolve-serving-config.sh',
    reads: /\/targets\.sh\b/,
    field: 'do/lib/targets.sh',
  },
  {
    authority: 'serving-source',
    file: 'do/lib/resolve-serving-config.sh',
    reads: /\/engines\.sh\b/,
    field: 'do/lib/engines.sh',
  },
  {
    authority: 'python-derived',
    file: 'do/lib/python/deploy_schema.py',
    reads: /\btarget_manifest\b/,
    field: 'do/lib/python/target_manifest.py',
  },
];

/** Places where what derives from the descriptors is not read any more. */
export function readerFindings(files: FileTree): Finding[] {
  return READERS.flatMap(({ authority, file, reads, field }) => {
    const reader = files.get(file);
    if (!reader) return [];
    // A verb may leave it to a library; a library reads for itself.
    const texts = file.startsWith('do/lib/') ? [reader] : [...withSources(files, [file]).values()];
    if (texts.some((text) => codeLines(text).some((line) => reads.test(line.text)))) return [];
    return [finding(authority, { file, field }, `${field} is not read there`, `read ${field} again`)];
  });
}

/** What is sourced, or reads what derives, and is not there: by path, with one of those who need it. */
export function missingFiles(files: FileTree): Map<string, string> {
  const missing = new Map<string, string>();
  for (const { file, field } of READERS) if (!files.has(file)) missing.set(file, field);
  for (const [path, file] of files) {
    if (!path.startsWith('do/') || !isShell(path, file)) continue;
    for (const source of shellCode(file).sources) {
      if (!files.has(`do/${source}`)) missing.set(`do/${source}`, path);
    }
  }
  return missing;
}

/** A missing file takes with it what it was there for. */
export function missingFindings(files: FileTree, isRestorable: (path: string) => boolean): Finding[] {
  return [...missingFiles(files)].map(([file, user]) => {
    const authority = READERS.find((reader) => reader.file === file)?.authority ?? 'script-present';
    const mend = isRestorable(file) ? undefined : `write ${file}, or take it out of ${user}`;
    return finding(authority, { file, field: user }, `the file is missing; ${user} needs it`, mend);
  });
}
