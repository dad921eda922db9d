import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { setConfig, writeProbe } from './support/probe.js';

const catalog = loadCatalog();
const names = catalog.targets.flatMap((target) =>
  [target.manifest.target, ...target.manifest.aliases].map((name) => ({ name, manifest: target.manifest })),
);
const known = catalog.targets.map(({ manifest }) => manifest.target).join(', ');

let project: TestProject;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

describe.each(names)('target $name', ({ name, manifest }) => {
  const runWithStatus = (guard: string, status: string) => {
    setConfig(project, { DEPLOYMENT_TARGET: name, [manifest.status_var]: status });
    return project.run(writeProbe(project, { guard }));
  };

  test('deployment-active passes with its success status', () => {
    expect(runWithStatus('deployment-active', manifest.success_status)).toEqual({
      code: 0,
      stdout: 'passed\n',
      stderr: '',
    });
  });

  test.each(['', 'Failed', 'Creating'])(
    'deployment-active refuses the status "%s" in three lines',
    (status) => {
      const { code, stdout, stderr } = runWithStatus('deployment-active', status);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      const lines = stderr.split('\n');
      expect(lines).toHaveLength(4);
      expect(lines[0]).toBe('Contract violation: deployment-active');
      expect(lines[1]).toContain(manifest.target);
      expect(lines[1]).toContain(status || 'not deployed');
      expect(lines[2]).toMatch(/^-> .*do\/deploy/);
    },
  );

  test('deployment-recorded passes on Failed and refuses an empty status', () => {
    expect(runWithStatus('deployment-recorded', 'Failed').code).toBe(0);
    expect(runWithStatus('deployment-recorded', '').code).toBe(3);
  });
});

test.each(['', 'nowhere'])('the target "%s" is refused with the known ones', (target) => {
  setConfig(project, { DEPLOYMENT_TARGET: target });
  const { code, stderr } = project.run(writeProbe(project, { guard: 'deployment-active' }));
  expect(code).toBe(3);
  expect(stderr).toContain(`known targets: ${known}\n`);
});
