import { expect, test } from '@jest/globals';
import { contextOf, leaveUnpinned, renderRun, toYaml } from '../../lib/kube/index.js';
import { PLAYBOOK, PROFILE, runInput, toml } from './run/fixture.js';

test('the context is the profile’s, and none where it names none', () => {
  expect(contextOf({ file: 'p.toml', text: toml(PROFILE) })).toBe('research');
  expect(contextOf({ file: 'p.toml', text: '' })).toBeUndefined();
  expect(() => contextOf({ file: 'p.toml', text: '[cluster]\ncontext = 1' })).toThrow(
    expect.objectContaining({
      exit: 2,
      why: ['p.toml:2: `cluster.context` must be text: write it in quotes, "1"'],
    }),
  );
});

test('without pinning, images stay as they were written', async () => {
  const yaml = toYaml(await renderRun(runInput({ mode: PLAYBOOK }), leaveUnpinned));
  expect(yaml).toContain('image: registry.example.com/crucible/loop:v7\n');
  expect(yaml).not.toContain('@sha256:');
});

test('platform and registries of the profile reach the look-up', async () => {
  let asked: unknown;
  await renderRun(runInput({ mode: PLAYBOOK }), async (references, options) => {
    asked = { references, options };
    return leaveUnpinned(references, options);
  });
  expect(asked).toEqual({
    references: [
      'registry.example.com/crucible/loop:v7',
      'registry.example.com/openshell/supervisor:v1',
      'registry.example.com/crucible/sandbox:v7',
    ],
    options: {
      platform: 'linux/amd64',
      registries: { 'registry.example.com': { insecure: false, caFile: '/etc/ssl/registry.pem' } },
    },
  });
});
