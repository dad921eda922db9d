import { Readable, Writable } from 'node:stream';
import { Failure } from '../../failure/index.js';
import type { ObjectKey } from '../deployed.js';
import { sessionInLog, stateFolderOf } from '../run/session.js';
import type { Cluster } from './cluster.js';
import { execInPod } from './exec.js';
import { type LiveObject, nameOf } from './objects.js';
import { poll } from './poll.js';
import { verdictOf } from './readiness.js';
import type { Report } from './report.js';
import { containersOf, mustGet } from './target.js';
import { waitUntilReady } from './wait.js';

/** Where a run looks for what people tell it, one record a line. */
const STEERING = 'steer.jsonl';

/**
 * Prints the records of a run's session log, from the first one on, as they come, until the run has ended. Returns the
 * run's exit code.
 */
export async function followSession(
  cluster: Cluster,
  key: ObjectKey,
  { print, report }: { print: (line: string) => void; report: Report },
): Promise<number> {
  const first = await runPod(cluster, key);
  const started = await untilStarted(cluster, key, report);
  let printed = 0;
  const lines = lineWriter((line) => {
    printed += 1;
    print(line);
  });
  if (started.status?.phase === 'Running') await tail(cluster, started, first.folder, lines, report);
  const exitCode = await waitUntilReady(cluster, [key], { report });
  // What was written after the connection ended stands in the log, behind a line of the wrapper's.
  const session = sessionInLog(await wholeLog(cluster, started)) ?? [];
  for (const line of session.slice(printed)) print(line);
  return exitCode;
}

/** Tells a running run something. */
export async function steer(cluster: Cluster, key: ObjectKey, text: string): Promise<void> {
  const { pod, folder } = await runPod(cluster, key);
  const record = `${JSON.stringify({ type: 'steer', text })}\n`;
  const command = ['/bin/sh', '-c', 'cat >>"$1"', 'steer', `${folder}/${STEERING}`];
  await runIn(cluster, pod, command, record);
}

/** Asks a running run to end: it writes its last record, and its log is published. */
export async function stop(cluster: Cluster, key: ObjectKey): Promise<void> {
  const { pod } = await runPod(cluster, key);
  // The wrapper is the container's first process, and hands the signal on.
  await runIn(cluster, pod, ['/bin/sh', '-c', 'kill -s TERM 1']);
}

async function runPod(cluster: Cluster, key: ObjectKey): Promise<{ pod: LiveObject; folder: string }> {
  const pod = await mustGet(cluster, key);
  const folder = stateFolderOf(pod);
  if (folder !== undefined) return { pod, folder };
  throw new Failure({
    what: `${nameOf(key)} is no run that mlcc has started`,
    next: 'name the Pod of a run: NAME-loop or NAME-playbook',
    exit: 2,
  });
}

async function untilStarted(cluster: Cluster, key: ObjectKey, report: Report): Promise<LiveObject> {
  let pod = await mustGet(cluster, key);
  await poll(
    async () => {
      pod = await mustGet(cluster, key);
      const verdict = verdictOf(pod);
      return pod.status?.phase === 'Running' ? { kind: 'done', state: 'runs' } : verdict;
    },
    { what: nameOf(key), report },
  );
  return pod;
}

/** Follows the file until the run, and with it the command, ends. */
async function tail(
  cluster: Cluster,
  pod: LiveObject,
  folder: string,
  stdout: Writable,
  report: Report,
): Promise<void> {
  const command = ['tail', '-n', '+1', '-F', `${folder}/session.jsonl`];
  try {
    await execInPod(cluster, pod, {
      command,
      stdout,
      stderr: lineWriter(() => undefined),
      container: firstOf(pod),
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report(`${error.message}; waiting for the end of the run`);
  }
}

async function runIn(
  cluster: Cluster,
  pod: LiveObject,
  command: readonly string[],
  input?: string,
): Promise<void> {
  let said = '';
  const stderr = lineWriter((line) => {
    said += `${line}\n`;
  });
  const stdin = input === undefined ? undefined : Readable.from([Buffer.from(input)]);
  const options = { command, stdout: lineWriter(() => undefined), stderr, container: firstOf(pod), stdin };
  const code = await execInPod(cluster, pod, options);
  if (code === 0) return;
  throw new Failure({
    what: `the run ${pod.metadata.name} could not be told`,
    why: said.trim() || `exit code ${code}`,
  });
}

async function wholeLog(cluster: Cluster, pod: LiveObject): Promise<string> {
  const { name, namespace = '' } = pod.metadata;
  const stream = await cluster.log({ namespace, name }, { container: firstOf(pod) });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function firstOf(pod: LiveObject): string {
  return containersOf(pod)[0]?.name ?? '';
}

/** Hands on whole lines. */
function lineWriter(take: (line: string) => void): Writable {
  let rest = Buffer.alloc(0);
  return new Writable({
    write(chunk: Buffer, _, done) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        take(rest.subarray(0, end).toString('utf8'));
        rest = rest.subarray(end + 1);
      }
      done();
    },
  });
}
