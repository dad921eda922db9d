import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EngineHome, engineNames, isAlive, pingStatus, until } from './support/engine-run.js';

let home: EngineHome;
afterEach(() => home.remove());

describe.each(engineNames)('the process of %s', (engine) => {
  beforeEach(() => {
    home = new EngineHome(engine);
  });

  /** DJL Serving's entry point is a shell that the signal kills; the server below it ends in its own way. */
  const ownStatus = engine === 'lmi' ? 143 : 7;

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends everything, with the own status of the engine',
    async (signal) => {
      const serving = await home.start({
        FAKE_ENGINE_ON_TERM: '7',
        FAKE_ENGINE_WORKER: 'sleep 1000',
      });
      await until(
        () => pingStatus(serving.url),
        (status) => status === 200,
      );
      const { worker, pid } = home.started();
      serving.child.kill(signal);
      const status = await serving.exited;
      if (signal === 'SIGTERM') expect(status).toBe(ownStatus);
      else expect(status).not.toBe(0);
      const supervised = engine !== 'vllm';
      expect({ engine: isAlive(pid), worker: isAlive(worker ?? 0) }).toEqual({
        engine: false,
        worker: !supervised,
      });
      // vLLM is the container's first process, with which the kernel ends all others.
      if (!supervised) process.kill(worker ?? 0, 'SIGKILL');
    },
  );

  test('keeps the status with which the engine ends by itself', async () => {
    const serving = await home.start({ FAKE_ENGINE_EXIT: '3' });
    expect(await serving.exited).toBe(3);
  });
});

test('an engine that no handler saves from the signal gives the status that a shell would', async () => {
  home = new EngineHome('sglang');
  const serving = await home.start();
  await until(
    () => pingStatus(serving.url),
    (status) => status === 200,
  );
  serving.child.kill('SIGTERM');
  expect(await serving.exited).toBe(143);
});

test('workers that do not listen to the signal are killed', () => {
  home = new EngineHome('lmi');
  const worker = home.write(
    'worker',
    '#!/bin/bash\ntrap "" TERM\necho ready >"$1"\nwhile :; do sleep 1; done\n',
    true,
  );
  const engine = home.write(
    'engine',
    `#!/bin/bash\n'${worker}' "$1" &\necho $! >"$2"\nuntil [ -s "$1" ]; do sleep 0.05; done\nexit 5\n`,
    true,
  );
  const pidFile = join(home.folder, 'pid');
  const program = `
import sys
sys.path.insert(0, sys.argv[1])
import engine_process
engine_process.STRAGGLERS_END_WITHIN = 0.2
print(engine_process.start(sys.argv[2:]).wait())
print(open(sys.argv[4]).read())`;
  const code = join(home.folder, 'code');
  const ready = join(home.folder, 'ready');
  const output = execFileSync('python3', ['-c', program, code, engine, ready, pidFile], { encoding: 'utf8' });
  const [status, pid] = output.split('\n').map(Number);
  expect(status).toBe(5);
  expect(isAlive(pid ?? 0)).toBe(false);
});

test('a port that is taken is said before the engine starts', async () => {
  home = new EngineHome('tensorrt-llm');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    expect(await home.refusal({ SAGEMAKER_BIND_TO_PORT: String(port) })).toEqual({
      status: 1,
      stderr: expect.stringContaining(`cannot listen on port ${port}`),
    });
    expect(home.wasStarted).toBe(false);
  } finally {
    server.close();
  }
});

test('an image without the engine says which program is missing', async () => {
  home = new EngineHome('tensorrt-llm');
  expect(await home.refusal({ PATH: '/usr/bin:/bin' })).toEqual({
    status: 127,
    stderr: expect.stringContaining('cannot start trtllm-serve'),
  });
});
