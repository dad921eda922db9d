import { request as httpRequest } from 'node:http';
import { Agent, type AgentOptions, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

/** Connections through a proxy's tunnel (CONNECT). */
export class TunnelAgent extends Agent {
  constructor(
    private readonly proxy: URL,
    /** PEM texts of the roots that an https:// proxy's certificate is checked with. */
    private readonly proxyRoots: readonly string[],
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(
    options: RequestOptions,
    connected?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const fail = (error: Error) => connected?.(error, undefined as never);
    const { protocol, hostname, port, username, password } = this.proxy;
    const isSecure = protocol === 'https:';
    const target = `${options.host}:${options.port}`;
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    const asking = (isSecure ? httpsRequest : httpRequest)({
      host: hostname,
      port: port || (isSecure ? 443 : 80),
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: {
        host: target,
        ...(username && { 'proxy-authorization': `Basic ${login.toString('base64')}` }),
      },
      ...(isSecure && { ca: [...this.proxyRoots] }),
    });
    asking.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        connected?.(null, connectTls({ ...(options as object), socket }));
        return;
      }
      socket.destroy();
      fail(new Error(`the proxy ${this.proxy.host} answered ${statusCode}`));
    });
    asking.once('error', fail);
    asking.end();
    return undefined;
  }
}
