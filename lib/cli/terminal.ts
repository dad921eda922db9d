/** The world as a command sees it. Tests give another one. */
export interface Terminal {
  /** Arguments, without the program. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Whether a person can be asked: standard input and standard error are both terminals. */
  interactive: boolean;
  out(text: string): void;
  err(text: string): void;
}

export function processTerminal(): Terminal {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    interactive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}
