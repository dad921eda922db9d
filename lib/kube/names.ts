import { createHash } from 'node:crypto';

/** The longest DNS label, which is also the longest label value. */
const LONGEST = 63;
const LONGEST_SUBDOMAIN = 253;
const HASH_DIGITS = 8;
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LABEL_VALUE = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?$/;

/** The first hex digits of the SHA-256 of some content. */
export function shortHash(content: string | Uint8Array, digits: number = HASH_DIGITS): string {
  return createHash('sha256').update(content).digest('hex').slice(0, digits);
}

export function isDnsLabel(text: string): boolean {
  return text.length <= LONGEST && DNS_LABEL.test(text);
}

/** What most kinds take as a name; some take a label only. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= LONGEST_SUBDOMAIN && text.split('.').every((part) => DNS_LABEL.test(part));
}

/**
 * Makes an object's name from its parts, joined by hyphens. A name that is too long or has other characters than the
 * cluster takes is made fit, with a hash of the original at the end so that two different ones stay different.
 */
export function objectName(...parts: readonly string[]): string {
  const joined = parts.join('-');
  if (isDnsLabel(joined)) return joined;
  const fitting = joined.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return withHash(fitting, joined, /^-+|-+$/g);
}

/**
 * An object's name that keeps its last part whole, whatever the length of the others: for names whose end has a meaning
 * (a content hash).
 */
export function objectNameEnding(stem: string, ending: string): string {
  const joined = `${stem}-${ending}`;
  if (isDnsLabel(joined)) return joined;
  const room = LONGEST - ending.length - 1;
  const fitting = objectName(stem);
  const short = fitting.length <= room ? fitting : withHash(fitting, stem, /^-+|-+$/g, room);
  return `${short}-${ending}`;
}

/** A label's value that says the same as the text: the text itself where it fits, else made fit with a hash. */
export function labelValue(text: string): string {
  if (text === '' || (text.length <= LONGEST && LABEL_VALUE.test(text))) return text;
  return withHash(text.replace(/[^-_.A-Za-z0-9]+/g, '-'), text, /^[-_.]+|[-_.]+$/g);
}

function withHash(fitting: string, original: string, edges: RegExp, room: number = LONGEST): string {
  const stem = fitting
    .replace(edges, '')
    .slice(0, room - HASH_DIGITS - 1)
    .replace(edges, '');
  const hash = shortHash(original);
  return stem === '' ? `x-${hash}` : `${stem}-${hash}`;
}
