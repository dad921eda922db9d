import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../lib/package/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { makeProject, type TestProject } from '../support/project.js';
import { shellFiles } from '../support/shell-files.js';
import { bashRules, failureRules, type ShellRule, shellCode, toolRules } from '../support/shell-rules.js';

const files = [...shellFiles()].map(([path, text]) => ({ path, code: shellCode(text) }));
const whole = files.map(({ code }) => code).join('\n');

test('the shell of the repository is found', () => {
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'templates/do/status',
      'templates/do/lib/script-contract.sh',
      'project/do/lib/targets.sh',
    ]),
  );
});

function checkRules(rules: readonly ShellRule[]): void {
  test.each(rules)('none uses $name: $why', ({ example, found }) => {
    expect(found(example)).toBe(true);
    expect(files.filter(({ code }) => found(code, whole)).map(({ path }) => path)).toEqual([]);
  });
}

describe('[C09] all shell runs on bash 3.2', () => checkRules(bashRules));
describe('[C08] no failure is made or hidden by the shell', () => checkRules(failureRules));
describe('[C10] no tool is used in a way that only GNU knows', () => checkRules(toolRules));

test('the rules leave what is allowed alone', () => {
  const allowed = [
    'x=${names// /, }',
    'x=${1//[[:blank:]]/}',
    'run ${a[@]+"${a[@]}"}',
    'options=(-x)\nrun "${options[@]}"',
    'n=$((n + 1))',
    'local x\nx=$(false)',
    'f=$(mktemp "$dir/x.XXXXXX")',
    'local n=1 x=${y:-}',
    'local -r n=1',
    'case $x in a) y=$(false) ;; esac',
    'sed -n p; date -u +%s; readlink x; grep -o x; stat_c=1',
  ];
  for (const rule of [...bashRules, ...failureRules, ...toolRules]) {
    expect({ rule: rule.name, found: allowed.filter((code) => rule.found(code)) }).toEqual({
      rule: rule.name,
      found: [],
    });
  }
});

describeWithPrograms(['shellcheck'], 'ShellCheck', () => {
  let project: TestProject;
  beforeAll(() => {
    project = makeProject();
  });
  afterAll(() => project.remove());

  const findings = (cwd: string, paths: readonly string[]) => {
    expect(paths.length).toBeGreaterThan(0);
    return spawnSync('shellcheck', ['--format=gcc', ...paths], { cwd, encoding: 'utf8' }).stdout;
  };

  test('has nothing to say about a rendered project', () => {
    const paths = files.flatMap(({ path }) =>
      path.startsWith('project/') ? [path.slice('project/'.length)] : [],
    );
    expect(findings(project.dir, paths)).toBe('');
  });

  test('has nothing to say about the sources that are not part of every project', () => {
    const paths = files.map(({ path }) => path).filter((path) => !/^(project|templates\/do)\//.test(path));
    expect(findings(packageRoot, paths)).toBe('');
  });
});

test('every shell file parses', () => {
  for (const [path, text] of shellFiles()) {
    const { status, stderr } = spawnSync('bash', ['-n', '-s'], { input: text, encoding: 'utf8' });
    expect({ path, status, stderr }).toEqual({ path, status: 0, stderr: '' });
  }
});
