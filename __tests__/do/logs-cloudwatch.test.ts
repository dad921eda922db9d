import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog, type Target } from '../../lib/catalog/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { fakeProgram } from './support/fake-program.js';
import { setRecords, until } from './support/pod-project.js';
import { usePython } from './support/python.js';
import { isAlive, startScript } from './support/run-async.js';
import { runInTerminal } from './support/run-in-terminal.js';

const targets = loadCatalog()
  .targets.map(({ manifest }) => manifest)
  .filter(({ family }) => family !== 'kubernetes');

/**
 * A fake `aws` whose log groups are folders: a file for each look, in order, with one event a line; the last one stays. It
 * knows the flags of filter-log-events alone, which both generations of the CLI have.
 */
const PROGRAM = `
printf '%s %s\\n' $$ "$*" >>"$HOME/calls"
[[ -z \${AWS_PAGER-less} ]] || { echo paged >>"$HOME/calls"; read -r key </dev/tty; }
case $* in
  'sts get-caller-identity '*) printf '123456789012\\tarn:me\\n'; exit ;;
  *'describe-'*) printf 'Failed\\tno capacity\\n'; exit ;;
  'logs filter-log-events --log-group-name '*' --output text') ;;
  *) echo "Unknown options: $*" >&2; exit 252 ;;
esac
[[ -n \${HANG:-} ]] && exec sleep 1000
if [[ -f $HOME/fail ]]; then mv "$HOME/fail" "$HOME/failed"; cat "$HOME/failed" >&2; exit 254; fi
group=$HOME/groups$4
if [[ ! -d $group ]]; then
  echo >&2
  echo 'An error occurred (ResourceNotFoundException) when calling the FilterLogEvents operation: The specified log group does not exist.' >&2
  exit 254
fi
look=$(cat "$group.looks" 2>/dev/null || echo 0)
echo $((look + 1)) >"$group.looks"
while ((look > 0)) && [[ ! -f $group/$look ]]; do look=$((look - 1)); done
all=$* start=\${all##*--start-time } start=\${start%% *}
awk -v start="$start" 'match($0, /"timestamp":[0-9]+/) && substr($0, RSTART + 12, RLENGTH - 12) + 0 >= start + 0' "$group/$look"
`;

let project: TestProject;
let PATH: string;
const deployed = (manifest: Target['manifest'], records: Record<string, string> = {}) => {
  project = makeProject({ answers: { deploymentTarget: manifest.target, awsRegion: 'eu-west-1' } });
  setRecords(project, manifest, {
    STATUS: 'Failed',
    ...{ ENDPOINT: 'my-endpoint', COMPONENT: 'my-component', JOB: 'my-job' },
    ...records,
  });
  PATH = fakeProgram(project, 'aws', PROGRAM);
  usePython(project);
};
afterEach(() => project.remove());

