import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { render } from '../../lib/project/index.js';

const FOLDERS = ['templates', 'targets.d', 'serve.d', 'scripts', '.ci', 'bench'];

/** Every shell file of the repository and of a rendered project: path -> text. Rendered ones stand under `project/`. */
export function shellFiles(): Map<string, string> {
  const files = new Map<string, string>();
  const add = (path: string, text: string) => {
    if (isShell(path, text)) files.set(path, text);
  };
  for (const folder of FOLDERS) {
    for (const path of filesBelow(folder)) add(path, readFileSync(join(packageRoot, path), 'utf8'));
  }
  for (const [path, { contents }] of render({ projectName: 'demo' }, loadCatalog()))
    add(`project/${path}`, contents);
  return files;
}

const isShell = (path: string, text: string) =>
  /\.(sh|bash)$/.test(path) || /^#!.*\b(ba)?sh\b/.test(text) || /^# shellcheck shell=bash/m.test(text);

function filesBelow(folder: string): string[] {
  let entries: import('node:fs').Dirent[];
  try {
    entries = readdirSync(join(packageRoot, folder), { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packageRoot.length + 1));
}
