import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { verbs } from '../../lib/contract/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { setConfig, writeProbe } from './support/probe.js';
import { runInTerminal } from './support/run-in-terminal.js';

const catalog = loadCatalog();
const known = catalog.targets.map(({ manifest }) => manifest.target);
const [first, second] = catalog.targets.map(({ manifest }) => manifest);
if (!first || !second) throw new Error('the catalogue has too few targets');

let project: TestProject;
beforeAll(() => {
  project = makeProject({ answers: { deploymentTarget: first.target } });
});
afterAll(() => project.remove());

/** Runs a verb whose own work is this text. */
const work = (text: string, env: Record<string, string> = {}) =>
  project.run(writeProbe(project, { work: text }), [], { env });

describe('guards that a verb asks for itself', () => {
  test('stack: the first one that is not met refuses', () => {
    const both = '_require_guard artifact-ready\n_require_guard model-staged\necho passed';
    expect(work(both).stderr).toMatch(/^Contract violation: artifact-ready\n/);
    setConfig(project, { ECR_IMAGE_URI: 'image' });
    expect(work(both)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^Contract violation: model-staged\n/),
    });
    setConfig(project, { STAGED_MODEL_PATH: 's3://b/m' });
    expect(work(both)).toEqual({ code: 0, stdout: 'passed\n', stderr: '' });
    expect(work('_guard_none; _guard_artifact_ready; _guard_model_staged; echo passed').code).toBe(0);
    setConfig(project, { ECR_IMAGE_URI: '', STAGED_MODEL_PATH: '' });
  });

  test.each(['artifact_ready', 'model_staged', 'deployment_active', 'deployment_recorded'])(
    '_guard_%s refuses',
    (guard) => {
      expect(work(`_guard_${guard}; echo passed`)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(`^Contract violation: ${guard.replace('_', '-')}\n`),
      });
    },
  );

  test('_guard_met says 0 or 1 and nothing else', () => {
    const ask = (guard: string) => work(`if _guard_met ${guard}; then echo met; else echo "not met $?"; fi`);
    expect(ask('none')).toEqual({ code: 0, stdout: 'met\n', stderr: '' });
    for (const guard of [
      'artifact-ready',
      'model-staged',
      'deployment-active',
      'deployment-recorded',
      'no-such-guard',
    ]) {
      expect(ask(guard)).toEqual({ code: 0, stdout: 'not met 1\n', stderr: '' });
    }
    setConfig(project, { DEPLOYMENT_TARGET: 'nowhere' });
    expect(ask('deployment-active')).toEqual({ code: 0, stdout: 'not met 1\n', stderr: '' });
    setConfig(project, { DEPLOYMENT_TARGET: first.target });
  });

  test('a guard of an unknown name never passes', () => {
    const { code, stderr } = project.run(writeProbe(project, { guard: 'deployment-activ' }));
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('there is no guard of this name'),
    });
  });
});

describe('_restrict_targets', () => {
  const restrict = (list: string, guidance = '') =>
    work(`_restrict_targets "${list}" ${guidance}\necho passed`);

  test('passes for a target of the list, whatever blanks and aliases it has', () => {
    const withAlias = catalog.targets.find(({ manifest }) => manifest.aliases[0])?.manifest ?? first;
    setConfig(project, { DEPLOYMENT_TARGET: withAlias.target });
    for (const list of [withAlias.target, `nowhere, ${withAlias.target}`, `${withAlias.aliases[0]},x`]) {
      expect(restrict(list)).toEqual({ code: 0, stdout: 'passed\n', stderr: '' });
    }
    setConfig(project, { DEPLOYMENT_TARGET: first.target });
  });

  test('refuses any other target with the guidance', () => {
    expect(restrict(second.target, '"deploy elsewhere"')).toEqual({
      code: 3,
      stdout: '',
      stderr: `Contract violation: target\ndo/probe does not apply to ${first.target}\n-> deploy elsewhere\n`,
    });
    expect(restrict(second.target).stderr).toContain(`-> it applies to: ${second.target}\n`);
  });

  test("shows the descriptor's guidance when the verb has none of its own", () => {
    for (const { manifest } of catalog.targets) {
      for (const [verb, guidance] of Object.entries(manifest.verb_guidance ?? {})) {
        setConfig(project, { DEPLOYMENT_TARGET: manifest.target });
        const script = writeProbe(project, { name: verb, work: '_restrict_targets nowhere' });
        expect(project.run(script)).toMatchObject({
          code: 3,
          stderr: expect.stringContaining(`-> ${guidance}\n`),
        });
        rmSync(join(project.dir, script));
      }
    }
    setConfig(project, { DEPLOYMENT_TARGET: first.target });
  });

  test.each(['', 'nowhere'])('lists the known targets when DEPLOYMENT_TARGET is "%s"', (target) => {
    setConfig(project, { DEPLOYMENT_TARGET: target });
    expect(restrict(first.target)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`known targets: ${known.join(', ')}\n`),
    });
    setConfig(project, { DEPLOYMENT_TARGET: first.target });
  });
});