const home = (file: string) => join(project.home, file);
const env = (more: Record<string, string> = {}) => ({
  PATH,
  TMPDIR: project.home,
  MLCC_POLL_SECONDS: '0.1',
  ...more,
});
const run = (...args: string[]) => project.run('do/logs', args, { env: env() });
const calls = () =>
  readFileSync(home('calls'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => ({ pid: Number.parseInt(line, 10), args: line.replace(/^\d+ /, '') }));
const asked = () => calls().filter(({ args }) => args.startsWith('logs '));

/** Ten minutes ago, in milliseconds. */
const RECENTLY = Date.now() - 600_000;

/** An event as the CLI prints it with to_string(@), so many milliseconds after `RECENTLY`. */
const event = (id: number, message: string, time = RECENTLY + id) =>
  `${JSON.stringify({ eventId: `e${id}`, timestamp: time, logStreamName: 'AllTraffic/i-1', message })}\n`;
function logGroup(name: string, ...looks: string[]): void {
  const folder = home(`groups${name}`);
  mkdirSync(`${folder}.new`, { recursive: true });
  for (const [index, events] of looks.entries()) writeFileSync(join(`${folder}.new`, String(index)), events);
  renameSync(`${folder}.new`, folder);
}

const groupsOf = ({ invocation }: Target['manifest']): string[] =>
  ({
    component: ['/aws/sagemaker/InferenceComponents/my-component', '/aws/sagemaker/Endpoints/my-endpoint'],
    async: ['/aws/sagemaker/Endpoints/my-endpoint'],
    job: ['/aws/sagemaker/TransformJobs'],
    pod: [],
  })[invocation];

describe.each(targets)('the logs of $target', (manifest) => {
  beforeEach(() => deployed(manifest));

  test('are those of the recorded resources, each line with its time and stream', () => {
    for (const [index, group] of groupsOf(manifest).entries())
      logGroup(group, event(1, `line one of ${index}\n`) + event(2, `two\nlines of ${index}`));
    const { code, stdout } = run('--since', '2h');
    expect(code).toBe(0);
    expect(stdout).toBe(
      groupsOf(manifest)
        .map(
          (_, index) =>
            `${new Date(RECENTLY + 1).toISOString()} [AllTraffic/i-1] line one of ${index}\n` +
            `${new Date(RECENTLY + 2).toISOString()} [AllTraffic/i-1] two\nlines of ${index}\n`,
        )
        .join(''),
    );
    expect(asked().map(({ args }) => args.split(' ')[3])).toEqual(groupsOf(manifest));
    for (const { args } of asked()) {
      const [, start = ''] = /--start-time (\d+)000 /.exec(args) ?? [];
      expect(Math.abs(Date.now() / 1000 - 7200 - Number(start))).toBeLessThan(60);
      expect(args.includes('--log-stream-name-prefix my-job/ ')).toBe(manifest.invocation === 'job');
    }
  });

  test('that are not there yet are no failure: what is known of the deployment is said', () => {
    const { code, stdout, stderr } = run();
    expect([code, stdout]).toEqual([0, '']);
    for (const group of groupsOf(manifest)) expect(stderr).toContain(`no lines in the last 1h in ${group}`);
    expect(stderr).toContain('Failed: no capacity');
    expect(stderr).toContain('--since 1d');
  });
});

describe('whatever the target', () => {
  const [GROUP = ''] = groupsOf(targets.find(({ invocation }) => invocation === 'async') ?? targetMissing());
  beforeEach(() => {
    deployed(targets.find(({ invocation }) => invocation === 'async') ?? targetMissing());
  });

  test('--tail shows the last lines alone', () => {
    logGroup(GROUP, [1, 2, 3, 4].map((id) => event(id, `line ${id}`)).join(''));
    const { stdout } = run('--tail=2');
    expect(stdout.match(/line \d/g)).toEqual(['line 3', 'line 4']);
  });

  test('a reader that has seen enough is no trouble', () => {
    logGroup(GROUP, Array.from({ length: 5000 }, (_, id) => event(id, 'x'.repeat(50))).join(''));
    const piped = fakeProgram(project, 'piped', `'${project.dir}/do/logs' | head -n 1`);
    const { stdout, stderr } = project.run('../home/bin/piped', [], { env: { ...env(), PATH: piped } });
    expect(stdout).toContain('[AllTraffic/i-1] x');
    expect(stderr).not.toMatch(/Traceback|BrokenPipe/);
  });

  test('a call that fails is explained; a busy service is asked again', () => {
    logGroup(GROUP, event(1, 'hello'));
    fakeProgram(project, 'sleep', ':');
    const failWith = (code: string) =>
      writeFileSync(home('fail'), `An error occurred (${code}) when calling X: no`);
    failWith('ThrottlingException');
    expect(run()).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') });
    expect(asked()).toHaveLength(2);
    failWith('AccessDeniedException');
    const { code, stdout, stderr } = run();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(GROUP);
    expect(stderr).toContain('permission');
  });

  test('--follow shows each event once, also one that comes up late, until it is ended: then nothing is left', async () => {
    const first = event(1, 'first') + event(120_000, 'second');
    logGroup(
      GROUP,
      first,
      first + event(119_000, 'late'),
      first + event(119_000, 'late') + event(130_000, 'third'),
    );
    const script = startScript(project, 'do/logs', ['--follow', '--since=999999d'], env());
    await script.says('third');
    await until(() => asked().length > 5);
    script.kill('SIGINT');
    const { code, stdout } = await script.ended;
    expect(code).toBe(130);
    expect(stdout.match(/first|second|late|third/g)).toEqual(['first', 'second', 'late', 'third']);
    for (const { pid } of calls()) expect(isAlive(pid)).toBe(false);
    expect(readdirSync(project.home).filter((name) => name.startsWith('mlcc.'))).toEqual([]);
    // What it asks for moves on, with a minute for what comes up late.
    expect(asked().at(0)?.args).toContain('--start-time 0000 ');
    expect(asked().at(-1)?.args).toContain(`--start-time ${RECENTLY + 130_000 - 60_000} `);
  });

  test('--follow waits for a log group that is not there yet', async () => {
    const script = startScript(project, 'do/logs', ['--follow'], env());
    await script.says('waiting for lines');
    logGroup(GROUP, event(1, 'at last'));
    await script.says('at last');
    script.kill('SIGTERM');
    expect((await script.ended).code).toBe(143);
  });

  test('a signal in the middle of a call ends the call, too', async () => {
    const script = startScript(project, 'do/logs', ['--follow'], env({ HANG: '1' }));
    await until(() => existsSync(home('calls')) && asked().length > 0);
    script.kill('SIGTERM');
    expect((await script.ended).code).toBe(143);
    for (const { pid } of asked()) expect(isAlive(pid)).toBe(false);
  });

  test('[C29] on a terminal nothing is paged, however much there is', () => {
    logGroup(GROUP, Array.from({ length: 200 }, (_, id) => event(id, `line ${id}`)).join(''));
    const { code, output } = runInTerminal(project, 'do/logs', [], env());
    expect(code).toBe(0);
    expect(output).toContain('line 199');
    expect(readFileSync(home('calls'), 'utf8')).not.toContain('paged');
  });

  test('[C07] without credentials it ends with their reason', () => {
    rmSync(join(project.home, 'bin/aws'));
    fakeProgram(project, 'aws', "echo 'Unable to locate credentials' >&2; exit 253");
    expect(run()).toMatchObject({ code: 1, stderr: expect.stringContaining('Unable to locate credentials') });
  });
});

function targetMissing(): never {
  throw new Error('no such target');
}
