/** Longest line in which a list is kept together: that of this repository's formatter. */
const LINE_WIDTH = 110;

/** JSON as people write it: an object's members on lines of their own, a list of words on one line where it fits. */
export function jsonText(value: unknown): string {
  return `${format(value, '', 0)}\n`;
}

/** `used`: the characters that stand before the value on its first line, indent included, and behind it. */
function format(value: unknown, indent: string, used: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => format(item, inner, inner.length + 1));
    const line = `[${items.join(', ')}]`;
    if (!line.includes('\n') && used + line.length <= LINE_WIDTH) return line;
    return `[\n${items.map((item) => inner + item).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(([key, member]) => {
    const name = `${JSON.stringify(key)}: `;
    return `${inner}${name}${format(member, inner, inner.length + name.length + 1)}`;
  });
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}
