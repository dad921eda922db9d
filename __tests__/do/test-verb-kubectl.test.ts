import { readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { loadCatalog, type Target } from '../../lib/catalog/index.js';
import { describeWithPrograms } from '../support/programs.js';
import { NAMESPACE, PodProject, serve, setRecords } from './support/pod-project.js';
import { isAlive, type Running, startScript } from './support/run-async.js';

const targets = loadCatalog()
  .targets.map(({ manifest }) => manifest)
  .filter(({ invocation }) => invocation === 'pod');

const CHAT = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'hello' } }] });

/** A deployed target and the model in its pods. */
class Served {
  requests: { url: string; body: string }[] = [];
  /** What the model does with a request other than GET /ping. */
  answer: RequestListener = completion;
  ping: RequestListener = nothing;
  #stop = () => {};

  private constructor(readonly pods: PodProject) {}

  static async start(manifest: Target['manifest']): Promise<Served> {
    const served = new Served(await PodProject.start(manifest));
    const model = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        served.requests.push({ url: `${request.method} ${request.url}`, body });
        (request.url === '/ping' ? served.ping : served.answer)(request, response);
      });
    });
    served.#stop = model.stop;
    served.pods.api.pods.add(() => true, { ports: { 8080: model.port } });
    await served.pods.untilReady();
    return served;
  }

  start(...args: string[]): Running {
    return startScript(this.pods.project, 'do/test', args, this.pods.env);
  }

  run(...args: string[]): Running['ended'] {
    return this.start(...args).ended;
  }

  reset(): void {
    this.answer = completion;
    this.ping = nothing;
    this.requests = [];
    this.pods.takeKubectls();
  }

  stopModel(): void {
    this.#stop();
  }

  async remove(): Promise<void> {
    this.#stop();
    await this.pods.remove();
  }
}
const completion: RequestListener = (_, response) => response.end(CHAT);
const nothing: RequestListener = (_, response) => response.end();

