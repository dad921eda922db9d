import { type Catalog, paramOf, type Target, variablesOf } from '../catalog/index.js';
import { exitCodes, verbs } from '../contract/index.js';

/*
 * The tables of the documentation, in Markdown. They derive from the descriptors and the verb registry, in a project's
 * do/README.md as well as in this repository's docs.
 */

/** The verbs among `names`, and for the restricted ones the targets that they apply to. */
export function verbsTable(catalog: Catalog, names: ReadonlySet<string>): string {
  const rows = verbs
    .filter(({ name }) => names.has(name))
    .map((verb) => {
      const where =
        verb.targets === 'all'
          ? 'all'
          : catalog.targets
              .filter(({ manifest }) => manifest.verbs[verb.name])
              .map(({ manifest }) => manifest.target)
              .join(', ');
      return [`\`do/${verb.name}\``, verb.summary, verb.guard, where];
    });
  return markdownTable(['Verb', 'What it does', 'Needs', 'Targets'], rows);
}

/** One row per target: what it is, what it is called, and what it is made of. */
export function targetsTable({ targets }: Catalog): string {
  const rows = targets.map(({ manifest: m }) => [
    `\`${m.target}\``,
    m.summary ?? '',
    m.aliases.map((alias) => `\`${alias}\``).join(', '),
    m.family,
    `\`${m.status_var}\` = ${m.success_status}`,
  ]);
  return markdownTable(['Target', 'What it is', 'Aliases', 'Family', 'Active when'], rows);
}

/** Which of the restricted verbs apply to which target. */
export function matrixTable({ targets }: Catalog): string {
  const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb.name] : []));
  const rows = targets.map(({ manifest }) => [
    `\`${manifest.target}\``,
    ...restricted.map((verb) => (manifest.verbs[verb] ? 'yes' : 'no')),
  ]);
  return markdownTable(['Target', ...restricted], rows);
}

/** What the exit code of a verb says. */
export function exitCodesTable(): string {
  return markdownTable(['Code', 'Meaning'], Object.entries(exitCodes));
}

/** Every setting of every target, with flag and default. */
export function settingsTables(catalog: Catalog): string {
  return catalog.targets
    .map((target) => `#### ${target.manifest.target}\n\n${settingsTable(catalog, target)}`)
    .join('\n\n');
}

function settingsTable(catalog: Catalog, target: Target): string {
  const rows = variablesOf(target).map((name) => {
    const param = paramOf(catalog, target, name);
    const required = target.manifest.required_vars.includes(name);
    const initial = target.manifest.optional_vars[name];
    const values = param?.enum ? ` One of: ${param.enum.join(', ')}.` : '';
    return [
      `\`${name}\``,
      param?.flag ? `\`--${param.flag}\`` : '',
      required ? 'required' : initial ? `\`${initial}\`` : '',
      `${param?.description ?? ''}${values}`,
    ];
  });
  return markdownTable(['Variable', 'Flag', 'Default', 'Meaning'], rows);
}

/** A table in Markdown. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), `|${header.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
