import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadCatalog, RESERVED_FLAGS } from '../../lib/catalog/index.js';
import { newOptions, scaffoldOptions } from '../../lib/cli/command-options.js';
import { packageRoot } from '../../lib/package/index.js';
import { allOptions } from '../../lib/project/index.js';

const own = [...newOptions, ...scaffoldOptions].flatMap(({ flag, alias }) => [
  flag,
  ...(alias ? [alias] : []),
]);

test('no setting of a target can have a flag that mlcc new, yo mlcc or do/deploy has itself', () => {
  const header =
    readFileSync(join(packageRoot, 'templates/do/deploy'), 'utf8').split('>>> GENERATED')[0] ?? '';
  const ofDeploy = [...header.matchAll(/--([a-z-]+)/g)].flatMap((match) => match[1] ?? []);
  const shared = Object.values(loadCatalog().variables).flatMap(({ flag }) => flag ?? []);
  for (const flag of [...own, ...ofDeploy]) {
    if (!shared.includes(flag)) expect(RESERVED_FLAGS).toContain(flag);
  }
  for (const { flag } of allOptions(loadCatalog())) expect(RESERVED_FLAGS).not.toContain(flag);
});
