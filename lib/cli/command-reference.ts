import { Command } from 'commander';
import { markdownTable } from '../project/index.js';
import { COMMANDS } from './run.js';
import type { Terminal } from './terminal.js';

/** `mlcc new` has a table of its own: its options are those of a project. */
const APART = 'new';

const NOBODY: Terminal = {
  argv: [],
  env: {},
  cwd: '.',
  interactive: false,
  colour: false,
  out: () => {},
  err: () => {},
};

/** Every command of mlcc but `new`, with its arguments and options, in Markdown. Made from the commands themselves. */
export async function commandReference(): Promise<string> {
  const sections: string[] = [];
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    if (name === APART) continue;
    const command = (await load())(new Command(name).description(summary), NOBODY);
    sections.push(`## mlcc ${name}\n\n${sentence(summary)}`);
    if (command.commands.length === 0) sections.push(...usageOf(command, name));
    for (const inner of command.commands) {
      sections.push(`### mlcc ${name} ${inner.name()}\n\n${sentence(inner.description())}`);
      sections.push(...usageOf(inner, `${name} ${inner.name()}`));
    }
  }
  return sections.join('\n\n');
}

function usageOf(command: Command, path: string): string[] {
  const words = command.registeredArguments.map((argument) => {
    const word = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  const rows = command.options.map(({ flags, description, argChoices }) => [
    `\`${flags}\``,
    argChoices ? `${description} One of: ${argChoices.join(', ')}.` : description,
  ]);
  const usage = ['mlcc', path, ...words, ...(rows.length > 0 ? ['[options]'] : [])].join(' ');
  return [`\`${usage}\``, ...(rows.length > 0 ? [markdownTable(['Option', 'Meaning'], rows)] : [])];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
