import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog, paramOf, type Target, variablesOf } from '../../lib/catalog/index.js';
import { scriptedCatalog } from '../support/scripted-target.js';
import { DeployProject, snapshot } from './support/deploy-project.js';
import { setConfig } from './support/probe.js';

const catalog = loadCatalog();
const targets = catalog.targets.map((target) => ({ name: target.manifest.target, target }));

let project: DeployProject;
afterEach(() => project.remove());

/** Values with which every built-in target can be deployed. */
const VALUES: Readonly<Record<string, string>> = {
  'instance-type': 'ml.g5.2xlarge',
  'endpoint-name': 'an-endpoint',
  'async-output-path': 's3://bucket/results',
  'batch-input-path': 's3://bucket/in',
  'batch-output-path': 's3://bucket/out',
  'cluster-name': 'a-cluster',
};

/** The flags of a target that have a value there, by variable. */
function flagsOf(target: Target): Map<string, string> {
  const flags = new Map<string, string>();
  for (const variable of variablesOf(target)) {
    const flag = paramOf(catalog, target, variable)?.flag ?? '';
    if (VALUES[flag]) flags.set(variable, flag);
  }
  return flags;
}

describe.each(targets)('--dry-run on $name', ({ name, target }) => {
  beforeEach(() => {
    project = new DeployProject(catalog);
    for (const program of ['aws', 'kubectl'])
      project.writeProgram(program, `echo "${program} $*" >>"$CALLS"; exit 1`);
    // What renders Kubernetes objects; it has tests of its own.
    project.writeProgram('mlcc', 'echo "objects by mlcc $*"');
    setConfig(project.project, {
      AWS_REGION: 'eu-west-1',
      ROLE_ARN: 'arn:aws:iam::123456789012:role/deployer',
      ECR_IMAGE_URI: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/demo@sha256:${'a'.repeat(64)}`,
    });
  });

  test.each([
    ['a first deploy', {}],
    ['an update', { STATUS: target.manifest.success_status, IMAGE: 'before' }],
    ['a deploy over leftovers', { STATUS: 'Failed', IMAGE: 'before' }],
  ])('of %s shows settings, sources and calls; nothing is called and no byte changes', (_, records) => {
    const flags = flagsOf(target);
    const prefix = target.manifest.status_var.replace(/STATUS$/, '');
    setConfig(
      project.project,
      Object.fromEntries(Object.entries(records).map(([what, value]) => [prefix + what, value])),
    );
    const before = { project: project.snapshot(), home: snapshot(project.project.home) };
    const { code, stdout, stderr } = project.run('deploy', [
      '--target',
      name,
      '--force',
      '--dry-run',
      ...[...flags.values()].flatMap((flag) => [`--${flag}`, VALUES[flag] ?? '']),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(target.manifest.required_vars.filter((variable) => !flags.has(variable))).toEqual([]);
    for (const [variable, flag] of flags)
      expect(stdout).toContain(`  ${variable}=${VALUES[flag]}  (flag)
`);
    for (const [variable, value] of Object.entries(target.manifest.optional_vars)) {
      if (flags.has(variable)) continue;
      expect(stdout).toMatch(new RegExp(`^  ${variable}=.*  \\((default|do/config|not set)\\)$`, 'm'));
      if (value) expect(stdout).toContain(`  ${variable}=${value}  (`);
    }
    expect(stdout).toContain('  ROLE_ARN=arn:aws:iam::123456789012:role/deployer  (do/config)\n');
    expect(stdout).toMatch(/Calls:\n./);
    expect({ project: project.snapshot(), home: snapshot(project.project.home) }).toEqual(before);
  });

  test('of do/clean shows calls; nothing is called and no byte changes', () => {
    const records = target.manifest.runtime_owned_vars.filter((variable) =>
      variable.startsWith('DEPLOYMENT_TARGET_'),
    );
    setConfig(project.project, Object.fromEntries(records.map((variable) => [variable, 'recorded'])));
    const before = { project: project.snapshot(), home: snapshot(project.project.home) };
    const { code, stdout } = project.run('clean', ['--target', name, '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Calls:\n./);
    expect({ project: project.snapshot(), home: snapshot(project.project.home) }).toEqual(before);
  });
});

describe('--dry-run', () => {
  beforeEach(() => {
    project = new DeployProject(
      scriptedCatalog([
        { name: 'probe', tag: 'PROBE' },
        { name: 'other', tag: 'OTHER' },
      ]),
    );
  });
  const SETTINGS = ['--target', 'probe', '--size=3', '--place=here'];
  const dryRun = (args: readonly string[]) => {
    const before = { project: project.snapshot(), home: snapshot(project.project.home) };
    const result = project.run('deploy', [...args, '--dry-run']);
    expect({ project: project.snapshot(), home: snapshot(project.project.home) }).toEqual(before);
    return result;
  };

  test('writes no record, not even one that a script makes', () => {
    const { code, stdout } = dryRun(SETTINGS);
    expect(code).toBe(0);
    expect(stdout).toContain('would preflight probe\nwould deploy probe\n');
  });

  test('names the source of each setting', () => {
    const answers = join(project.project.home, 'answers.json');
    writeFileSync(answers, '{"PLACE": "a file"}');
    setConfig(project.project, { COLOUR: 'green' });
    const { stdout } = dryRun([
      '--target',
      'probe',
      '--size=3',
      '--answers-file',
      answers,
      '--set',
      'NOTE=once',
    ]);
    expect(stdout).toContain('  SIZE=3  (flag)\n');
    expect(stdout).toContain('  PLACE=a file  (answers file)\n');
    expect(stdout).toContain('  COLOUR=green  (do/config)\n');
    expect(stdout).toContain('  NOTE=once  (--set or MLCC_SET_)\n');
    expect(stdout).toContain('  AWS_REGION=eu-west-1  (environment)\n');
  });

  test('shows an update, a rollback, a teardown before a new configuration, and a mere change of focus', () => {
    const before = {
      DEPLOYMENT_TARGET_PROBE_STATUS: 'InService',
      DEPLOYMENT_TARGET_PROBE_PREVIOUS_IMAGE: 'the-one-before',
    };
    setConfig(project.project, { ...before, DEPLOYMENT_TARGET: 'probe', SIZE: '3', PLACE: 'here' });
    expect(dryRun([]).stdout).toContain('probe (InService): update');
    const rollback = dryRun(['--rollback']).stdout;
    expect(rollback.match(/ECR_IMAGE_URI=.*/g)).toEqual(['ECR_IMAGE_URI=the-one-before  (rollback)']);
    expect(dryRun(['--reconfigure']).stdout).toMatch(
      /would clean probe.*probe \(not deployed\): deploy.*would deploy probe/s,
    );
    setConfig(project.project, { DEPLOYMENT_TARGET: 'other' });
    expect(dryRun(['--target', 'probe']).stdout).toContain('the focus would move from other to probe');
  });

  test('names the folder of overlays when there is one', () => {
    expect(dryRun(SETTINGS).stdout).not.toContain('overlays');
    mkdirSync(join(project.project.dir, 'do/overlays/probe'), { recursive: true });
    expect(dryRun(SETTINGS).stdout).toContain('Overlays: do/overlays/probe\n');
  });

  test('leaves no compiled Python behind, nor does a real run', () => {
    project.run('deploy', SETTINGS);
    expect(existsSync(join(project.project.dir, 'do/lib/python/__pycache__'))).toBe(false);
    expect(readFileSync(project.configFile, 'utf8')).toContain("export SIZE='3'");
  });
});
