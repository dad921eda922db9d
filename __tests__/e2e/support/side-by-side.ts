import { afterAll, beforeAll, test } from '@jest/globals';
import { type EmulatedAws, EmulatedClouds } from './emulated-aws.js';

/** What a test does with a cloud of its own that was emptied before. */
export type Work = (cloud: EmulatedAws) => Promise<void>;

/**
 * One test for each title. Their work goes on side by side, each on the next cloud that is free: scripts wait for
 * programs to start most of the time.
 */
export function testSideBySide(
  lanes: number,
  cases: readonly (readonly [title: string, work: Work])[],
  timeout = 600_000,
): void {
  const clouds = new EmulatedClouds();
  const outcomes = new Map<string, Promise<void>>();
  beforeAll(async () => {
    await clouds.start(lanes);
    const free = [...clouds.all];
    const waiting = cases.map(([title, work]) => {
      const { promise, resolve, reject } = deferred();
      // A failure is the test's; until that asks, nobody else does.
      promise.catch(() => undefined);
      outcomes.set(title, promise);
      return (cloud: EmulatedAws) =>
        cloud.aws
          .reset()
          .then(() => work(cloud))
          .then(resolve, reject);
    });
    const lane = async (cloud: EmulatedAws): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next(cloud);
    };
    lanesDone = Promise.all(free.map(lane));
  }, 120_000);
  let lanesDone: Promise<unknown> = Promise.resolve();
  afterAll(async () => {
    await lanesDone;
    await clouds.stop();
  }, timeout);
  for (const [title] of cases) test(title, () => outcomes.get(title), timeout);
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let resolve = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
