import { request } from 'node:http';
import { type Answer, answer } from './protocol/answer.js';
import { type AwsRequest, plainHeaders } from './protocol/request.js';

/** moto's own account. */
export const ACCOUNT = '123456789012';

/** The emulator behind the proxy. */
export class MotoClient {
  constructor(readonly url: string) {}

  /** Hands a client's request on as it is. */
  forward({ method, url, headers, body }: AwsRequest): Promise<Answer> {
    return this.#send(method, url, { ...plainHeaders(headers), 'content-length': String(body.length) }, body);
  }

  /** An operation of a service with the JSON protocol. */
  async json(
    service: string,
    target: string,
    input: object,
    region: string,
  ): Promise<Record<string, unknown>> {
    const headers = {
      ...signed(service, region),
      'x-amz-target': target,
      'content-type': 'application/x-amz-json-1.1',
    };
    const { status, body } = await this.#send('POST', '/', headers, Buffer.from(JSON.stringify(input)));
    if (status >= 300) throw new Error(`${target}: ${body}`);
    return body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
  }

  /** An operation of a service with the query protocol; gives the XML. */
  async query(service: string, parameters: Record<string, string>, region: string): Promise<string> {
    const headers = { ...signed(service, region), 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await this.#send(
      'POST',
      '/',
      headers,
      Buffer.from(String(new URLSearchParams(parameters))),
    );
    if (status >= 300) throw new Error(`${parameters.Action}: ${body}`);
    return body.toString('utf8');
  }

  /** A request of a service with a REST protocol. */
  rest(
    service: string,
    method: string,
    path: string,
    body: string | Buffer,
    region: string,
  ): Promise<Answer> {
    const bytes = Buffer.from(body);
    return this.#send(
      method,
      path,
      { ...signed(service, region), 'content-length': String(bytes.length) },
      bytes,
    );
  }

  /** Forgets everything. */
  async reset(): Promise<void> {
    await this.#send('POST', '/moto-api/reset', {}, Buffer.alloc(0));
  }

  #send(method: string, path: string, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(this.url), { method, path, headers }, (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const { 'transfer-encoding': _, connection: __, ...kept } = plainHeaders(incoming.headers);
          resolve(answer(incoming.statusCode ?? 500, kept, Buffer.concat(parts)));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

/** moto reads the service from the signature, and does not check it. */
function signed(service: string, region: string): Record<string, string> {
  const scope = `Credential=testing/20200101/${region}/${service}/aws4_request`;
  return { authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=0` };
}
