import { describe, expect, test } from '@jest/globals';
import { routeTo } from '../../../lib/kube/images/proxy.js';

const PROXY = 'http://proxy.corp:3128';

function direct(url: string, noProxy: string): boolean {
  return (
    routeTo(new URL(url), { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy }).proxy === undefined
  );
}

describe('the way to a registry', () => {
  test('HTTPS_PROXY is for https, HTTP_PROXY for http, and the lower-case spelling wins', () => {
    const env = { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://h:2', https_proxy: 'http://lower:3' };
    expect(routeTo(new URL('https://r.io/'), env).proxy?.host).toBe('lower:3');
    expect(routeTo(new URL('http://r.io/'), env).proxy?.host).toBe('h:2');
    expect(routeTo(new URL('https://r.io/'), { HTTP_PROXY: 'http://h:2' }).proxy).toBeUndefined();
    expect(routeTo(new URL('https://r.io/'), { HTTPS_PROXY: '' }).proxy).toBeUndefined();
  });

  test('an address without a scheme is one of plain HTTP', () => {
    expect(routeTo(new URL('https://r.io/'), { HTTPS_PROXY: 'proxy:3128' }).proxy?.href).toBe(
      'http://proxy:3128/',
    );
  });

  test('a password in the proxy’s address is never shown', () => {
    const route = routeTo(new URL('https://r.io/'), { HTTPS_PROXY: 'http://me:hunter2@proxy:3128' });
    expect(route.description).toBe('through the proxy http://proxy:3128 (HTTPS_PROXY)');
    for (const bad of ['socks5://me:hunter2@proxy:1', 'http://me:hunter2@:x']) {
      try {
        routeTo(new URL('https://r.io/'), { HTTPS_PROXY: bad });
        throw new Error('not refused');
      } catch (error) {
        expect(error).toMatchObject({
          name: 'Failure',
          exit: 2,
          message: 'HTTPS_PROXY is no address of a proxy',
        });
        expect(String(error)).not.toContain('hunter2');
      }
    }
  });

  test.each([
    ['https://r.io/', '*'],
    ['https://r.io/', 'r.io'],
    ['https://r.io/', 'other.io, R.IO'],
    ['https://r.io/', 'other.io r.io'],
    ['https://a.r.io/', 'r.io'],
    ['https://a.r.io/', '.r.io'],
    ['https://a.r.io/', '*.r.io'],
    ['https://r.io:5000/', 'r.io'],
    ['https://r.io:5000/', 'r.io:5000'],
    ['https://r.io/', 'r.io:443'],
    ['http://r.io/', 'r.io:80'],
    ['https://10.1.2.3:5000/', '10.1.2.3'],
    ['https://10.1.2.3:5000/', '10.0.0.0/8'],
    ['https://192.168.7.9/', '192.168.7.8/31'],
    ['https://[fd00::7]:5000/', 'fd00::/8'],
    ['https://[::1]:5000/', '::1'],
    ['https://[::1]:5000/', '[::1]:5000'],
  ])('%s is asked directly with NO_PROXY=%s', (url, noProxy) => {
    expect(direct(url, noProxy)).toBe(true);
  });

  test.each([
    ['https://r.io/', ''],
    ['https://r.io/', 'io.r'],
    ['https://bar.io/', 'r.io'],
    ['https://r.io/', '.r.io'],
    ['https://r.io.evil.com/', 'r.io'],
    ['https://r.io:5000/', 'r.io:443'],
    ['http://r.io/', 'r.io:443'],
    ['https://11.1.2.3/', '10.0.0.0/8'],
    ['https://192.168.7.10/', '192.168.7.8/31'],
    ['https://10.1.2.3/', '10.0.0.0/33'],
    ['https://10.1.2.3/', '2.3'],
    ['https://ten.io/', '10.0.0.0/8'],
    ['https://[fe80::7]/', 'fd00::/8'],
    ['https://[::1]:5001/', '[::1]:5000'],
  ])('%s goes through the proxy with NO_PROXY=%s', (url, noProxy) => {
    expect(direct(url, noProxy)).toBe(false);
  });
});
