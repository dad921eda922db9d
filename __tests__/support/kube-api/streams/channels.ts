import type { WebSocket } from 'ws';

/** Channels of an exec; a port-forward has a pair (data, error) per port instead. */
export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;
export const STATUS = 3;

/** In v5, a message that tells that one channel is closed. */
const CLOSE = 255;

/** The v4 and v5 protocols: every message begins with the number of its channel. */
export class Channels {
  constructor(private readonly socket: WebSocket) {}

  send(channel: number, data: Buffer | string, done?: () => void): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]), { binary: true }, () =>
        done?.(),
      );
  }

  /** Calls with each message of the client, and with undefined when it closes that channel. */
  receive(onData: (channel: number, data: Buffer | undefined) => void): void {
    this.socket.on('message', (message) => {
      const bytes = message as Buffer;
      const channel = bytes[0];
      if (channel === CLOSE) onData(bytes[1] ?? 0, undefined);
      else if (channel !== undefined) onData(channel, bytes.subarray(1));
    });
  }

  onClose(listener: () => void): void {
    this.socket.on('close', listener);
  }

  close(): void {
    // kubectl takes a close without a code for a broken connection
    this.socket.close(1000);
  }
}