describeWithPrograms(['kubectl', 'python3'], 'do/test with the real kubectl', () => {
  describe.each(targets)('of $target', (manifest) => {
    let served: Served;
    beforeAll(async () => {
      served = await Served.start(manifest);
    });
    afterEach(() => served.reset());
    afterAll(() => served.remove());

    test('one pod of the workload is asked, by the recorded way alone, and nothing is left running', async () => {
      expect(await served.run()).toMatchObject({ code: 0, stdout: `${CHAT}\n` });
      expect(served.requests.map(({ url }) => url)).toEqual(['GET /ping', 'POST /v1/chat/completions']);
      expect(JSON.parse(served.requests[1]?.body ?? '')).toMatchObject({
        model: 'org/model',
        messages: [{ role: 'user', content: expect.stringMatching(/./) }],
      });
      const calls = served.pods.takeKubectls();
      expect(calls.length).toBeGreaterThan(0);
      for (const { pid, args } of calls) {
        expect(args).toMatch(new RegExp(`^--context recorded --namespace ${NAMESPACE} `));
        expect(isAlive(pid)).toBe(false);
      }
    });

    test('[C33] a signal in the middle of a request ends the port-forward, and a second run works', async () => {
      const request = new Promise<void>((resolve) => {
        served.answer = () => resolve();
      });
      const script = served.start();
      await request;
      script.kill('SIGINT');
      expect((await script.ended).code).toBe(130);
      const calls = served.pods.takeKubectls();
      expect(calls.some(({ args }) => args.includes('port-forward'))).toBe(true);
      for (const { pid } of calls) expect(isAlive(pid)).toBe(false);
      served.answer = completion;
      expect(await served.run()).toMatchObject({ code: 0 });
    });

    test('without a pod that is ready, what there is instead is said', async () => {
      for (const pod of served.pods.api.objects.list('Pod', NAMESPACE)) {
        served.pods.api.objects.updateStatus(pod, (draft) => {
          const status = draft.status as { conditions: { type: string; status: string }[] };
          for (const condition of status.conditions) condition.status = 'False';
        });
      }
      const { code, stderr } = await served.run();
      expect([code, served.requests]).toEqual([1, []]);
      expect(stderr).toMatch(/: Running, not ready/);
      expect(stderr).toContain('do/logs');
    });

    test('without a workload or a recorded cluster it is a failure', async () => {
      const pods = await PodProject.start(manifest, { objects: false });
      try {
        const gone = await startScript(pods.project, 'do/test', [], pods.env).ended;
        expect(gone.code).toBe(1);
        expect(gone.stderr).toContain('there is no pod');
        pods.takeKubectls();
        setRecords(pods.project, manifest, { CONTEXT: '' });
        const unrecorded = await startScript(pods.project, 'do/test', [], pods.env).ended;
        expect([unrecorded.code, pods.takeKubectls()]).toEqual([1, []]);
      } finally {
        await pods.remove();
      }
    });
  });

  describe('whatever the workload', () => {
    let served: Served;
    beforeAll(async () => {
      const [manifest] = targets;
      if (!manifest) throw new Error('no target has pods');
      served = await Served.start(manifest);
    });
    afterEach(() => served.reset());
    afterAll(() => served.remove());

    test('a body of one`s own goes to /invocations, byte for byte', async () => {
      expect(await served.run('--body', '{"inputs":"hi é"}')).toMatchObject({ code: 0 });
      expect(served.requests[1]).toEqual({ url: 'POST /invocations', body: '{"inputs":"hi é"}' });
    });

    const failures: [string, RequestListener, string[]][] = [
      [
        'a 500',
        (_, response) => response.writeHead(500).end('CUDA out of memory'),
        ['answered 500', 'CUDA out of memory'],
      ],
      [
        'a 404',
        (_, response) => response.writeHead(404).end('no such model'),
        ['answered 404', 'no such model'],
      ],
      [
        'a redirection',
        (_, response) => response.writeHead(302).end('over there'),
        ['answered 302', 'over there'],
      ],
      [
        'a 200 with an error in the body',
        (_, response) => response.end('{"object":"error","message":"too long"}'),
        ['answered 200', 'too long'],
      ],
      [
        'a 200 without a choice',
        (_, response) => response.end('{"choices":[]}'),
        ['answered 200', '"choices":[]'],
      ],
      ['an empty 200', (_, response) => response.end(), ['answered 200', 'empty']],
      ['a closed connection', ({ socket }) => socket.destroy(), ['got no answer']],
      [
        'half an answer',
        ({ socket }, response) => {
          response.writeHead(200, { 'content-length': 1000 });
          response.write('half');
          setTimeout(() => socket.destroy(), 50);
        },
        ['got no answer'],
      ],
    ];
    test.each(failures)('[C25] %s is a failure that is shown', async (_, listener, words) => {
      served.answer = listener;
      const { code, stdout, stderr } = await served.run();
      expect([code, stdout]).toEqual([1, '']);
      for (const word of words) expect(stderr).toContain(word);
      expect(stderr).toContain('do/logs');
    });

    test('[C25] an answer that only trickles is not waited for longer than --timeout', async () => {
      let timer: NodeJS.Timeout | undefined;
      served.answer = (_, response) => {
        timer = setInterval(() => response.write(' '), 100);
      };
      const { code, stderr } = await served.run('--timeout', '1');
      clearInterval(timer);
      expect(code).toBe(1);
      expect(stderr).toContain('within 1 seconds');
    });

    test('a model that is not loaded yet gets no request', async () => {
      served.ping = (_, response) => response.writeHead(503).end('loading');
      const { code, stderr } = await served.run();
      expect([code, served.requests.length]).toEqual([1, 1]);
      expect(stderr).toContain('503');
      expect(stderr).toContain('loading');
    });

    test.each([['SIGTERM', 143] as const, ['SIGHUP', 129] as const])(
      '[C33] %s in the middle of a request ends the port-forward',
      async (signal, exit) => {
        const request = new Promise<void>((resolve) => {
          served.answer = () => resolve();
        });
        const script = served.start();
        await request;
        script.kill(signal);
        expect((await script.ended).code).toBe(exit);
        for (const { pid } of served.pods.takeKubectls()) expect(isAlive(pid)).toBe(false);
        expect(readdirSync(served.pods.project.home).filter((name) => name.startsWith('mlcc.'))).toEqual([]);
      },
    );

    test('a port of the pod where nothing listens is a failure with kubectl`s own words', async () => {
      served.stopModel();
      const { code, stderr } = await served.run();
      expect(code).toBe(1);
      expect(stderr).toMatch(/connection refused|lost connection/i);
    });
  });
});
