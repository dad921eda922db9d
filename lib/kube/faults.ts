import { Failure } from '../failure/index.js';

/** Collects everything that is wrong with the input, so that a person sees all of it at once. */
export class Faults {
  private readonly lines: string[] = [];

  /** Notes one fault; `where` is `file:line`, a flag, or the like. The same fault is noted once. */
  add(where: string, message: string): void {
    const line = `${where}: ${message}`;
    if (!this.lines.includes(line)) this.lines.push(line);
  }

  get count(): number {
    return this.lines.length;
  }

  /** Throws a Failure that lists all faults when there is any. */
  throwIfAny(what: string, next?: string): void {
    if (this.count === 0) return;
    throw new Failure({ what, why: this.lines, ...(next === undefined ? {} : { next }), exit: 2 });
  }
}
