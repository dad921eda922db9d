import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readServingProject } from '../../../lib/kube/index.js';
import { ACCELERATORS, CATALOG, TARGETS } from './fixture.js';

describe('reading a project', () => {
  function project(target: string, config: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'project-'));
    mkdirSync(join(folder, 'do', 'lib'), { recursive: true });
    writeFileSync(join(folder, 'do', 'lib', 'accelerators.txt'), ACCELERATORS);
    writeFileSync(join(folder, 'do', 'config'), `export DEPLOYMENT_TARGET='${target}'\n${config}`);
    for (const { manifest, manifestText } of CATALOG.targets) {
      mkdirSync(join(folder, 'do', 'targets.d', manifest.target), { recursive: true });
      writeFileSync(join(folder, 'do', 'targets.d', manifest.target, 'manifest.json'), manifestText);
    }
    for (const { manifest, manifestText } of CATALOG.engines) {
      mkdirSync(join(folder, 'do', 'serve.d', manifest.engine), { recursive: true });
      writeFileSync(join(folder, 'do', 'serve.d', manifest.engine, 'manifest.json'), manifestText);
    }
    return folder;
  }

  test('the active target, its engine, one-shot settings, and a region that the config leaves open', () => {
    for (const name of TARGETS.flatMap(({ target, aliases }) => [target, ...aliases])) {
      const folder = project(name, "export MODEL_SERVER='vllm'\nexport AWS_REGION=''\n");
      const env = {
        MLCC_SET_HP_REPLICAS: '3',
        AWS_DEFAULT_REGION: 'us-east-1',
        HP_NAMESPACE: 'of-the-shell',
      };
      const input = readServingProject(folder, { env });
      expect([input.target.target, ...((input.target as { aliases?: string[] }).aliases ?? [])]).toContain(
        name,
      );
      expect(input.engine?.env_var_prefix).toBe('VLLM_');
      expect([...input.overrides]).toEqual([
        ['HP_REPLICAS', '3'],
        ['AWS_REGION', 'us-east-1'],
      ]);
      rmSync(folder, { recursive: true });
    }
  });

  test('a region in the config wins; an unknown engine has no manifest; another target can be named', () => {
    const folder = project('none', "export MODEL_SERVER='own'\nexport AWS_REGION='eu-west-1'\n");
    const [{ target } = { target: '' }] = TARGETS;
    const input = readServingProject(folder, { target, env: { AWS_REGION: 'us-east-1' } });
    expect(input.engine).toBeUndefined();
    expect([...input.overrides]).toEqual([]);
    expect(() => readServingProject(folder, { env: {} })).toThrow(
      expect.objectContaining({ message: 'the project has no target `none`', exit: 2 }),
    );
    rmSync(folder, { recursive: true });
    expect(() => readServingProject(folder, { env: {} })).toThrow(
      expect.objectContaining({ why: ['there is no such file'] }),
    );
  });

  test('without an active target, its targets are named', () => {
    const folder = project('', '');
    expect(() => readServingProject(folder, { env: {} })).toThrow(
      expect.objectContaining({
        message: 'the project has no active target',
        why: [expect.stringContaining(TARGETS.map(({ target }) => target).sort()[0] ?? '')],
        next: expect.stringContaining('--target'),
      }),
    );
    rmSync(folder, { recursive: true });
  });

  const [{ target, aliases } = { target: '', aliases: [] }] = TARGETS.filter(
    ({ aliases }) => aliases.length > 0,
  );
  test.each(['{', 'null', '[]', '{}', `{"target":"${target}","workload":"banana"}`])(
    'a damaged descriptor is refused with its faults, another one’s is no obstacle: %s',
    (text) => {
      const folder = project(target, "export MODEL_SERVER='vllm'\n");
      const damage = (...path: string[]) => {
        const file = join(folder, 'do', ...path, 'manifest.json');
        writeFileSync(file, text);
        return {
          message: `${file} is not a descriptor`,
          why: expect.arrayContaining([expect.stringContaining(file)]),
          exit: 2,
        };
      };
      damage('targets.d', TARGETS.map((each) => each.target).find((each) => each !== target) ?? '');
      expect(readServingProject(folder, { target: aliases[0] ?? '', env: {} }).target.target).toBe(target);
      const engine = damage('serve.d', 'vllm');
      expect(() => readServingProject(folder, { env: {} })).toThrow(expect.objectContaining(engine));
      const own = damage('targets.d', target);
      expect(() => readServingProject(folder, { env: {} })).toThrow(expect.objectContaining(own));
      rmSync(folder, { recursive: true });
    },
  );
});
