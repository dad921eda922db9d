import { Duplex } from 'node:stream';
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { SPDY_DICTIONARY } from './spdy-dictionary.js';

/** Frame types of SPDY/3.1 that a server meets when only the client opens streams; it has no flow control there. */
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const FLAG_FIN = 1;
const CONTROL_VERSION_3 = 0x8003;
const INTERNAL_ERROR = 6;
const HEADER_BYTES = 8;
const MAX_DATA_BYTES = 65_535;

export type OnStream = (stream: Duplex, headers: Record<string, string>) => void;

/** Speaks the server's side of SPDY/3.1 on a connection, and hands over each stream that the client opens. */
export function serveSpdy(connection: Duplex, onStream: OnStream): void {
  new SpdyConnection(connection, onStream).start();
}

class SpdyConnection {
  readonly #streams = new Map<number, Duplex>();
  readonly #options = { dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH };
  readonly #inflate = chunkwise(createInflate(this.#options));
  readonly #deflate = chunkwise(createDeflate(this.#options));

  constructor(
    private readonly connection: Duplex,
    private readonly onStream: OnStream,
  ) {}

  start(): void {
    this.connection.on('error', () => this.connection.destroy());
    this.connection.on('close', () => {
      for (const stream of this.#streams.values()) stream.destroy();
    });
    this.#readFrames().catch((error: Error) => this.connection.destroy(error));
  }

  async #readFrames(): Promise<void> {
    let buffer = Buffer.alloc(0);
    for await (const chunk of this.connection) {
      buffer = Buffer.concat([buffer, chunk as Buffer]);
      while (buffer.length >= HEADER_BYTES) {
        const end = HEADER_BYTES + buffer.readUIntBE(5, 3);
        if (buffer.length < end) break;
        await this.#onFrame(buffer.subarray(0, HEADER_BYTES), buffer.subarray(HEADER_BYTES, end));
        buffer = buffer.subarray(end);
      }
    }
  }

  async #onFrame(head: Buffer, body: Buffer): Promise<void> {
    const hasFin = (head.readUInt8(4) & FLAG_FIN) !== 0;
    const isControl = (head.readUInt8(0) & 0x80) !== 0;
    if (!isControl) {
      const stream = this.#streams.get(head.readUInt32BE(0));
      // copied: the frame lies in a buffer that is reused
      if (body.length > 0) stream?.push(Buffer.from(body));
      if (hasFin) stream?.push(null);
      return;
    }
    const type = head.readUInt16BE(2);
    if (type === SYN_STREAM) await this.#open(body, hasFin);
    else if (type === RST_STREAM) this.#streams.get(body.readUInt32BE(0) & 0x7fffffff)?.destroy();
    else if (type === PING) this.#control(PING, body);
    else if (type === GOAWAY) this.connection.end();
  }

  async #open(body: Buffer, hasFin: boolean): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7fffffff;
    const headers = parseHeaders(await this.#inflate(body.subarray(10)));
    const stream = this.#newStream(id);
    this.#streams.set(id, stream);
    const noHeaders = await this.#deflate(Buffer.alloc(4));
    this.#control(SYN_REPLY, Buffer.concat([uint32(id), noHeaders]));
    if (hasFin) stream.push(null);
    this.onStream(stream, headers);
  }

  #newStream(id: number): Duplex {
    const stream = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        const parts: Buffer[] = [];
        for (let at = 0; at < chunk.length; at += MAX_DATA_BYTES) {
          parts.push(dataFrame(id, 0, chunk.subarray(at, at + MAX_DATA_BYTES)));
        }
        this.connection.write(Buffer.concat(parts), () => done());
      },
      final: (done) => {
        this.connection.write(dataFrame(id, FLAG_FIN, Buffer.alloc(0)), () => done());
      },
      destroy: (error, done) => {
        if (error) this.#control(RST_STREAM, Buffer.concat([uint32(id), uint32(INTERNAL_ERROR)]));
        this.#streams.delete(id);
        done(null);
      },
    });
    stream.on('error', () => undefined);
    return stream;
  }

  #control(type: number, body: Buffer): void {
    const head = Buffer.alloc(HEADER_BYTES);
    head.writeUInt16BE(CONTROL_VERSION_3, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(body.length, 5, 3);
    if (this.connection.writable) this.connection.write(Buffer.concat([head, body]));
  }
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function dataFrame(id: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32BE(id, 0);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

/** Name and value pairs, each behind its length. */
function parseHeaders(raw: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 4;
  const next = () => {
    const start = at + 4;
    at = start + raw.readUInt32BE(at);
    return raw.toString('utf8', start, at);
  };
  for (let left = raw.readUInt32BE(0); left > 0; left -= 1) headers[next().toLowerCase()] = next();
  return headers;
}

/** One long compressed stream, of which each call handles the next piece. */
function chunkwise(transform: Inflate | Deflate): (data: Buffer) => Promise<Buffer> {
  return (data) =>
    new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      const collect = (part: Buffer) => parts.push(part);
      transform.on('data', collect);
      transform.once('error', reject);
      transform.write(data);
      transform.flush(constants.Z_SYNC_FLUSH, () => {
        transform.off('data', collect);
        transform.off('error', reject);
        resolve(Buffer.concat(parts));
      });
    });
}
