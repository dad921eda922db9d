import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isolatedEnv, makeProject, type TestProject } from '../support/project.js';
import { writeProbe } from './support/probe.js';

let project: TestProject;
let elsewhere: string;
let probe: string;
beforeAll(() => {
  project = makeProject({ folder: 'a project; with $(odd) name' });
  elsewhere = join(dirname(project.dir), 'elsewhere');
  mkdirSync(join(elsewhere, 'do/lib'), { recursive: true });
  probe = join(
    project.dir,
    writeProbe(project, { work: 'printf "%s\\n" "$_VERB" "$DO_DIR" "$PROJECT_DIR" "$CONFIG_FILE" "$PWD"' }),
  );
});
afterAll(() => project.remove());

const run = (command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: isolatedEnv(project.home, env),
    encoding: 'utf8',
  });
  return { code: status, lines: stdout.split('\n').slice(0, -1), stderr };
};
const found = (cwd: string) => ({
  code: 0,
  lines: ['probe', join(project.dir, 'do'), project.dir, join(project.dir, 'do/config'), cwd],
  stderr: '',
});

test('from any directory, by any path', () => {
  const doDir = join(project.dir, 'do');
  expect(run(probe, [], elsewhere)).toEqual(found(elsewhere));
  expect(run('do/probe', [], project.dir)).toEqual(found(project.dir));
  expect(run('./probe', [], doDir)).toEqual(found(doDir));
  expect(run('../probe', [], join(doDir, 'lib'))).toEqual(found(join(doDir, 'lib')));
  expect(run('bash', ['probe'], doDir)).toEqual(found(doDir));
  expect(run('bash', ['do/probe'], project.dir)).toEqual(found(project.dir));
  expect(run('probe', [], elsewhere, { PATH: `${doDir}:${process.env.PATH}` })).toEqual(found(elsewhere));
  expect(run('bash', ['probe'], elsewhere, { PATH: `${doDir}:${process.env.PATH}` })).toEqual(
    found(elsewhere),
  );
});

test('another CDPATH leads nowhere else', () => {
  expect(run('do/probe', [], project.dir, { CDPATH: elsewhere })).toEqual(found(project.dir));
});

test('through symbolic links: absolute, relative, a chain, of a folder, under another name', () => {
  const links = join(dirname(project.dir), 'links');
  mkdirSync(links);
  const link = (name: string, to: string) => {
    symlinkSync(to, join(links, name));
    return join(links, name);
  };
  const relative = `../${project.dir.slice(dirname(project.dir).length + 1)}/do/probe`;
  for (const path of [
    link('absolute', probe),
    link('relative', relative),
    link('chain', 'relative'),
    link('long-chain', join(links, 'chain')),
    join(link('folder', join(project.dir, 'do')), 'probe'),
  ]) {
    expect(run(path, [], elsewhere)).toEqual(found(elsewhere));
  }
  expect(run('./chain', [], links)).toEqual(found(links));
  expect(run('bash', ['chain'], links)).toEqual(found(links));
});

test.each(['msys', 'cygwin'])('a Windows shell (%s) is told about WSL, and nothing is done', (type) => {
  const { code, lines, stderr } = run(probe, [], project.dir, { OSTYPE: type });
  expect([code, lines]).toEqual([1, []]);
  expect(stderr).toContain('WSL');
});
