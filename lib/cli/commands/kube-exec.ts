import { Writable } from 'node:stream';
import { execInPod, podOf, targetKey } from '../../kube/index.js';
import { Exit } from '../terminal.js';
import type { KubeWork } from './kube-cluster.js';

/** `mlcc kube exec`: runs a command in a Pod, whose exit code becomes this command's. */
export async function execCommand(
  { cluster, namespace, flags, terminal }: KubeWork<{ container?: string; stdin?: boolean }>,
  name: string,
  command: readonly string[],
): Promise<void> {
  const pod = await podOf(cluster, targetKey(name, ['pod', 'deployment'], namespace));
  const exitCode = await execInPod(cluster, pod, {
    command,
    container: flags.container,
    stdin: flags.stdin ? terminal.stdin : undefined,
    stdout: writer((bytes) => terminal.out(bytes)),
    stderr: writer((bytes) => terminal.err(bytes)),
  });
  // What is still to come on standard input is for nobody.
  if (flags.stdin) terminal.stdin?.destroy();
  if (exitCode !== 0) throw new Exit(exitCode);
}

function writer(take: (bytes: Uint8Array) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      take(chunk);
      done();
    },
  });
}
