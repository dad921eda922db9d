import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, type TestProject } from '../support/project.js';
import { writeProbe } from './support/probe.js';
import { runInTerminal } from './support/run-in-terminal.js';

let project: TestProject;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

/** Waits for a check that goes through these verdicts, one a call, and repeats the last one. */
const probe = (verdicts: readonly number[], limit = '60', more = '') =>
  writeProbe(project, {
    work: `. "$DO_DIR/lib/wait.sh"
verdicts=(${verdicts.join(' ')}) calls=0
check() {
  _WAIT_STATE="State$calls" _WAIT_REASON='no capacity'
  local verdict=\${verdicts[calls < \${#verdicts[@]} ? calls : \${#verdicts[@]} - 1]}
  calls=$((calls + 1))
  return "$verdict"
}
${more}
code=0
_wait_for 'the endpoint' ${limit} check || code=$?
echo "calls $calls code $code"`,
  });
const env = { MLCC_POLL_SECONDS: '0' };
const wait = (...args: Parameters<typeof probe>) => project.run(probe(...args), [], { env });

describe('[C07] _wait_for', () => {
  test('goes on from its first pass until the check is content', () => {
    const { code, stdout, stderr } = wait([1, 1, 0]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'calls 3 code 0\n' });
    expect(stderr).toMatch(/^ +the endpoint: State2 \(\d+s\)\n$/);
  });

  test.each([2, 255])('stops at once when the check ends with %d, and gives the reason', (verdict) => {
    const { stdout, stderr } = wait([1, verdict]);
    expect(stdout).toBe('calls 2 code 1\n');
    expect(stderr).toMatch(/^Error: the endpoint: State1 after \d+s\nno capacity\n$/);
  });

  test('gives up after its limit and says how to go on', () => {
    const { stdout, stderr } = wait([1], '0');
    expect(stdout).toBe('calls 1 code 124\n');
    expect(stderr).toMatch(/^Error: the endpoint: still State0 after \d+s\nno capacity\n-> .*DEPLOY_TIMEOUT/);
  });

  test.each(['1h', "''", '-1'])('a limit of %s is refused', (limit) => {
    expect(wait([0], limit)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('DEPLOY_TIMEOUT'),
    });
  });

  test('a limit with a leading zero is decimal', () => {
    expect(wait([1, 0], '008').stdout).toBe('calls 2 code 0\n');
  });

  test('writes one line a minute where nobody watches', () => {
    // Each pause takes 25 seconds of bash's own clock and none of ours.
    const { stderr } = wait([1, 1, 1, 1, 1, 0], '600', 'sleep() { SECONDS=$((SECONDS + 25)); }');
    expect(stderr).toMatch(/^ +the endpoint: State3 \(1m1\ds\)\n +the endpoint: State5 \(2m0\ds\)\n$/);
  });

  test('shows the clock on a terminal', () => {
    const { code, output } = runInTerminal(project, probe([1, 0]), [], { MLCC_POLL_SECONDS: '0' });
    expect(code).toBe(0);
    expect(output).toContain('\r\u001b[K  the endpoint: State0 (0s)');
  });
});
