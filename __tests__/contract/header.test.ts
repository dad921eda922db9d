import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadCatalog, verbTargets } from '../../lib/catalog/index.js';
import { headerFaults, parseHeader, verbs } from '../../lib/contract/index.js';
import { render } from '../../lib/project/index.js';

const catalog = loadCatalog();
const HEADER = `#!/bin/bash
# Copyright the authors of this project
# SPDX-License-Identifier: Apache-2.0
# Shows the state.
#
# @mlcc-script
# type: deployment-centric
# guard: none
# lifecycle: monitor
# targets: all
# usage: do/status [--json]
#        do/status --target TARGET
#
# More to know.

work
`;

const messages = (text: string, file = 'do/status') => {
  const { header, faults } = parseHeader(file, text);
  return (header ? headerFaults(file, header, catalog) : faults).map(({ message }) => message);
};

test('a header is read as it stands', () => {
  expect(parseHeader('do/status', HEADER).header).toEqual({
    description: 'Shows the state.',
    type: 'deployment-centric',
    guard: 'none',
    lifecycle: 'monitor',
    targets: 'all',
    usage: ['do/status [--json]', 'do/status --target TARGET'],
  });
  expect(messages(HEADER)).toEqual([]);
  expect(messages(HEADER.replaceAll('\n', '\r\n'))).toEqual([]);
});

describe('faults', () => {
  test.each([
    ['no marker', HEADER.replace('# @mlcc-script\n', ''), 'no line "# @mlcc-script"'],
    ['a marker behind code', `echo\n${HEADER}`, 'no line "# @mlcc-script"'],
    ['a missing field', HEADER.replace('# guard: none\n', ''), 'no "# guard:" line'],
    [
      'a field twice',
      HEADER.replace('# guard: none\n', '# guard: none\n# guard: none\n'),
      '"# guard:" twice',
    ],
    ['a misspelt field', HEADER.replace('# guard:', '# gaurd:'), '(did you mean "guard"?)'],
    ['no description', HEADER.replace('# Shows the state.\n', ''), 'says what the script does'],
    [
      'an unknown guard',
      HEADER.replace('guard: none', 'guard: deployment-activ'),
      '(did you mean "deployment-active"?)',
    ],
    ['an unknown target', HEADER.replace('targets: all', 'targets: nowhere'), 'found "nowhere"'],
    ['another usage', HEADER.replace('usage: do/status', 'usage: status'), 'does not start with do/status'],
    ['another lifecycle than the registry', HEADER.replace('monitor', 'deploy'), 'do/status is "monitor"'],
  ])('%s', (_title, text, message) => {
    expect(messages(text).join('\n')).toContain(message);
  });
});

const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb] : []));

test.each(restricted)("do/$name has the targets that the descriptors' verbs allow", (verb) => {
  const header = (targets: string) =>
    HEADER.replace('type: deployment-centric', `type: ${verb.type}`)
      .replace('guard: none', `guard: ${verb.guard}`)
      .replace('monitor', verb.lifecycle)
      .replace('targets: all', `targets: ${targets}`)
      .replaceAll('do/status', `do/${verb.name}`);
  expect(messages(header(verbTargets(catalog, verb.name).join(', ')), `do/${verb.name}`)).toEqual([]);
  expect(messages(header('all'), `do/${verb.name}`)).toHaveLength(1);
});

test('every verb of a project keeps the contract, and is in the registry', () => {
  const tree = render({ projectName: 'demo' }, catalog);
  const scripts = [...tree].filter(([path]) => /^do\/[a-z-]+$/.test(path) && path !== 'do/config');
  expect(scripts.length).toBeGreaterThan(0);
  for (const [path, { contents, executable }] of scripts) {
    expect(messages(contents, path)).toEqual([]);
    expect(verbs.map(({ name }) => `do/${name}`)).toContain(path);
    expect({ path, executable, shebang: contents.split('\n')[0] }).toEqual({
      path,
      executable: true,
      shebang: '#!/bin/bash',
    });
  }
});

test('verbs find themselves with the same lines', () => {
  const folder = join(import.meta.dirname, '../../templates/do');
  const preambles = readdirSync(folder)
    .filter((name) => /^[a-z-]+$/.test(name) && name !== 'config' && statSync(join(folder, name)).isFile())
    .map(
      (name) =>
        /^_VERB_FILE=.*^\. "\$\{_VERB_FILE%\/\*\}\/lib\/script-contract\.sh"$/ms.exec(
          readFileSync(join(folder, name), 'utf8'),
        )?.[0] ?? name,
    );
  expect([...new Set(preambles)]).toHaveLength(1);
});
