/** Exit codes shared by every command: 1 it ran and failed, 2 usage, 3 contract violation or a decision is needed. */
export type ExitCode = 1 | 2 | 3;

export interface FailureDetails {
  /** What happened, in one line. */
  what: string;
  /** Why: one line per fault found. */
  why?: string | readonly string[];
  /** What to type or do next. */
  next?: string;
  exit?: ExitCode;
  cause?: unknown;
}

/** A failure that a person can act on. Everything else that is thrown is a bug in this program. */
export class Failure extends Error {
  readonly why: readonly string[];
  readonly next: string | undefined;
  readonly exit: ExitCode;

  constructor({ what, why = [], next, exit = 1, cause }: FailureDetails) {
    super(what, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.why = typeof why === 'string' ? [why] : why;
    this.next = next;
    this.exit = exit;
  }

  /** The whole message as lines: what, indented reasons, and the way on. */
  lines(): string[] {
    return [this.message, ...this.why.map((line) => `  ${line}`), ...(this.next ? [`→ ${this.next}`] : [])];
  }
}
