/** What a JSON document can hold. An undefined value of a key means that the key is not there. */
type Json = Scalar | JsonList | JsonMap;
type Scalar = string | number | boolean | null;
type JsonList = readonly Json[];
type JsonMap = { readonly [key: string]: Json | undefined };

/**
 * Writes objects as one stream of YAML documents in block style. Every scalar that a YAML 1.1 or 1.2 reader could take for
 * something else is quoted; there are no anchors. PyYAML, js-yaml and kubectl read back the same objects.
 */
export function toYaml(objects: readonly object[]): string {
  return objects.map((object) => block(object as JsonMap, '')).join('---\n');
}

/** The lines of a list or map that is not empty, each at this indentation. */
function block(value: JsonList | JsonMap, indent: string): string {
  if (isList(value)) return value.map((item) => `${indent}-${asItem(item, `${indent}  `)}`).join('');
  return entriesOf(value)
    .map(([key, item]) => `${indent}${keyText(key)}:${asValue(item, indent)}`)
    .join('');
}

/** A list's item behind its hyphen: a map or list begins on the hyphen's own line. */
function asItem(value: Json, indent: string): string {
  return isBlock(value) ? ` ${block(value, indent).slice(indent.length)}` : ` ${flat(value, indent)}\n`;
}

/** A map's value behind its colon: a list stands at the key's own indentation, as kubectl writes it. */
function asValue(value: Json, indent: string): string {
  if (!isBlock(value)) return ` ${flat(value, `${indent}  `)}\n`;
  return `\n${block(value, isList(value) ? indent : `${indent}  `)}`;
}

function flat(value: Json, indent: string): string {
  if (isList(value)) return '[]';
  if (isMap(value)) return '{}';
  return scalar(value, indent);
}

function isList(value: Json): value is JsonList {
  return Array.isArray(value);
}

function isMap(value: Json): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value takes lines of its own. */
function isBlock(value: Json): value is JsonList | JsonMap {
  return (isList(value) && value.length > 0) || (isMap(value) && entriesOf(value).length > 0);
}

function entriesOf(map: JsonMap): [string, Json][] {
  return Object.entries(map).filter((entry): entry is [string, Json] => entry[1] !== undefined);
}

function scalar(value: Scalar, indent: string): string {
  if (typeof value === 'string') return isBlockText(value) ? literalBlock(value, indent) : text(value);
  if (typeof value === 'number') return number(value);
  return String(value);
}

/** JSON's exponents need a fraction for YAML 1.1 to see a number. */
function number(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`${value} cannot be written as JSON or YAML`);
  return String(value).replace(/^(-?\d+)e/, '$1.0e');
}

/** Starts like a word or path and holds nothing that means something to YAML: a colon or space only inside. */
const PLAIN = /^[A-Za-z_/][A-Za-z0-9_/.@+=-]*(?:[ :][A-Za-z0-9_/.@+=-]+)*$/;
/** Words that YAML 1.1 or 1.2 readers take for a boolean, null or number. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|infinity|e[-+]?[0-9]+)$/i;
/** Readers look for a key's colon within 1,024 characters only. */
const LONGEST_KEY = 1000;
/** What JSON leaves as it is and YAML readers refuse, drop or take for a line's end. */
const UNSAFE_IN_QUOTES = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const UNSAFE_IN_BLOCK = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function text(value: string): string {
  if (PLAIN.test(value) && !RESERVED.test(value)) return value;
  if (LONE_SURROGATE.test(value))
    throw new Error('text with half a surrogate pair cannot be written as UTF-8');
  return JSON.stringify(value).replace(
    UNSAFE_IN_QUOTES,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function keyText(key: string): string {
  const written = text(key);
  if (written.length > LONGEST_KEY)
    throw new Error(`a key of ${written.length} characters cannot be written`);
  return written;
}

/** Whether a text reads better as lines, and every reader gets the same text from them. */
function isBlockText(value: string): boolean {
  const hasLines = value.indexOf('\n') > 0;
  if (!hasLines || /^[ \t]/.test(value) || / (?:\n|$)/.test(value)) return false;
  return !UNSAFE_IN_BLOCK.test(value) && !LONE_SURROGATE.test(value);
}

function literalBlock(value: string, indent: string): string {
  const [mark, body] = value.endsWith('\n\n')
    ? ['|+', value.slice(0, -1)]
    : value.endsWith('\n')
      ? ['|', value.slice(0, -1)]
      : ['|-', value];
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent}${line}`));
  return `${mark}\n${lines.join('\n')}`;
}
