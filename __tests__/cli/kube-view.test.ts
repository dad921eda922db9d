import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { create, pod } from '../kube-api/client.js';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { LOOP, Workplace } from './support/deployments.js';

const RECORDS = ['{"n":1}', '{"n":2,"text":"ü"}', '{"type":"shutdown"}'];
const STATE = '/opt/crucible/domains/tuning/state';

let api: KubeApi;
let place: Workplace;
beforeEach(async () => {
  api = await startKubeApi({ namespaces: ['loops', 'rig'] });
  api.objects.create('ServiceAccount', { metadata: { name: 'runner', namespace: 'loops' } });
  place = new Workplace(api);
});
afterEach(async () => {
  place.remove();
  await api.stop();
});

const view = (...args: string[]) => place.mlcc(['kube', 'view', 'tuning-loop', '-n', 'loops', ...args]);
const logOf = (exitCode: number) => `crucible speaks\nSESSION (rc=${exitCode})\n${RECORDS.join('\n')}\n`;
/** Tells the records one by one and ends with the run; `told` says how many the connection lives for. */
const session = (exitCode: number, told: number) => ({
  exec: async ({ command, stdout }: { command: string[]; stdout(text: string | Buffer): void }) => {
    expect(command).toEqual(['tail', '-n', '+1', '-F', `${STATE}/session.jsonl`]);
    for (const record of RECORDS.slice(0, told)) {
      const bytes = Buffer.from(`${record}\n`);
      // A record may come in two pieces, even within a letter.
      const middle = Math.max(1, bytes.indexOf(0xc3) + 1);
      stdout(bytes.subarray(0, middle));
      await pause(5);
      stdout(bytes.subarray(middle));
    }
    return 143;
  },
  log: () => logOf(exitCode),
});

test.each([0, 3])(
  'each record once, as it comes and then from the log; the exit code %i is the run’s',
  async (exitCode) => {
    api.plans.pods({ kind: 'exits', exitCode, afterSeconds: 30 });
    api.pods.add(() => true, session(exitCode, 2));
    await place.applyRun();
    const { code, stdout, stderr } = await view();
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: `${RECORDS.join('\n')}\n` });
    expect(stderr).toContain(`ended with exit code ${exitCode}`);
  },
);

test('a run that has ended already: its records are in the log', async () => {
  api.plans.pods({ kind: 'exits', exitCode: 0 });
  api.pods.add(() => true, { log: () => logOf(0) });
  await place.applyRun([...LOOP, '--wait']);
  expect((await view()).stdout).toBe(`${RECORDS.join('\n')}\n`);
});

test('a connection that breaks does not end the view', async () => {
  api.plans.pods({ kind: 'exits', exitCode: 0, afterSeconds: 30 });
  api.pods.add(() => true, session(0, 2));
  api.faults.add({ path: '/exec', action: { kind: 'drop' } });
  await place.applyRun();
  const { code, stdout, stderr } = await view();
  expect([code, stdout]).toEqual([0, `${RECORDS.join('\n')}\n`]);
  expect(stderr).toContain('waiting for the end of the run');
});

test('what a person says reaches the run whole, whatever is in it', async () => {
  await place.applyRun();
  const state = join(place.dir, 'state');
  mkdirSync(state);
  // The command is run for real, in a folder of the test's.
  api.pods.add(() => true, {
    exec: ({ command, stdin }) =>
      new Promise((done) => {
        const [program = '', ...args] = command.map((word) => word.replace(STATE, state));
        const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] });
        child.once('exit', (code) => done(code ?? 1));
        stdin.pipe(child.stdin);
      }),
  });
  await place.mlcc(['kube', 'rollout-status', 'pod/tuning-loop', '-n', 'loops', '--timeout', '1s']);
  const texts = ['try larger batches', 'two\nlines, a "quote", $(id) and ü'];
  for (const text of texts) expect(await view('--steer', text)).toMatchObject({ code: 0, stdout: '' });
  const lines = readFileSync(join(state, 'steer.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(texts.map((text) => ({ type: 'steer', text })));
});

test('a run is asked to end by a signal to its first process', async () => {
  const commands: string[][] = [];
  api.pods.add(() => true, { exec: ({ command }) => commands.push(command) - commands.length });
  await place.applyRun();
  await place.mlcc(['kube', 'rollout-status', 'pod/tuning-loop', '-n', 'loops', '--timeout', '1s']);
  expect(await view('--stop')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('has been asked to end'),
  });
  expect(commands).toEqual([['/bin/sh', '-c', 'kill -s TERM 1']]);
  expect((await view('--stop', '--steer', 'x')).code).toBe(2);
});

test('a Pod that is no run, or is not there, is refused', async () => {
  await create(api, pod('other'));
  expect(await place.mlcc(['kube', 'view', 'other'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('pod/other in namespace default is no run that mlcc has started'),
  });
  expect(await view()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no pod/tuning-loop'),
  });
});
