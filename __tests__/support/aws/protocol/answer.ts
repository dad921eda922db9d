import { randomUUID } from 'node:crypto';
import type { AwsError } from '../aws-error.js';

/** One HTTP answer. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The answer of an operation of the JSON protocol. */
export function jsonAnswer(output: unknown, contentType = 'application/x-amz-json-1.1'): Answer {
  return answer(200, { 'content-type': contentType }, JSON.stringify(output ?? {}));
}

/** An error in the words of the service's protocol. */
export function errorAnswer(service: string, error: AwsError, method = 'POST'): Answer {
  const { code, message, status } = error;
  const text = escapeXml(message);
  if (service === 's3') {
    const body = method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>${text}</Message></Error>`;
    return answer(status, { 'content-type': 'application/xml' }, body);
  }
  if (QUERY_SERVICES.has(service)) {
    const type = status < 500 ? 'Sender' : 'Receiver';
    const inner = `<Type>${type}</Type><Code>${code}</Code><Message>${text}</Message>`;
    const body = `<ErrorResponse><Error>${inner}</Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
    return answer(status, { 'content-type': 'text/xml' }, body);
  }
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': code };
  return answer(status, headers, JSON.stringify({ __type: code, message, Message: message }));
}

/** An answer with that body. */
export function answer(status: number, headers: Record<string, string>, body: string | Buffer = ''): Answer {
  return { status, headers: { 'x-amzn-requestid': randomUUID(), ...headers }, body: Buffer.from(body) };
}

const QUERY_SERVICES = new Set(['sts', 'sns', 'iam', 'cloudformation', 'autoscaling', 'sqs']);

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
