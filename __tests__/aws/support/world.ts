import { type Aws, REGION, startAws } from '../../support/aws/index.js';
import { describeWithMoto, startMoto } from '../../support/moto.js';

/** What the service answered. */
export interface Outcome {
  status: number;
  code: string;
  message: string;
  output: Record<string, unknown>;
}

/** An emulated cloud with the ways that its tests ask it. */
export interface World {
  aws: Aws;
  /** One SageMaker call, without a client's own checks. */
  call(operation: string, input?: object, region?: string): Promise<Outcome>;
  /** The same for calls that must succeed; gives the output. */
  must(operation: string, input?: object): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** A suite that needs moto and the AWS CLI. */
export function describeWithCloud(title: string, suite: () => void): void {
  describeWithMoto(['aws'], title, suite);
}

/** Starts moto and the cloud before it. */
export async function startWorld(): Promise<World> {
  const moto = await startMoto();
  const aws = await startAws(moto.url);
  const call = (operation: string, input: object = {}, region = REGION) =>
    send(aws.url, operation, input, region);
  return {
    aws,
    call,
    must: async (operation, input = {}) => {
      const { code, message, output } = await call(operation, input);
      if (code) throw new Error(`${operation}: ${code}: ${message}`);
      return output;
    },
    stop: async () => {
      await aws.stop();
      await moto.stop();
    },
  };
}

async function send(url: string, operation: string, input: object, region: string): Promise<Outcome> {
  const scope = `Credential=testing/20260101/${region}/sagemaker/aws4_request`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=0`,
      'x-amz-target': `SageMaker.${operation}`,
      'content-type': 'application/x-amz-json-1.1',
    },
    body: JSON.stringify(input),
  });
  const output = (await response.json()) as Record<string, unknown>;
  const code = response.status < 300 ? '' : String(output.__type);
  return { status: response.status, code, message: String(output.message ?? ''), output };
}
