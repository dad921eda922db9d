import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Catalog,
  loadCatalog,
  paramOf,
  runtimeOwnedVarsUnion,
  schemas,
  serveEngineRuntimeVarsUnion,
  statusVars,
  targetAliases,
  type VerbName,
  variablesOf,
  verbTargets,
} from '../../lib/catalog/index.js';
import { verbs } from '../../lib/contract/index.js';
import { isolatedEnv, makeProject, type TestProject } from '../support/project.js';
import { scriptedCatalog } from '../support/scripted-target.js';

const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb.name as VerbName] : []));

describe.each([
  ['the built-in catalogue', loadCatalog()],
  ['a catalogue with more targets', scriptedCatalog([{ name: 'x1', tag: 'X1', aliases: ['x', 'x-one'] }])],
])('TypeScript, Python and the shell agree on %s', (_, catalog) => {
  let project: TestProject;
  beforeAll(() => {
    project = makeProject({ catalog });
  });
  afterAll(() => project.remove());

  const python = (code: string): unknown =>
    JSON.parse(
      ask(['python3', '-B', '-c', `import json; import sys; sys.path.insert(0, "do/lib/python"); ${code}`]),
    );
  const ask = ([command = '', ...args]: string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: project.dir,
      env: isolatedEnv(project.home),
      encoding: 'utf8',
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    return stdout;
  };

  test('maps and unions', () => {
    const answer = python(
      'import target_manifest as t; import deploy_schema as d; print(json.dumps({' +
        '"aliases": t.target_aliases(), "schemas": t.schemas(), "statusVars": t.status_vars(),' +
        '"runtimeOwned": t.runtime_owned_vars_union(), "engines": t.serve_engine_runtime_vars_union(),' +
        '"SCHEMAS": d.SCHEMAS, "STATUS_VARS": d.STATUS_VARS, "TARGET_ALIASES": d.TARGET_ALIASES, "PARAMS": d.PARAMS,' +
        `"verbs": {verb: t.verb_targets(verb) for verb in ${JSON.stringify(restricted)}}}))`,
    );
    const byVerb = Object.fromEntries(restricted.map((verb) => [verb, verbTargets(catalog, verb)]));
    expect(answer).toEqual({
      aliases: targetAliases(catalog),
      schemas: schemas(catalog),
      statusVars: statusVars(catalog),
      runtimeOwned: runtimeOwnedVarsUnion(catalog),
      engines: serveEngineRuntimeVarsUnion(catalog),
      SCHEMAS: schemas(catalog),
      STATUS_VARS: statusVars(catalog),
      TARGET_ALIASES: targetAliases(catalog),
      PARAMS: paramsOf(catalog),
      verbs: byVerb,
    });
  });

  test('every name: its target, status variable, facts and verbs', () => {
    const names = catalog.targets.flatMap(({ manifest }) =>
      [manifest.target, ...manifest.aliases].map((name) => ({ name, manifest })),
    );
    const script =
      'for name; do . do/lib/targets.sh "$name" && printf "%s\\n" "$_TARGET_RECORD"; done; . do/lib/targets.sh "" || printf "%s\\n" "$_TARGET_NAMES"';
    const records = ask(['/bin/bash', '-c', script, 'names', ...names.map(({ name }) => name)]).split('\n');
    for (const [index, { manifest }] of names.entries()) {
      expect(records[index]).toBe(
        [
          manifest.target,
          statusVars(catalog)[manifest.target]?.replace(/^DEPLOYMENT_TARGET_(.*)_STATUS$/, '$1'),
          manifest.success_status,
          manifest.family,
          manifest.invocation,
          manifest.workload,
          manifest.sagemaker_endpoint ? 'yes' : 'no',
          manifest.serving_config_source,
          ...restricted.filter((verb) => verbTargets(catalog, verb).includes(manifest.target)),
        ].join(' '),
      );
    }
    expect(records[names.length]).toBe(catalog.targets.map(({ manifest }) => manifest.target).join(' '));
    expect(
      python(
        `import target_manifest as t; print(json.dumps([t.canonical(n) for n in ${JSON.stringify(names.map(({ name }) => name))}]))`,
      ),
    ).toEqual(names.map(({ manifest }) => manifest.target));
  });
});

function paramsOf(catalog: Catalog) {
  return Object.fromEntries(
    catalog.targets.map((target) => [
      target.manifest.target,
      Object.fromEntries(
        variablesOf(target).flatMap((name) => {
          const param = paramOf(catalog, target, name);
          return param ? [[name, param]] : [];
        }),
      ),
    ]),
  );
}
