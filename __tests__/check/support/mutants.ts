import type { FileTree } from '../../../lib/project/index.js';

/** A project with one thing changed. */
export interface Mutant {
  title: string;
  path: string;
  tree: FileTree;
}

/** The same project with other contents of one file, or without it. */
export function withFile(tree: FileTree, path: string, contents: string | undefined): FileTree {
  const changed = new Map(tree);
  const file = tree.get(path);
  if (contents === undefined) changed.delete(path);
  else changed.set(path, { executable: file?.executable ?? false, contents });
  return changed;
}

/** Lines between the markers of derived text, the markers included; all lines where the whole file is derived. */
export function derivedLines(path: string, contents: string): number[] {
  const lines = contents.split('\n');
  if (/^do\/lib\/(targets|targets-guidance|engines)\.sh$/.test(path))
    return lines.slice(0, -1).map((_, at) => at);
  const found: number[] = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    if (line.includes('>>> GENERATED')) isOpen = true;
    if (isOpen) found.push(at);
    if (line.includes('<<< END GENERATED')) isOpen = false;
  }
  return found;
}

/** Each of some lines dropped, begun and ended otherwise, written twice. */
export function* lineMutants(tree: FileTree, path: string, at: readonly number[]): Generator<Mutant> {
  const lines = (tree.get(path)?.contents ?? '').split('\n');
  const replaced = (index: number, other: readonly string[]): string =>
    [...lines.slice(0, index), ...other, ...lines.slice(index + 1)].join('\n');
  for (const index of at) {
    const line = lines[index] ?? '';
    const where = `${path}:${index + 1}`;
    const mutant = (how: string, other: readonly string[]): Mutant => ({
      title: `${where} ${how}`,
      path,
      tree: withFile(tree, path, replaced(index, other)),
    });
    yield mutant('dropped', []);
    yield mutant('begun otherwise', [`x${line}`]);
    yield mutant('ended otherwise', [`${line}x`]);
    yield mutant('twice', [line, line]);
  }
}

/** Each leaf of a JSON file dropped or altered, and each list or object emptied by dropping it whole. */
export function* leafMutants(tree: FileTree, path: string): Generator<Mutant & { pointer: string }> {
  const text = tree.get(path)?.contents ?? '';
  for (const keys of pathsOf(JSON.parse(text), [])) {
    for (const how of ['dropped', 'altered'] as const) {
      const data = JSON.parse(text);
      const holder = keys.slice(0, -1).reduce((value, key) => value[key], data);
      const key = keys.at(-1) ?? '';
      if (how === 'altered') {
        if (typeof holder[key] === 'object') continue;
        holder[key] = other(holder[key]);
      } else if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      const pointer = `/${keys.join('/')}`;
      const contents = `${JSON.stringify(data, null, 2)}\n`;
      yield { title: `${path}#${pointer} ${how}`, path, pointer, tree: withFile(tree, path, contents) };
    }
  }
}

function* pathsOf(value: unknown, path: readonly string[]): Generator<string[]> {
  if (path.length > 0) yield [...path];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* pathsOf(inner, [...path, key]);
}

const other = (value: unknown): unknown =>
  typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : `${value}x`;
