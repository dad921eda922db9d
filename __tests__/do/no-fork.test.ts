import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { isolatedEnv, makeProject, type TestProject } from '../support/project.js';
import { setConfig, writeProbe } from './support/probe.js';

const catalog = loadCatalog();

/** What a script starts, in order: the system calls that fork or execute. */
function processCalls(project: TestProject, script: string, args: readonly string[] = []): string[] {
  const log = join(project.home, 'strace.log');
  const traced = [
    '-f',
    '-o',
    log,
    '-e',
    'trace=clone,clone3,fork,vfork,execve',
    join(project.dir, script),
    ...args,
  ];
  const { status, stderr } = spawnSync('strace', traced, {
    cwd: project.dir,
    env: isolatedEnv(project.home),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return [...readFileSync(log, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)].map(([, call = '']) => call);
}

describeWithPrograms(['strace'], 'one program is executed and nothing is forked', () => {
  test.each(catalog.targets.map(({ manifest }) => manifest))(
    'before the work of a verb on $target',
    (manifest) => {
      const project = makeProject({ answers: { deploymentTarget: manifest.target } });
      setConfig(project, { [manifest.status_var]: manifest.success_status });
      expect(processCalls(project, writeProbe(project, { guard: 'deployment-active', work: ':' }))).toEqual([
        'execve',
      ]);
      const verb = Object.entries(manifest.verbs).find(([, allowed]) => allowed)?.[0];
      if (verb) {
        const script = writeProbe(project, {
          name: verb,
          guard: 'deployment-active',
          targets: manifest.target,
          work: ':',
        });
        expect(processCalls(project, script)).toEqual(['execve']);
      }
      project.remove();
    },
  );

  test('for help, overrides, the serving configuration and a current profile, either', () => {
    const project = makeProject();
    const script = writeProbe(project, { work: '. "$DO_DIR/lib/resolve-serving-config.sh"' });
    expect(processCalls(project, script, ['--set', 'A=b'])).toEqual(['execve']);
    expect(processCalls(project, script, ['--help'])).toEqual(['execve']);
    project.remove();
  });

  test('by a state table without deployments', () => {
    const project = makeProject();
    expect(processCalls(project, 'do/status')).toEqual(['execve']);
    expect(processCalls(project, 'do/status', ['--json'])).toEqual(['execve']);
    project.remove();
  });
});
