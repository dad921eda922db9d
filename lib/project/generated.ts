/** Text between the markers is derived from the descriptors; whatever stands there is written anew by every render. */
const BEGIN = /^(?:#|<!--) >>> GENERATED(?: ([a-z-]+))?/;
const END = /^\s*(?:#|<!--) <<< END GENERATED/;

/**
 * Fills the generated blocks of a file. A block is called by the name behind its opening marker or, without one, by the
 * file's path. Throws when a block is unknown or not closed: that is a fault of the template.
 */
export function fillBlocks(
  path: string,
  contents: string,
  blocks: Readonly<Record<string, () => string>>,
): string {
  if (!contents.includes('>>> GENERATED')) return contents;
  const lines: string[] = [];
  let open: string | undefined;
  for (const line of contents.split('\n')) {
    const begin = BEGIN.exec(line);
    if (open === undefined) {
      lines.push(line);
      if (begin) {
        open = begin[1] ?? path;
        const block = blocks[open];
        if (!block) throw new Error(`${path}: no generator for the block ${open}`);
        lines.push(...block().replace(/\n$/, '').split('\n'));
      }
    } else if (END.test(line)) {
      lines.push(line);
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${path}: the block ${open} is not closed`);
  return lines.join('\n');
}
