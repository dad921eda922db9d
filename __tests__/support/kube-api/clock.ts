/** How much faster than real time the automatic clock goes. */
const SPEED = 100;

/**
 * The server's own time. Controllers wait on it, never on the real clock, so a test decides how fast the cluster goes:
 * `auto` runs a hundred times as fast as real time; `manual` moves only when the test says so.
 */
export class Clock {
  #manualNow: number;
  readonly #realStart = Date.now();
  #steps: { due: number; run: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Called after each step: what the step has set off at once must be done before the next. */
  onStep: () => void = () => undefined;

  constructor(
    readonly mode: 'auto' | 'manual',
    private readonly start = Date.now(),
  ) {
    this.#manualNow = start;
  }

  /** Now in whole seconds, as Kubernetes writes times. */
  timestamp(): string {
    return `${new Date(this.now()).toISOString().slice(0, 19)}Z`;
  }

  /** Now, in milliseconds since the epoch. */
  now(): number {
    return this.mode === 'manual' ? this.#manualNow : this.start + (Date.now() - this.#realStart) * SPEED;
  }

  /** Runs `step` once this many seconds have passed on this clock. */
  after(seconds: number, step: () => void): void {
    this.#steps.push({ due: this.now() + seconds * 1000, run: step });
    this.#steps.sort((a, b) => a.due - b.due);
    if (this.mode === 'auto') this.#wake();
  }

  /** Moves a manual clock on by this many seconds, and runs on the way all that falls due, in order. */
  advance(seconds: number): void {
    if (this.mode === 'auto') throw new Error('only a manual clock is moved by hand');
    const end = this.#manualNow + seconds * 1000;
    this.onStep();
    for (let next = this.#steps[0]; next && next.due <= end; next = this.#steps[0]) {
      this.#manualNow = next.due;
      this.#runFirst();
    }
    this.#manualNow = end;
  }

  stop(): void {
    this.#steps = [];
    clearTimeout(this.#timer);
  }

  #wake(): void {
    clearTimeout(this.#timer);
    const [next] = this.#steps;
    if (!next) return;
    this.#timer = setTimeout(
      () => {
        this.#runFirst();
        this.#wake();
      },
      Math.max(0, next.due - this.now()) / SPEED,
    );
  }

  #runFirst(): void {
    this.#steps.shift()?.run();
    this.onStep();
  }
}
