import type { Readable } from 'node:stream';
import type { KubeObject } from '../json.js';

export interface LogCall {
  pod: KubeObject;
  container: string;
  follow: boolean;
  previous: boolean;
}

export interface ExecCall {
  pod: KubeObject;
  container: string;
  command: string[];
  /** The container's environment, references resolved and `$(NAME)` expanded as a kubelet does. */
  environment: Record<string, string>;
  stdin: Readable;
  stdout(text: string | Buffer): void;
  stderr(text: string | Buffer): void;
  tty: boolean;
}

/** What runs inside a test's Pods. */
export interface PodBackend {
  /** A text (of which the request's `tailLines` picks the end), or lines as they come. */
  log?(call: LogCall): string | AsyncIterable<string>;
  /** Runs a command and returns its exit code. */
  exec?(call: ExecCall): number | Promise<number>;
  /** Container port -> port on 127.0.0.1 where the test's own server listens. */
  ports?: Readonly<Record<number, number>>;
}

/** Which backend stands behind which Pods; what was added last wins, member by member. */
export class PodBackends {
  #entries: { matches: (pod: KubeObject) => boolean; backend: PodBackend }[] = [];

  /** Puts a backend behind the Pods that `matches` picks; the returned function takes it away again. */
  add(matches: (pod: KubeObject) => boolean, backend: PodBackend): () => void {
    const entry = { matches, backend };
    this.#entries.push(entry);
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  of(pod: KubeObject): PodBackend {
    return Object.assign(
      {},
      ...this.#entries.filter(({ matches }) => matches(pod)).map(({ backend }) => backend),
    );
  }
}
