import type { IncomingHttpHeaders } from 'node:http';

/** One HTTP request to the emulated cloud, as far as it tells what it is. */
export interface AwsRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The name that it was signed for; empty when it was not signed. */
  signingName: string;
  /** The region that it was signed for; empty when it was not signed. */
  region: string;
  accessKey: string;
}

/** Reads who asks what from a request's headers. */
export function awsRequest(
  method: string,
  url: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): AwsRequest {
  const scope = /Credential=([^/,\s]+)\/\d{8}\/([^/]*)\/([^/]+)\/aws4_request/.exec(
    headers.authorization ?? '',
  );
  const [, accessKey = '', region = '', signingName = ''] = scope ?? [];
  return { method, url, headers, body, accessKey, region, signingName };
}

/** The headers of a request as a plain map of strings. */
export function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
