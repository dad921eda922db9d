/** Asks on the terminal, on standard error so that output can be piped. The questions are inquirer's. */
export async function askOnTerminal<Replies extends object>(questions: readonly object[]): Promise<Replies> {
  const { default: inquirer } = await import('inquirer');
  const ui = inquirer.createPromptModule({ output: process.stderr });
  return ui(questions as Parameters<typeof ui>[0]) as Promise<Replies>;
}
