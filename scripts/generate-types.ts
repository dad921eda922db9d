import { join } from 'node:path';
import { compileFromFile } from 'json-schema-to-typescript';
import { schemaPaths } from '../lib/catalog/index.js';
import { packageRoot } from '../lib/package/index.js';

const SOURCES: Readonly<Record<string, string>> = {
  'lib/catalog/generated/target-manifest.ts': schemaPaths.target,
  'lib/catalog/generated/engine-manifest.ts': schemaPaths.engine,
  'lib/catalog/generated/shared-variables.ts': schemaPaths.variables,
};

/** TypeScript types of every descriptor, from their schemas: path -> contents. */
export async function generateTypes(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [path, schema] of Object.entries(SOURCES)) {
    const types = await compileFromFile(join(packageRoot, schema), {
      bannerComment: `// Generated from ${schema} by npm run codegen. Do not edit.`,
      cwd: join(packageRoot, 'targets.d'),
      style: { singleQuote: true },
      unreachableDefinitions: true,
      additionalProperties: false,
    });
    files.set(path, types);
  }
  return files;
}
