import { BlockList, isIP } from 'node:net';
import { Failure } from '../../failure/index.js';

/** How a request leaves this machine, and the variable that decided so. */
export interface Route {
  /** The proxy, or undefined for a direct connection. */
  readonly proxy?: URL | undefined;
  /** For messages: 'through the proxy http://p:3128 (HTTPS_PROXY)', 'directly (NO_PROXY names it)'. */
  readonly description: string;
}

const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Chooses the way to a URL from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, of which the lower-case spelling wins. */
export function routeTo(url: URL, env: NodeJS.ProcessEnv): Route {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variable = setVariable(env, name);
  if (!variable) return { description: `directly (${name} is not set)` };
  const exempt = setVariable(env, 'NO_PROXY');
  if (exempt && bypassesProxy(url, exempt.value))
    return { description: `directly (${exempt.name} names it)` };
  const proxy = proxyUrl(variable);
  return { proxy, description: `through the proxy ${proxy.protocol}//${proxy.host} (${variable.name})` };
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

function setVariable(env: NodeJS.ProcessEnv, name: string): Variable | undefined {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = env[spelling]?.trim();
    if (value) return { name: spelling, value };
  }
  return undefined;
}

function proxyUrl({ name, value }: Variable): URL {
  const text = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '') return url;
  // The value may hold a password, so the message does not repeat it.
  throw new Failure({
    what: `${name} is no address of a proxy`,
    why: 'it must be http://HOST:PORT or https://HOST:PORT',
    next: `Correct ${name}, or unset it to connect directly.`,
    exit: 2,
  });
}

/**
 * Whether NO_PROXY exempts the URL. Its entries are parted by commas or spaces: `*`, a host with its subdomains,
 * `.suffix` or `*.suffix` (subdomains only), an address, a CIDR block; all but the block with an optional `:port`.
 */
function bypassesProxy(url: URL, noProxy: string): boolean {
  const host = unbracketed(url.hostname).replace(/\.$/, '');
  const port = url.port || DEFAULT_PORT[url.protocol];
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => entry === '*' || inBlock(host, entry) || isNamed(host, port, entry));
}

function isNamed(host: string, port: string | undefined, entry: string): boolean {
  const bare = isIP(entry) === 6;
  const [, name = entry, wantedPort] = bare ? [] : (/^(.+?)(?::(\d+))?$/.exec(entry) ?? []);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const suffix = unbracketed(name).replace(/^\*\./, '.');
  if (suffix.startsWith('.')) return host.endsWith(suffix);
  return host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`));
}

function inBlock(host: string, entry: string): boolean {
  const [network = '', bits = '', ...rest] = entry.split('/');
  const family = isIP(network);
  const width = family === 6 ? 128 : 32;
  if (
    family === 0 ||
    isIP(host) !== family ||
    rest.length > 0 ||
    !/^\d+$/.test(bits) ||
    Number(bits) > width
  ) {
    return false;
  }
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const block = new BlockList();
  block.addSubnet(network, Number(bits), type);
  return block.check(host, type);
}

function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
