import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { Channels } from './channels.js';
import { serveSpdy } from './spdy.js';

/** Where a container's port really listens; undefined where nothing does. */
export type LocalPort = (containerPort: number) => number | undefined;

function dial(port: number, localPort: LocalPort): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const local = localPort(port);
    const refused = () =>
      reject(new Error(`failed to connect to localhost:${port} inside the pod: connection refused`));
    if (local === undefined) return refused();
    const socket = connect(local, '127.0.0.1');
    socket.once('error', refused);
    socket.once('connect', () => {
      socket.off('error', refused);
      resolve(socket);
    });
  });
}

/** kubectl's form: for each connection an error and a data stream, which share a `requestid`. */
export function forwardSpdy(connection: Duplex, localPort: LocalPort): void {
  const errorStreams = new Map<string, Duplex>();
  serveSpdy(connection, (stream, { streamtype, port, requestid = '' }) => {
    stream.resume();
    if (streamtype === 'error') {
      errorStreams.set(requestid, stream);
      return;
    }
    stream.pause();
    const errors = errorStreams.get(requestid);
    dial(Number(port), localPort).then(
      (socket) => {
        stream.pipe(socket).pipe(stream);
        socket.on('error', () => stream.destroy(new Error('the connection inside the pod broke')));
        socket.on('close', () => errors?.end());
        stream.on('close', () => socket.destroy());
      },
      (error: Error) => {
        errors?.end(error.message);
        stream.end();
      },
    );
  });
}

/** The channel form: a data and an error channel per port, each of which first tells its port. */
export function forwardChannels(socket: WebSocket, ports: readonly number[], localPort: LocalPort): void {
  const channels = new Channels(socket);
  const connections = ports.map((port, index) => {
    const told = Buffer.alloc(2);
    told.writeUInt16LE(port);
    channels.send(index * 2, told);
    channels.send(index * 2 + 1, told);
    const connection = dial(port, localPort);
    connection.then(
      (target) => {
        // a slow client holds back the server behind it
        target.on('data', (data) => {
          target.pause();
          channels.send(index * 2, data, () => target.resume());
        });
        target.on('error', () => channels.close());
        target.on('end', () => channels.close());
        channels.onClose(() => target.destroy());
      },
      (error: Error) => channels.send(index * 2 + 1, error.message, () => channels.close()),
    );
    return connection;
  });
  channels.receive((channel, data) => {
    if (channel % 2 !== 0) return;
    connections[channel / 2]?.then(
      (target) => (data ? target.write(data) : target.end()),
      () => undefined,
    );
  });
}
