import { type SchemaName, schemaOf } from './validate.js';

interface Node {
  $ref?: string;
  description?: string;
  expected?: string;
  examples?: unknown[];
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
}

/** Every key of an input file as a Markdown table: key, what is expected, an example, meaning. */
export function keysTable(name: SchemaName): string {
  const schema = schemaOf(name) as Node & { $defs: Record<string, Node> };
  const rows: string[][] = [];
  const visit = (path: string, given: Node) => {
    const node = { ...schema.$defs[/^#\/\$defs\/(.+)$/.exec(given.$ref ?? '')?.[1] ?? ''], ...given };
    const { properties, additionalProperties: others, items, description = '', expected = '' } = node;
    const children = Object.entries(properties ?? {});
    if (description !== '' && path !== '') {
      const [example] = children.length > 0 || items?.properties ? [] : (node.examples ?? []);
      rows.push([
        `\`${path}\``,
        prose(expected),
        example === undefined ? '' : `\`${JSON.stringify(example)}\``,
        prose(description),
      ]);
    }
    const below = (key: string) => (path === '' ? key : `${path}.${key}`);
    for (const [key, child] of children) visit(below(key), child);
    if (typeof others === 'object') visit(below('<name>'), others);
    if (items) visit(`${path}[]`, items);
  };
  visit('', schema);
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(['Key', 'Expected', 'Example', 'Meaning']), '|---|---|---|---|', ...rows.map(line)].join('\n');
}

/** Markdown would take `<name>` for a tag. */
function prose(text: string): string {
  return text.replaceAll('<', '\\<');
}
