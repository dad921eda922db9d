import { type Aws, REGION } from '../../support/aws/index.js';

const PREFIXES = { sagemaker: 'SageMaker', secretsmanager: 'secretsmanager', logs: 'Logs_20140328' } as const;

/** Somebody else's call to a service with the JSON protocol, which must succeed; gives the output. */
export async function callService(
  { url }: Aws,
  service: keyof typeof PREFIXES,
  operation: string,
  input: object,
): Promise<Record<string, unknown>> {
  const scope = `Credential=testing/20260101/${REGION}/${service}/aws4_request`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=0`,
      'x-amz-target': `${PREFIXES[service]}.${operation}`,
      'content-type': 'application/x-amz-json-1.1',
    },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation}: ${text}`);
  return JSON.parse(text || '{}') as Record<string, unknown>;
}