const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb.name] : []));
const pairs = catalog.targets.flatMap(({ manifest }) =>
  restricted.map((verb) => ({ verb, manifest, target: manifest.target })),
);

describe('restricted verbs go by the descriptors', () => {
  test.each(pairs)('do/$verb on $target', ({ verb, manifest }) => {
    setConfig(project, { DEPLOYMENT_TARGET: manifest.target });
    // The header lists every target: where it and the map disagree, the map decides.
    const script = writeProbe(project, { name: verb, targets: known.join(', ') });
    const result = project.run(script);
    rmSync(join(project.dir, script));
    setConfig(project, { DEPLOYMENT_TARGET: first.target });
    if (manifest.verbs[verb]) {
      expect(result).toEqual({ code: 0, stdout: 'passed\n', stderr: '' });
    } else {
      const guidance = manifest.verb_guidance?.[verb] ?? 'it applies to: ';
      expect(result).toMatchObject({ code: 3, stdout: '' });
      expect(result.stderr).toMatch(/^Contract violation: target\n/);
      expect(result.stderr).toContain(`-> ${guidance}`);
    }
  });

  test("a verb of a person's own goes by its header", () => {
    expect(project.run(writeProbe(project, { targets: `${second.target}, ${first.target}` })).code).toBe(0);
    expect(project.run(writeProbe(project, { targets: second.target })).code).toBe(3);
  });
});

describe('the message', () => {
  const refusal = (env: Record<string, string>) =>
    runInTerminal(project, writeProbe(project, { guard: 'deployment-active' }), [], env);

  test('has symbols and colour on a terminal with UTF-8', () => {
    const { code, output } = refusal({});
    expect(code).toBe(3);
    expect(output).toContain('❌ Contract violation: deployment-active');
    expect(output).toContain('→ do/deploy');
    expect(output).toContain('\u001b[');
  });

  test.each([{ NO_COLOR: '1' }, { LANG: 'C' }, { LC_ALL: 'POSIX' }])('is plain ASCII with %j', (env) => {
    const { code, output } = refusal(env);
    expect(code).toBe(3);
    expect(output).toMatch(/^Contract violation: deployment-active\n[ -~]+\n-> do\/deploy [ -~]+\n$/);
  });

  test('_contract_violation is what a verb refuses with', () => {
    expect(work('_contract_violation target "no such thing" "another thing"')).toEqual({
      code: 3,
      stdout: '',
      stderr: 'Contract violation: target\nno such thing\n-> another thing\n',
    });
  });
});

describe('help', () => {
  const usage = 'do/probe [--json]\n#        do/probe NAME';
  const expected = 'do/probe: Probes the contract.\nUsage: do/probe [--json]\n       do/probe NAME\n';

  test.each(['--help', '-h'])('%s comes before any guard, in any state', (flag) => {
    const script = writeProbe(project, { guard: 'deployment-active', targets: 'nowhere', usage });
    const states: Record<string, string>[] = [
      { DEPLOYMENT_TARGET: '' },
      { DEPLOYMENT_TARGET: 'nowhere' },
      { DEPLOYMENT_TARGET: first.target },
    ];
    for (const state of states) {
      setConfig(project, state);
      const { code, stdout, stderr } = project.run(script, ['x', flag]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.startsWith(expected)).toBe(true);
    }
    const broken = makeProject();
    for (const damage of ["export A='open", undefined]) {
      if (damage === undefined) rmSync(join(broken.dir, 'do/config'));
      else writeFileSync(join(broken.dir, 'do/config'), damage);
      expect(broken.run(writeProbe(broken, { usage }), [flag])).toMatchObject({ code: 0, stderr: '' });
    }
    broken.remove();
  });

  test('what stands behind -- is for another program', () => {
    expect(project.run(writeProbe(project), ['--', '--help']).stdout).toBe('passed\n');
  });
});

test('an argument error is found before a contract violation', () => {
  const script = writeProbe(project, {
    guard: 'deployment-active',
    before: 'parse_arguments() { case ${1:-} in --bad) _usage_error "unknown argument \\"$1\\"" ;; esac; }',
  });
  expect(project.run(script, ['--bad'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Error: do/probe: unknown argument "--bad"\nUsage: do/probe\n',
  });
  expect(project.run(script).code).toBe(3);
});

test('a project without do/config says so', () => {
  const broken = makeProject();
  rmSync(join(broken.dir, 'do/config'));
  expect(broken.run(writeProbe(broken))).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('do/config cannot be read'),
  });
  broken.remove();
});
