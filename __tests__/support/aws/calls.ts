/** One call to the cloud. */
export interface CloudCall {
  /** As the AWS CLI names it. */
  service: string;
  /** As the service names it. */
  operation: string;
  region: string;
  /** The request: of the JSON protocol its members, else method, path and body. */
  request: unknown;
  /** The HTTP status of the answer; undefined as long as there is none, and for ever where none was sent. */
  status?: number;
  /** The error's name in the answer. */
  error?: string;
  /** The answer's body where it is JSON. */
  response?: unknown;
}

/** All calls since the start or the last reset, in their order. */
export class Calls {
  readonly #calls: CloudCall[] = [];

  add(call: CloudCall): CloudCall {
    this.#calls.push(call);
    return call;
  }

  get all(): readonly CloudCall[] {
    return this.#calls;
  }

  /** The calls as `service:Operation`, in their order. */
  names(): string[] {
    return this.#calls.map(({ service, operation }) => `${service}:${operation}`);
  }

  /** The calls of one operation. */
  of(service: string, operation: string): CloudCall[] {
    return this.#calls.filter((call) => call.service === service && call.operation === operation);
  }

  clear(): void {
    this.#calls.length = 0;
  }
}
