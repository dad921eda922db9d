import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../lib/package/index.js';
import { generateTypes } from './generate-types.js';

/** Everything in the repository that derives from something else: path -> contents. */
const files = new Map([...(await generateTypes())]);

for (const [path, contents] of files) {
  mkdirSync(dirname(join(packageRoot, path)), { recursive: true });
  writeFileSync(join(packageRoot, path), contents);
}
