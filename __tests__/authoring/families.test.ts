import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stubs } from '../../lib/authoring/index.js';
import { schemaPaths, type TargetManifest } from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';
import { setConfig, writeProbe } from '../do/support/probe.js';
import { edgeName, kindFlags, NewTargetProject } from './support/new-target-project.js';

const schema = JSON.parse(readFileSync(join(packageRoot, schemaPaths.target), 'utf8'));

test('every family, invocation and workload of the schema has a stub', () => {
  for (const field of ['family', 'invocation', 'workload'] as const) {
    const covered = new Set<string>(stubs().map((stub) => stub[field]));
    expect([...covered].sort()).toEqual([...schema.properties[field].enum].sort());
  }
});

describe.each(stubs().map((stub) => [edgeName(stub), stub] as const))(
  'a fresh project with %s',
  (name, stub) => {
    let project: NewTargetProject;
    let before: Record<string, string>;
    let after: Record<string, string>;
    let output: string;
    let manifest: TargetManifest;
    beforeAll(async () => {
      project = new NewTargetProject();
      before = project.snapshot();
      // The family alone says enough where the kind is the usual one.
      const flags = name === `edge-${stub.family}` ? ['--family', stub.family] : kindFlags(stub);
      output = await project.succeed('add-target', name, ...flags);
      after = project.snapshot();
      manifest = project.manifest(name);
    });
    afterAll(() => project.remove());

    test('differs by three new files, and elsewhere by generated text only', () => {
      expect(Object.keys(after).filter((path) => !(path in before))).toEqual([
        `do/clean.d/${name}`,
        `do/deploy.d/${name}`,
        `do/targets.d/${name}/manifest.json`,
      ]);
      expect(Object.keys(before).filter((path) => !(path in after))).toEqual([]);
      for (const script of ['deploy', 'clean']) expect(after[`do/${script}.d/${name}`]).toMatch(/^100755 #!/);
      const changed = Object.keys(before).filter((path) => after[path] !== before[path]);
      expect(changed).toEqual(expect.arrayContaining(['.mlcc/base.json', 'do/config', 'do/lib/targets.sh']));
      for (const path of changed.filter((path) => path !== '.mlcc/base.json')) {
        expect([path, withoutGenerated(after[path])]).toEqual([path, withoutGenerated(before[path])]);
      }
      const gained = (after['do/config'] ?? '')
        .split('\n')
        .filter((line) => !before['do/config']?.includes(line));
      expect(gained).toEqual([`export ${manifest.status_var}=''`]);
    });

    test('is what a regenerate would make of it: that one writes nothing', async () => {
      expect(await project.succeed('regenerate', '--check')).toContain('nothing to do');
      await project.succeed('regenerate');
      expect(project.snapshot()).toEqual(after);
    });

    test('agrees with its descriptors', async () => {
      expect(await project.mlcc('check')).toMatchObject({ code: 0, stderr: '' });
    });

    test('lists what is left to decide, line by line, as it is marked in the scripts', () => {
      const marks = ['deploy', 'clean'].flatMap((script) =>
        project
          .read(`do/${script}.d/${name}`)
          .split('\n')
          .flatMap((line, index) =>
            line.includes('MLCC-DECIDE:') ? [`do/${script}.d/${name}:${index + 1}: `] : [],
          ),
      );
      expect(marks.length).toBeGreaterThanOrEqual(2);
      for (const mark of marks) expect(output).toContain(mark);
      expect(output).toContain(`do/targets.d/${name}/manifest.json#/summary`);
    });

    test.each([
      [true, 'its success status'],
      [false, 'Failed'],
    ])('the guard says %s to %s', (passes, status) => {
      const value = passes ? manifest.success_status : status;
      setConfig(project.project, { DEPLOYMENT_TARGET: name, [manifest.status_var]: value });
      expect(project.project.run(writeProbe(project.project, { guard: 'deployment-active' })).code).toBe(
        passes ? 0 : 3,
      );
      setConfig(project.project, { [manifest.status_var]: '' });
    });

    test('is deployed, updated and cleaned by the stub scripts, with every record declared and none left', async () => {
      project.prepare(manifest);
      project.workload(manifest, 'ready');
      const settings = project.read('do/config');
      project.aws.takeCalls();
      expect(project.do('deploy', '--target', name, '--dry-run')).toContain('Calls:');
      expect([project.aws.takeCalls(), project.read('do/config')]).toEqual([[], settings]);

      project.do('deploy', '--target', name);
      expect(project.config(manifest.status_var)).toBe(manifest.success_status);
      const created = project.aws.leftovers();
      expect(created.length > 0).toBe(manifest.family !== 'kubernetes');
      expect(project.do('status', '--target', name)).toMatch(
        new RegExp(`\\* ${name} +${manifest.success_status} `),
      );
      project.do('deploy', '--target', name);
      expect(project.config(manifest.status_var)).toBe(manifest.success_status);
      expect(project.aws.leftovers()).toHaveLength(created.length);

      const records = recordsOf(project, manifest);
      expect(records.filter((key) => !manifest.runtime_owned_vars.includes(key))).toEqual([]);
      const config = project.read('do/config');
      await project.succeed('regenerate');
      expect(recordLines(project.read('do/config'), manifest)).toEqual(recordLines(config, manifest));

      project.workload(manifest, 'gone');
      project.do('clean', '--target', name, '--yes');
      expect(project.aws.leftovers()).toEqual([]);
      expect(recordsOf(project, manifest).filter((key) => project.config(key) !== '')).toEqual([]);
    });

    test('a deploy that fails says so in the status, and what it created is cleaned', () => {
      project.prepare(manifest);
      if (manifest.family === 'kubernetes') {
        project.write('../home/aws/bin/mlcc', '#!/bin/bash\n[[ $* == *--help ]]\n');
      } else
        project.aws.setFaults({ call: 'sagemaker create-(endpoint|transform-job)', error: 'AccessDenied' });
      expect(project.run('deploy', '--target', name).code).toBe(1);
      expect(project.config(manifest.status_var)).toBe('Failed');
      project.write('../home/aws/bin/mlcc', '#!/bin/bash\nexit 0\n');
      project.do('clean', '--target', name, '--yes');
      expect([project.config(manifest.status_var), project.aws.leftovers()]).toEqual(['', []]);
    });
  },
);

/** What is left of a file when everything between the markers is taken out, and the list of targets of a header. */
function withoutGenerated(file = ''): string {
  return file
    .replace(/^(?:#|<!--) >>> GENERATED.*\n(?:.*\n)*?.*<<< END GENERATED.*$/gm, '')
    .replace(/^# targets: .*$/m, '');
}

const recordPrefix = ({ status_var }: TargetManifest) => status_var.replace(/STATUS$/, '');

const recordLines = (config: string, manifest: TargetManifest): string[] =>
  config.split('\n').filter((line) => line.startsWith(`export ${recordPrefix(manifest)}`));

const recordsOf = (project: NewTargetProject, manifest: TargetManifest): string[] =>
  recordLines(project.read('do/config'), manifest).map((line) => line.replace(/^export (\w+)=.*$/, '$1'));
