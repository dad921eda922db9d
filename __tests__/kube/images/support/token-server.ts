import { createSign, X509Certificate } from 'node:crypto';
import type { Certificate } from '../../../support/certificates.js';
import { type RunningServer, serve } from './http-servers.js';

export interface TokenRequest {
  method: string;
  /** The query of a GET, the form of a POST. */
  fields: Record<string, string>;
  authorization: string | undefined;
}

export interface TokenServer extends RunningServer {
  readonly realm: string;
  readonly requests: TokenRequest[];
}

export interface TokenServerOptions {
  service: string;
  issuer: string;
  signer: Certificate;
  /** Whether a request may have a token. */
  accepts: (request: TokenRequest) => boolean;
}

/** The registry's token server: signs what the registry verifies, for those that it accepts. */
export async function startTokenServer({
  service,
  issuer,
  signer,
  accepts,
}: TokenServerOptions): Promise<TokenServer> {
  const requests: TokenRequest[] = [];
  const running = await serve((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    incoming.on('end', () => {
      const { method = '', headers } = incoming;
      const url = new URL(incoming.url ?? '', 'http://token');
      const form = method === 'POST' ? new URLSearchParams(body) : url.searchParams;
      const asked = { method, fields: Object.fromEntries(form), authorization: headers.authorization };
      requests.push(asked);
      if (!accepts(asked)) return outgoing.writeHead(401).end('{}');
      const token = signedToken({ service, issuer, signer, scope: asked.fields.scope ?? '' });
      return outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }));
    });
  });
  return { ...running, realm: `http://${running.host}/token`, requests };
}

function signedToken(options: {
  service: string;
  issuer: string;
  signer: Certificate;
  scope: string;
}): string {
  const { service, issuer, signer, scope } = options;
  const [type = '', name = '', actions = ''] = scope.split(':');
  const now = Math.floor(Date.now() / 1000);
  const certificate = new X509Certificate(signer.certificate).raw.toString('base64');
  const header = { typ: 'JWT', alg: 'ES256', x5c: [certificate] };
  const claims = {
    ...{ iss: issuer, sub: 'tester', aud: service, exp: now + 300, nbf: now - 60, iat: now - 60, jti: '1' },
    access: [{ type, name, actions: actions.split(',') }],
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = createSign('sha256')
    .update(signed)
    .sign({ key: signer.key, dsaEncoding: 'ieee-p1363' }, 'base64url');
  return `${signed}.${signature}`;
}
