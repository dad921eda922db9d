/**
 * How many accelerators an instance type has, by the project's table: lines of a shell pattern (of the type without `ml.`)
 * and a count, the first that fits wins. Undefined for a type that the table does not know.
 */
export function acceleratorsOf(instanceType: string, table: string): number | undefined {
  const wanted = instanceType.replace(/^ml\./, '');
  for (const line of table.split('\n')) {
    const [pattern = '', count] = line.trim().split(/\s+/);
    if (pattern === '' || pattern.startsWith('#') || count === undefined) continue;
    if (shellPattern(pattern).test(wanted)) return Number(count);
  }
  return undefined;
}

function shellPattern(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`);
}
