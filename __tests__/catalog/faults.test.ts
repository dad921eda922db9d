import { describe, expect, test } from '@jest/globals';
import { buildCatalog, builtInSources, faultLine } from '../../lib/catalog/index.js';
import { catalogWith, editManifest } from '../support/catalog.js';

const first = builtInSources().targets[0]?.name ?? '';
const kubernetes =
  builtInSources().targets.find(({ files }) => files.get('manifest.json')?.contents.includes('"kubernetes"'))
    ?.name ?? '';

const faultsOf = (edit: (manifest: Record<string, unknown>) => void, target = first) =>
  catalogWith({ target, edit }).faults.map(faultLine);

describe('a faulty descriptor gets one message per fault, with file, pointer, what was found and what is allowed', () => {
  test('a misspelt value names the nearest allowed one', () => {
    const lines = faultsOf((manifest) => Object.assign(manifest, { family: 'kubernets' }));
    expect(lines).toEqual([
      `targets.d/${first}/manifest.json#/family: found "kubernets"; allowed: "sagemaker-endpoint", "sagemaker-job", "kubernetes" (did you mean "kubernetes"?)`,
    ]);
  });

  test('an unknown key names the nearest known one', () => {
    const [line, ...rest] = faultsOf((manifest) => Object.assign(manifest, { succes_status: 'Running' }));
    expect(line).toContain(
      `manifest.json#/succes_status: unknown key "succes_status" (did you mean "success_status"?)`,
    );
    expect(rest).toEqual([]);
  });

  test('every missing key is named', () => {
    const lines = faultsOf((manifest) => {
      delete manifest.family;
      delete manifest.verbs;
    });
    expect(lines).toEqual([
      `targets.d/${first}/manifest.json: the key "family" is missing`,
      `targets.d/${first}/manifest.json: the key "verbs" is missing`,
    ]);
  });

  test('an unknown verb, a missing verb', () => {
    const lines = faultsOf((manifest) => {
      manifest.verbs = { ...(manifest.verbs as object), benchmrk: true };
      delete (manifest.verbs as Record<string, unknown>).draft;
    });
    expect(lines).toHaveLength(2);
    expect(lines.join('\n')).toMatch(
      /#\/verbs\/benchmrk: unknown key "benchmrk" \(did you mean "benchmark"\?\)/,
    );
    expect(lines.join('\n')).toMatch(/#\/verbs: the key "draft" is missing/);
  });

  test.each([
    ['a name of 41 characters', { target: 'a'.repeat(41) }, '/target: found'],
    ['upper case', { target: 'Eks' }, '/target: found "Eks"; allowed: text that matches'],
    [
      'a status that is not allowed',
      { success_status: 'Ready' },
      '/success_status: found "Ready"; allowed: "InService"',
    ],
    [
      'a broken pattern',
      { params: { INSTANCE_TYPE: { description: 'x', pattern: '(' } } },
      '/params/INSTANCE_TYPE/pattern',
    ],
    [
      'pattern and enum',
      { params: { INSTANCE_TYPE: { description: 'x', pattern: 'a', enum: ['a'] } } },
      'exclude each other',
    ],
    ['a default that spans lines', { optional_vars: { A: 'x\ny' } }, '/optional_vars/A: found'],
  ])('%s', (_, change, expected) => {
    expect(faultsOf((manifest) => Object.assign(manifest, change)).join('\n')).toContain(expected);
  });

  test('text that is not JSON, a missing descriptor, a missing script and one that is not executable', () => {
    const sources = builtInSources();
    const [folder, ...others] = sources.targets;
    if (!folder) throw new Error('no targets');
    const withFiles = (files: typeof folder.files) =>
      buildCatalog({ ...sources, targets: [{ ...folder, origin: 'pack', files }, ...others] }).faults.map(
        faultLine,
      );
    const without = (path: string) => new Map([...folder.files].filter(([name]) => name !== path));
    const manifest = { contents: '{ "target": ', executable: false };
    expect(withFiles(new Map([...folder.files, ['manifest.json', manifest]])).join()).toContain(
      'not valid JSON',
    );
    expect(withFiles(without('manifest.json')).join()).toContain('the descriptor is missing');
    expect(withFiles(without('clean'))).toEqual([`targets.d/${first}/clean: the script is missing`]);
    const plain = new Map([...folder.files, ['deploy', { contents: 'true\n', executable: false }]]);
    expect(withFiles(plain).join()).toContain('chmod +x');
    const windows = new Map([...folder.files, ['clean', { contents: '#!/bin/bash\r\n', executable: true }]]);
    expect(withFiles(windows)).toEqual([
      `targets.d/${first}/clean: the script has Windows line ends; bash cannot run it`,
    ]);
  });
});

describe('checks across the catalogue name both sides', () => {
  const copyAs = (name: string, edit: (manifest: Record<string, unknown>) => void) =>
    catalogWith({
      target: first,
      as: name,
      edit: (manifest) => {
        Object.assign(manifest, {
          target: name,
          aliases: [],
          status_var: 'DEPLOYMENT_TARGET_OTHER_STATUS',
          answer_key: 'deploymentTargetOtherStatus',
          runtime_owned_vars: ['DEPLOYMENT_TARGET_OTHER_STATUS'],
          deploy_script: `deploy.d/${name}`,
          clean_script: `clean.d/${name}`,
        });
        edit(manifest);
      },
    });

  test('a second target with facts of its own is no fault', () => {
    expect(copyAs('other', () => {}).faults).toEqual([]);
  });

  test.each(['status_var', 'answer_key'] as const)('a %s that is taken', (field) => {
    const original = builtInSources().targets[0]?.files.get('manifest.json')?.contents ?? '{}';
    const taken = JSON.parse(original);
    const { faults } = copyAs('other', (manifest) => {
      Object.assign(manifest, { status_var: taken.status_var, answer_key: taken.answer_key });
      manifest.runtime_owned_vars = [taken.status_var];
    });
    const line = faults.map(faultLine).find((text) => text.includes(`#/${field}:`));
    expect(line).toBe(
      `targets.d/other/manifest.json#/${field}: "${taken[field]}" is taken by targets.d/${first}/manifest.json`,
    );
  });

  test('an alias that is another target’s name', () => {
    const { faults } = copyAs('other', (manifest) => Object.assign(manifest, { aliases: [first] }));
    expect(faults.map(faultLine).join()).toContain(`"${first}" is taken by targets.d/${first}/manifest.json`);
  });

  test.each([
    [
      'the folder has another name',
      { target: 'elsewhere' },
      '/target: found "elsewhere"; the folder is called "other"',
    ],
    [
      'the status variable is not runtime-owned',
      { runtime_owned_vars: [] },
      '/runtime_owned_vars: DEPLOYMENT_TARGET_OTHER',
    ],
    [
      'the answer key is not its camelCase',
      { answer_key: 'deploymentTargetXStatus' },
      'asks for "deploymentTargetOtherStatus"',
    ],
    [
      'a required variable is optional too',
      { required_vars: ['A'], optional_vars: { A: '' }, params: {} },
      'A is in required_vars too',
    ],
    [
      'the workload does not fit the family',
      { workload: 'deployment' },
      '/workload: found "deployment"; family',
    ],
    [
      'the script is another target’s',
      { deploy_script: 'deploy.d/elsewhere' },
      '/deploy_script: found "deploy.d/elsewhere"',
    ],
    [
      'a param of no variable',
      { params: { NOT_MINE: { description: 'x' } } },
      '/params/NOT_MINE: NOT_MINE is neither',
    ],
    [
      'a default outside its enum',
      { required_vars: [], optional_vars: { A: 'z' }, params: { A: { description: 'x', enum: ['a'] } } },
      'is not in params/A/enum',
    ],
    [
      'a default that its pattern refuses',
      { required_vars: [], optional_vars: { A: 'z' }, params: { A: { description: 'x', pattern: '^a$' } } },
      'does not match params/A/pattern',
    ],
    [
      'a record under another target’s tag',
      { runtime_owned_vars: ['DEPLOYMENT_TARGET_OTHER_STATUS', 'DEPLOYMENT_TARGET_ELSE_NAME'] },
      '/runtime_owned_vars/1: DEPLOYMENT_TARGET_ELSE_NAME is a record of another target',
    ],
    [
      'a record that is a setting',
      { required_vars: ['DEPLOYMENT_TARGET_OTHER_NAME'], optional_vars: {}, params: {} },
      'DEPLOYMENT_TARGET_OTHER_NAME is a record that scripts write',
    ],
    [
      'an answer that a shared variable has',
      { required_vars: ['DESCRIPTION'], optional_vars: {}, params: {} },
      '/required_vars/0: DESCRIPTION: its answer "description" is that of PROJECT_DESCRIPTION',
    ],
    [
      'a variable that bash holds read-only',
      { required_vars: [], optional_vars: { UID: '' }, params: {} },
      '/optional_vars/UID: UID belongs to the shell',
    ],
    [
      'a variable that every program needs',
      { required_vars: ['PATH'], optional_vars: {}, params: {} },
      '/required_vars/0: PATH belongs to the shell',
    ],
    [
      'a pattern that Python does not read',
      { required_vars: ['A'], optional_vars: {}, params: { A: { description: 'x', pattern: '^(?<n>a)$' } } },
      '/params/A/pattern: found "^(?<n>a)$"; allowed: a regular expression that JavaScript and Python both read',
    ],
    [
      'a flag of the commands',
      {
        required_vars: ['A'],
        optional_vars: {},
        params: { A: { description: 'x', flag: 'dry-run' } },
      },
      '/params/A/flag: --dry-run is a flag of the commands themselves',
    ],
    [
      'a flag that every project has',
      { required_vars: ['A'], optional_vars: {}, params: { A: { description: 'x', flag: 'region' } } },
      '/params/A/flag: --region sets AWS_REGION in every project',
    ],
  ])('%s', (_, change, expected) => {
    const lines = copyAs('other', (manifest) => Object.assign(manifest, change)).faults.map(faultLine);
    expect(lines.join('\n')).toContain(expected);
  });

  test('a flag that means something else in another target', () => {
    const { catalog } = copyAs('other', () => {});
    const flag = Object.values(
      catalog.targets.flatMap(({ manifest }) => Object.values(manifest.params ?? {})),
    ).find((param) => param.flag && !param.enum)?.flag;
    const { faults } = copyAs('other', (manifest) => {
      manifest.required_vars = [];
      manifest.optional_vars = { A: 'a' };
      manifest.params = { A: { flag, description: 'x', enum: ['a', 'b'] } };
    });
    expect(faults.map(faultLine).join()).toMatch(new RegExp(`--${flag} means (one of a, b|free text)`));
  });

  test('a kubernetes target with a prefix of its own gets a warning, no fault', () => {
    const { faults, warnings } = catalogWith({
      target: kubernetes,
      edit: (manifest) => {
        (manifest.optional_vars as Record<string, string>).K8S_POOL = '';
      },
    });
    expect(faults).toEqual([]);
    expect(warnings.map(faultLine).join()).toContain('K8S_POOL: kubernetes targets share the prefix HP_');
  });
});

describe('engines', () => {
  const engineFaults = (edit: (manifest: Record<string, unknown>) => void) => {
    const sources = builtInSources();
    const engine = sources.engines.find(({ files }) =>
      files.get('manifest.json')?.contents.includes('"ngram"'),
    );
    if (!engine) throw new Error('no engine with algorithms');
    const edited = editManifest(engine, engine.name, edit);
    const others = sources.engines.filter(({ name }) => name !== engine.name);
    return buildCatalog({ ...sources, engines: [...others, edited] })
      .faults.map(faultLine)
      .join('\n');
  };

  test('an algorithm without the engine’s name for it, and a name for no algorithm', () => {
    expect(engineFaults(({ algorithm_map: map }) => delete (map as Record<string, string>).ngram)).toContain(
      '#/algorithm_map: ngram (supported_algorithms) has no name there',
    );
    expect(engineFaults((manifest) => (manifest.supported_algorithms as string[]).splice(0, 1))).toMatch(
      /#\/algorithm_map\/\S+: \S+ is not in supported_algorithms/,
    );
  });

  test('a prefix that another engine has', () => {
    const other = builtInSources().engines.find(
      ({ files }) => !files.get('manifest.json')?.contents.includes('"ngram"'),
    );
    const taken = JSON.parse(other?.files.get('manifest.json')?.contents ?? '{}').env_var_prefix;
    expect(engineFaults((manifest) => Object.assign(manifest, { env_var_prefix: taken }))).toContain(
      `"${taken}" is taken by`,
    );
  });
});
