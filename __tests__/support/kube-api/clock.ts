/**
 * The server's own time. Controllers wait on it, never on the real clock, so a test decides how fast the cluster goes:
 * `auto` lets each step come up after a few real milliseconds; `manual` moves only when the test says so.
 */
export class Clock {
  #now: number;
  #steps: { due: number; run: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** Called after each step: what the step has set off at once must be done before the next. */
  onStep: () => void = () => undefined;

  constructor(
    readonly mode: 'auto' | 'manual',
    start = Date.now(),
  ) {
    this.#now = start;
  }

  /** Now in whole seconds, as Kubernetes writes times. */
  timestamp(): string {
    return `${new Date(this.#now).toISOString().slice(0, 19)}Z`;
  }

  /** Now, in milliseconds since the epoch. */
  now(): number {
    return this.#now;
  }

  /** Runs `step` once this many seconds have passed on this clock. */
  after(seconds: number, step: () => void): void {
    this.#steps.push({ due: this.#now + seconds * 1000, run: step });
    this.#steps.sort((a, b) => a.due - b.due);
    if (this.mode === 'auto') this.#wake();
  }

  /** Moves the time on by this many seconds, and runs on the way all that falls due, in order. */
  advance(seconds: number): void {
    const end = this.#now + seconds * 1000;
    this.onStep();
    for (let next = this.#steps[0]; next && next.due <= end; next = this.#steps[0]) this.#runNext();
    this.#now = Math.max(this.#now, end);
  }

  stop(): void {
    this.#stopped = true;
    this.#steps = [];
    clearTimeout(this.#timer);
  }

  #wake(): void {
    if (this.#timer || this.#stopped || this.#steps.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#runNext();
      this.#wake();
    }, AUTO_PACE_MS);
  }

  #runNext(): void {
    const step = this.#steps.shift();
    if (!step) return;
    this.#now = Math.max(this.#now, step.due);
    step.run();
    this.onStep();
  }
}

/** Real time between two steps of the automatic clock: enough for a client to see each state on a watch. */
const AUTO_PACE_MS = 5;
