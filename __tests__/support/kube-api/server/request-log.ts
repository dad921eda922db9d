/** One request as the server saw it; `code` is 0 while it is not answered, or was never. */
export interface LoggedRequest {
  method: string;
  /** With the query. */
  url: string;
  path: string;
  query: URLSearchParams;
  userAgent: string;
  contentType: string;
  accept: string;
  body: string;
  code: number;
  /** What an upgraded connection speaks. */
  protocol?: string;
}

const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Every request since the last `clear`. */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];

  clear(): void {
    this.entries.length = 0;
  }

  /** Requests that could have changed something: no reads, no dry runs. */
  writes(): LoggedRequest[] {
    return this.entries.filter(
      ({ method, query, path, protocol }) =>
        WRITES.includes(method) && !query.has('dryRun') && !protocol && !/\/(exec|portforward)$/.test(path),
    );
  }
}
