import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../lib/package/index.js';
import { documents } from './doc-tables.js';
import { generateTypes } from './generate-types.js';
import { GOLDEN_ROOT, goldenProjects } from './golden-projects.js';

/*
 * npm run codegen: writes everything in the repository that derives from something else.
 * npm run codegen -- --check: writes nothing and fails when a file is not what it would write (for CI).
 */
interface DerivedFile {
  contents: string;
  executable: boolean;
}

const check = process.argv.includes('--check');
const plain = (files: Map<string, string>): [string, DerivedFile][] =>
  [...files].map(([path, contents]) => [path, { contents, executable: false }]);
const derived = new Map<string, DerivedFile>([
  ...plain(await generateTypes()),
  ...plain(await documents()),
  ...goldenProjects(),
]);

const stale = [...derived].filter(([path, file]) => !isCurrent(path, file)).map(([path]) => path);
const dropped = existsSync(join(packageRoot, GOLDEN_ROOT))
  ? readdirSync(join(packageRoot, GOLDEN_ROOT), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(packageRoot.length + 1))
      .filter((path) => !derived.has(path))
  : [];

if (check) {
  for (const path of stale) console.error(`${path}: not what npm run codegen writes`);
  for (const path of dropped) console.error(`${path}: npm run codegen does not write it`);
  process.exitCode = stale.length + dropped.length > 0 ? 1 : 0;
} else {
  for (const path of dropped) rmSync(join(packageRoot, path));
  for (const path of stale) write(path, derived.get(path) as DerivedFile);
  console.log(`${derived.size} derived files: ${stale.length} written, ${dropped.length} removed`);
}

function isCurrent(path: string, { contents, executable }: DerivedFile): boolean {
  const file = join(packageRoot, path);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== contents) return false;
  return ((statSync(file).mode & 0o100) !== 0) === executable;
}

function write(path: string, { contents, executable }: DerivedFile): void {
  const file = join(packageRoot, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, contents);
  chmodSync(file, executable ? 0o755 : 0o644);
}
