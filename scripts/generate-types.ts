import { join } from 'node:path';
import { compileFromFile } from 'json-schema-to-typescript';
import { packageRoot } from '../lib/package/index.js';

const SOURCES: Readonly<Record<string, string>> = {
  'lib/catalog/generated/target-manifest.ts': 'targets.d/manifest.schema.json',
  'lib/catalog/generated/engine-manifest.ts': 'serve.d/manifest.schema.json',
  'lib/catalog/generated/shared-variables.ts': 'targets.d/variables.schema.json',
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
