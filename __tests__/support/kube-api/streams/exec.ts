import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import type { ExecCall, PodBackend } from '../pods/backends.js';
import { Channels, STATUS, STDERR, STDIN, STDOUT } from './channels.js';

export type ExecTarget = Pick<ExecCall, 'pod' | 'container' | 'command' | 'environment' | 'tty'> & {
  hasStdin: boolean;
};

/** Runs a command of the test behind an exec connection, and reports how it ended. */
export async function serveExec(socket: WebSocket, target: ExecTarget, backend: PodBackend): Promise<void> {
  const channels = new Channels(socket);
  const stdin = new PassThrough();
  if (!target.hasStdin) stdin.end();
  channels.receive((channel, data) => {
    if (channel !== STDIN || stdin.writableEnded) return;
    if (data) stdin.write(data);
    else stdin.end();
  });
  channels.onClose(() => stdin.end());
  let status: Record<string, unknown>;
  try {
    const code = await (backend.exec ?? noSuchProgram)({
      ...target,
      stdin,
      stdout: (text) => channels.send(STDOUT, text),
      stderr: (text) => channels.send(STDERR, text),
    });
    status = code === 0 ? { status: 'Success' } : nonZeroExit(code);
  } catch (error) {
    status = { status: 'Failure', reason: 'InternalError', message: (error as Error).message, code: 500 };
  }
  channels.send(STATUS, JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...status }), () =>
    channels.close(),
  );
}

function noSuchProgram({ command }: ExecCall): number {
  throw new Error(`exec: "${command[0]}": executable file not found in $PATH`);
}

const nonZeroExit = (code: number) => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  message: `command terminated with non-zero exit code: exit status ${code}`,
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
});
