import type { Catalog } from '../catalog/index.js';
import { allOptions, markdownTable } from '../project/index.js';
import { newOptions } from './command-options.js';

/** The options of a new project as a Markdown table: flag, environment variable, answer, default, meaning. */
export function optionsTable(catalog: Catalog): string {
  const rows = [
    ...newOptions.map(({ flag, alias, value, description }) => [
      `\`--${flag}${value ? ` ${value}` : ''}\`${alias ? `, \`--${alias}\`` : ''}`,
      '',
      '',
      '',
      description,
    ]),
    ...allOptions(catalog).map((option) => [
      `\`--${option.flag}\``,
      `\`${option.env}\``,
      `\`${option.answer}\``,
      option.default === '' ? '' : `\`${option.default}\``,
      option.enum ? `${option.description} One of: ${option.enum.join(', ')}.` : option.description,
    ]),
  ];
  return markdownTable(['Flag', 'Environment', 'Answer', 'Default', 'Meaning'], rows);
}
