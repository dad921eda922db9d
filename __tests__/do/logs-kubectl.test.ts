import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { NAMESPACE, PodProject, setRecords, until } from './support/pod-project.js';
import { isAlive, startScript } from './support/run-async.js';

const targets = loadCatalog()
  .targets.map(({ manifest }) => manifest)
  .filter(({ family }) => family === 'kubernetes');

const TIME = '2026-01-01T00:00:00Z';

describeWithPrograms(['kubectl', 'python3'], 'do/logs with the real kubectl', () => {
  describe.each(targets)('of $target', (manifest) => {
    let pods: PodProject;
    beforeEach(async () => {
      pods = await PodProject.start(manifest, { objects: false });
      pods.api.pods.add(() => true, {
        log: ({ container, previous }) => `${previous ? 'before' : 'now'} in ${container}\n`,
      });
    });
    afterEach(() => pods.remove());
    const start = (...args: string[]) =>
      startScript(pods.project, 'do/logs', args, { ...pods.env, MLCC_POLL_SECONDS: '0.1' });
    const run = (...args: string[]) => start(...args).ended;
    const podName = () => pods.api.objects.list('Pod', NAMESPACE)[0]?.metadata.name ?? '';

    test('every line says where it comes from; kubectl is told the recorded way and what is wanted', async () => {
      pods.createObjects();
      await pods.untilReady();
      const { code, stdout } = await run('--since', '1d', '--tail', '7');
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^\\[pod/${podName()}/[a-z-]+\\] now in [a-z-]+\\n$`));
      const calls = pods.takeKubectls();
      for (const { args } of calls)
        expect(args).toMatch(new RegExp(`^--context recorded --namespace ${NAMESPACE} `));
      expect(calls.at(-1)?.args).toMatch(/ --since 86400s --tail 7$/);
    });

    // Between two starts its own log is that of the last one, which need not be shown twice.
    test.each([
      ['waits for its next start', { waiting: { reason: 'CrashLoopBackOff' } }, ['now']],
      ['is being tried again', { running: { startedAt: TIME } }, ['before', 'now']],
    ])('a container that has crashed and %s: what it said last, too', async (_, state, said) => {
      pods.createObjects();
      await pods.untilReady();
      for (const pod of pods.api.objects.list('Pod', NAMESPACE)) {
        pods.api.objects.updateStatus(pod, (draft) => {
          const [container] = (draft.status as { containerStatuses: Record<string, unknown>[] })
            .containerStatuses;
          const terminated = { exitCode: 1, reason: 'Error', startedAt: TIME, finishedAt: TIME };
          Object.assign(container ?? {}, { ready: false, restartCount: 1, state, lastState: { terminated } });
        });
      }
      setRecords(pods.project, manifest, { STATUS: 'Failed' });
      const { code, stdout } = await run();
      expect(code).toBe(0);
      expect(stdout.match(/now|before/g)).toEqual(said);
    });

    test('no pod yet: the workload`s events and state instead, and that is no failure', async () => {
      pods.api.plans.pods({ kind: 'image-error', message: 'manifest unknown' });
      pods.createObjects();
      await pods.untilPod(({ containerStatuses }) => containerStatuses !== undefined);
      const { code, stdout, stderr } = await run();
      expect([code, stdout]).toEqual([0, '']);
      expect(stderr).toContain(podName());
      expect(stderr).toContain('manifest unknown');
      expect(stderr).toContain(`${manifest.target} is `);
    });

    test('nothing in the cluster: says so', async () => {
      const { code, stdout, stderr } = await run();
      expect([code, stdout]).toEqual([0, '']);
      expect(stderr).toContain(`there are no pods of ${pods.name}`);
      expect(stderr).toContain('not found');
    });

    test('a cluster that refuses is a failure with its reason', async () => {
      pods.createObjects();
      await pods.untilReady();
      pods.api.faults.add({
        method: 'GET',
        path: '/log',
        action: { kind: 'status', code: 403, message: 'you may not read logs' },
      });
      const { code, stdout, stderr } = await run();
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('you may not read logs');
    });

    test('--follow goes on with what comes, also from a pod that comes later, until it is ended', async () => {
      let more = () => {};
      pods.api.pods.add(() => true, {
        log: async function* ({ pod }) {
          yield `first of ${pod.metadata.name}`;
          await new Promise<void>((resolve) => {
            more = resolve;
          });
          yield `second of ${pod.metadata.name}`;
          await new Promise<void>(() => {});
        },
      });
      const script = start('--follow');
      await script.says('waiting for lines');
      pods.createObjects();
      await script.says('first of');
      const name = podName();
      more();
      await script.says(`second of ${name}`);
      const [pod] = pods.api.objects.list('Pod', NAMESPACE);
      if (pod) pods.api.objects.remove(pod, { gracePeriodSeconds: 0 });
      await until(() => podName() !== name && podName() !== '');
      await script.says(`first of ${podName()}`);
      script.kill('SIGINT');
      const { code, stdout } = await script.ended;
      expect(code).toBe(130);
      expect(stdout.match(new RegExp(`first of ${name}`, 'g'))).toHaveLength(1);
      for (const { pid } of pods.takeKubectls()) expect(isAlive(pid)).toBe(false);
      expect(readdirSync(pods.project.home).filter((file) => file.startsWith('mlcc.'))).toEqual([]);
    });
  });
});
