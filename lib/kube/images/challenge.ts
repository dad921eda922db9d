/** One way in that a registry offers in a WWW-Authenticate header. */
export interface Challenge {
  /** Lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** Keys in lower case; values without their quotes and escapes. */
  readonly parameters: Readonly<Record<string, string>>;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PIECE = new RegExp(
  `\\s*,?\\s*(?:(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,]*))|(${TOKEN})(?=\\s|,|$))`,
  'gy',
);

/** Reads the challenges of one or several WWW-Authenticate headers; commas in quotes part nothing. */
export function parseChallenges(headers: string | readonly string[] | undefined): Challenge[] {
  return [headers ?? []].flat().flatMap(parseHeader);
}

function parseHeader(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  for (const [, key, quoted, plain = '', scheme] of header.matchAll(PIECE)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: {} });
    const current = challenges.at(-1);
    if (key === undefined || current === undefined) continue;
    current.parameters[key.toLowerCase()] = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
  }
  return challenges;
}
