import { AwsError } from './aws-error.js';
import type { CloudCall } from './calls.js';

/** What goes wrong. The first four are said in the words of the service that is called. */
export type FaultKind =
  | 'access-denied'
  | 'throttling'
  | 'internal-error'
  | 'expired-token'
  /** The connection ends in the middle, without an answer. */
  | 'reset'
  /** From now on nobody listens any more, until `plugIn()`. */
  | 'refused'
  /** No answer, ever: until the client gives up or the cloud stops. */
  | 'hang';

export interface FaultRule {
  /** As the AWS CLI names it; any when left out. */
  service?: string;
  /** As the service names it (`CreateModel`); any when left out. */
  operation?: string;
  /** From the nth matching call on, counted from 1; the default is the first. */
  nth?: number;
  /** For how many calls; the default is one. `Infinity`: for good. */
  times?: number;
  /** `after`: the operation is carried out, and the client does not learn it. The default is `before`. */
  when?: 'before' | 'after';
  /** What goes wrong: a kind, an error of one's own, or something that a test does between two calls. */
  fault: FaultKind | AwsError | ((call: CloudCall) => void | Promise<void>);
}

/** The rules of a test. Nothing is left to chance: each rule says which calls it meets. */
export class Faults {
  #rules: { rule: FaultRule; seen: number }[] = [];

  /** Adds a rule; the returned function takes it away again. */
  add(rule: FaultRule): () => void {
    const entry = { rule, seen: 0 };
    this.#rules.push(entry);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== entry);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** The rules that are due for this call; each rule that matches counts it. */
  next(service: string, operation: string): FaultRule[] {
    const due: FaultRule[] = [];
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (rule.service !== undefined && rule.service !== service) continue;
      if (rule.operation !== undefined && rule.operation !== operation) continue;
      entry.seen += 1;
      const first = rule.nth ?? 1;
      if (entry.seen >= first && entry.seen < first + (rule.times ?? 1)) due.push(rule);
    }
    return due;
  }
}

/** A fault's error as that service says it; undefined for faults that are none. */
export function faultError(
  fault: FaultRule['fault'],
  service: string,
  operation: string,
): AwsError | undefined {
  if (fault instanceof AwsError) return fault;
  const style = service === 's3' ? 's3' : service === 'sts' || service === 'sns' ? 'query' : 'json';
  const rest = service === 'eks' || service === 'sagemaker-runtime';
  const action = `${service}:${operation}`;
  switch (fault) {
    case 'access-denied': {
      const message = `User: arn:aws:iam::123456789012:user/tester is not authorized to perform: ${action} because no identity-based policy allows the ${action} action`;
      const code =
        style === 'json'
          ? 'AccessDeniedException'
          : service === 'sns'
            ? 'AuthorizationError'
            : 'AccessDenied';
      return new AwsError(code, message, style === 'json' && !rest ? 400 : 403);
    }
    case 'throttling':
      if (style === 's3') return new AwsError('SlowDown', 'Please reduce your request rate.', 503);
      return new AwsError(
        style === 'json' ? 'ThrottlingException' : 'Throttling',
        'Rate exceeded',
        rest ? 429 : 400,
      );
    case 'internal-error': {
      const code =
        service === 's3' ? 'InternalError' : service === 'eks' ? 'ServerException' : 'InternalFailure';
      return new AwsError(code, 'The request processing has failed because of an unknown error.', 500);
    }
    case 'expired-token': {
      const code = style === 'json' ? 'ExpiredTokenException' : 'ExpiredToken';
      const status = style === 's3' || (style === 'json' && !rest) ? 400 : 403;
      return new AwsError(code, 'The security token included in the request is expired', status);
    }
    default:
      return undefined;
  }
}
