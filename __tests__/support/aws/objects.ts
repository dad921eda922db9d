import type { MotoClient } from './moto-client.js';

/** A place in S3. */
export interface S3Place {
  bucket: string;
  key: string;
}

/** Reads `s3://bucket/key`. */
export function s3Place(uri: string): S3Place {
  const [, bucket = '', key = ''] = /^(?:s3|https):\/\/([^/]+)\/?(.*)$/s.exec(uri) ?? [];
  return { bucket, key };
}

/** S3 objects as they are in the emulator. */
export class S3Objects {
  constructor(readonly moto: MotoClient) {}

  /** The object's bytes; undefined when there is none. */
  async read({ bucket, key }: S3Place): Promise<Buffer | undefined> {
    const { status, body } = await this.moto.rest('s3', 'GET', objectPath(bucket, key), '', REGION);
    return status === 200 ? body : undefined;
  }

  async write({ bucket, key }: S3Place, body: string | Buffer): Promise<void> {
    const { status, body: text } = await this.moto.rest('s3', 'PUT', objectPath(bucket, key), body, REGION);
    if (status >= 300) throw new Error(`s3://${bucket}/${key} cannot be written: ${text}`);
  }

  /** The keys under a prefix; undefined when there is no such bucket. */
  async keys(bucket: string, prefix: string): Promise<string[] | undefined> {
    const query = `list-type=2&prefix=${encodeURIComponent(prefix)}`;
    const { status, body } = await this.moto.rest('s3', 'GET', `/${bucket}?${query}`, '', REGION);
    return status === 200 ? xmlTexts(body.toString('utf8'), 'Key') : undefined;
  }

  async buckets(): Promise<string[]> {
    const { body } = await this.moto.rest('s3', 'GET', '/', '', REGION);
    return xmlTexts(body.toString('utf8'), 'Name');
  }

  async createBucket(bucket: string): Promise<void> {
    const { status, body } = await this.moto.rest('s3', 'PUT', `/${bucket}`, '', REGION);
    if (status >= 300) throw new Error(`the bucket ${bucket} cannot be created: ${body}`);
  }
}

/** The texts of all elements of that name. */
export function xmlTexts(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text = '']) =>
    text
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, '&'),
  );
}

/** moto keeps the buckets of all regions together. */
const REGION = 'us-east-1';

function objectPath(bucket: string, key: string): string {
  return `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
