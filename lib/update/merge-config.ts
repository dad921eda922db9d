import { diff3Merge, diffIndices } from 'node-diff3';
import { type ConfigDocument, type ConfigEntry, parseConfig } from '../config/index.js';

export interface ConfigMergeInput {
  /** The config as it was rendered last; undefined when that is not known. */
  base: string | undefined;
  mine: string;
  theirs: string;
  /** The keys that scripts write: their values are always mine. */
  runtimeOwned: ReadonlySet<string>;
}

export interface ConfigMerge {
  text: string;
  /** Keys that the template dropped and that stay, because a script or a person wrote them. */
  keptAlthoughDropped: readonly string[];
  /** Keys that the template dropped and that are gone, because nobody had changed them. */
  dropped: readonly string[];
  /** Template-owned keys whose value only a shell can compute: left as they are. */
  computed: readonly string[];
}

/** One line, or one entry whatever lines its value spans. Entries are compared by key, everything else by text. */
interface Piece {
  id: string;
  entry?: ConfigEntry;
  text: string;
}

/**
 * Merges do/config by key and lifecycle. Lines, comments and their order merge as in any file; the value of a
 * runtime-owned key, and a key that nobody knows, are always the person's; a template-owned value is the render's,
 * which has taken over a person's own change as an answer. There are no conflicts.
 */
export function mergeConfig({ base, mine, theirs, runtimeOwned }: ConfigMergeInput): ConfigMerge {
  const docs = { mine: parseConfig(mine), theirs: parseConfig(theirs), base: parseConfig(base ?? '') };
  const mineKeys = new Set(docs.mine.keys());
  const theirKeys = new Set(docs.theirs.keys());

  const gone = docs.base.keys().filter((key) => mineKeys.has(key) && !theirKeys.has(key));
  const stays = new Set(gone.filter((key) => runtimeOwned.has(key) || !sameEntry(docs.base, docs.mine, key)));
  // A line that scripts write comes back when it is missing; another line that a person deleted does not.
  const missing = [...theirKeys].filter((key) => !mineKeys.has(key));
  const deleted = new Set(missing.filter((key) => docs.base.has(key) && !runtimeOwned.has(key)));

  const minePieces = pieces(docs.mine);
  const theirPieces = withoutKeys(pieces(docs.theirs), deleted);
  const basePieces =
    base === undefined
      ? common(minePieces, theirPieces)
      : withoutKeys(pieces(docs.base), new Set([...stays, ...missing]));
  const merged = eachKeyOnce(mergePieces(minePieces, basePieces, theirPieces));

  const computed: string[] = [];
  const lines = merged.map(({ entry, text }) => {
    if (!entry || !theirKeys.has(entry.key) || !mineKeys.has(entry.key)) return text;
    const own = lastEntry(docs.mine, entry.key) ?? entry;
    if (runtimeOwned.has(entry.key)) return own.text;
    if (own.value === undefined) computed.push(entry.key);
    return withValue(own, docs.theirs.get(entry.key));
  });
  const isUnchanged = join(lines) === join(minePieces.map(({ text }) => text));
  return {
    text: isUnchanged ? mine : join(lines),
    keptAlthoughDropped: [...stays].sort(),
    dropped: gone.filter((key) => !stays.has(key)).sort(),
    computed,
  };
}

const join = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Whether a key has the same value on both sides; of what only a shell can compute, whether it has the same text. */
function sameEntry(a: ConfigDocument, b: ConfigDocument, key: string): boolean {
  const [left, right] = [lastEntry(a, key), lastEntry(b, key)];
  return left?.value === right?.value && (left?.value !== undefined || left?.text === right?.text);
}

/** The entry's text with another value; as it is where it has that value already, or one that only a shell can compute. */
function withValue(entry: ConfigEntry, value: string | undefined): string {
  if (entry.value === undefined || value === undefined || entry.value === value) return entry.text;
  const line = parseConfig(entry.text);
  line.set(entry.key, value);
  return line.toString().replace(/\n$/, '');
}

/** Of a key that occurs twice only the last occurrence has a say; the others are lines like any. */
function pieces(document: ConfigDocument): Piece[] {
  return document.items().map((item) => {
    const isEntry = item.kind === 'entry' && lastEntry(document, item.key) === item;
    return isEntry
      ? { id: `key ${item.key}`, entry: item, text: item.text }
      : { id: `line ${item.text}`, text: item.text };
  });
}

function mergePieces(mine: readonly Piece[], base: readonly Piece[], theirs: readonly Piece[]): Piece[] {
  const ids = (list: readonly Piece[]) => list.map(({ id }) => id);
  const known = new Map([...theirs, ...mine].map((piece) => [piece.id, piece]));
  const regions = diff3Merge(ids(mine), ids(base), ids(theirs), { excludeFalseConflicts: true });
  const merged = regions.flatMap(({ ok, conflict }) => {
    if (ok) return ok;
    if (!conflict) return [];
    // Both sides changed the place: mine stays, and what is new in the template comes behind it.
    const there = new Set([...conflict.a, ...conflict.o]);
    return [...conflict.a, ...conflict.b.filter((id) => !there.has(id))];
  });
  return merged.flatMap((id) => known.get(id) ?? []);
}

/** Without a base, what both sides have counts as the base: nothing of either side is taken for a deletion. */
function common(mine: readonly Piece[], theirs: readonly Piece[]): Piece[] {
  const different = new Set<number>();
  for (const { buffer1 } of diffIndices(
    mine.map(({ id }) => id),
    theirs.map(({ id }) => id),
  )) {
    for (let index = 0; index < buffer1[1]; index += 1) different.add(buffer1[0] + index);
  }
  return mine.filter((_, index) => !different.has(index));
}

/** Without some keys and the comments directly above them: they then count as added by whoever has them. */
function withoutKeys(list: readonly Piece[], keys: ReadonlySet<string>): Piece[] {
  const kept: Piece[] = [];
  for (const piece of list) {
    if (piece.entry && keys.has(piece.entry.key)) {
      while (kept.at(-1)?.text.trimStart().startsWith('#')) kept.pop();
    } else kept.push(piece);
  }
  return kept;
}

function eachKeyOnce(list: readonly Piece[]): Piece[] {
  const seen = new Set<string>();
  return list.filter(({ entry }) => {
    if (!entry) return true;
    if (seen.has(entry.key)) return false;
    seen.add(entry.key);
    return true;
  });
}

const lastEntry = (document: ConfigDocument, key: string): ConfigEntry | undefined =>
  document.entries().findLast((entry) => entry.key === key);
