import { s3Place } from './objects.js';
import type { Context } from './sagemaker/index.js';

/** One asynchronous invocation, from its acceptance to its result in S3. */
export interface AsyncInference {
  endpoint: string;
  id: string;
  /** Where the request is. */
  input: string;
  contentType: string;
  output: string;
  failure: string | undefined;
  notify: { SuccessTopic?: string; ErrorTopic?: string };
}

interface Pending {
  inference: AsyncInference;
  context: Context;
  looks: number;
  fails: string | undefined;
}

/** The invocations that have no result yet. */
export class AsyncInferences {
  #pending: Pending[] = [];

  start(inference: AsyncInference, context: Context): void {
    const { looks = 1, fails } = context.resources.plans.take(
      'async-inference',
      inference.endpoint,
      'create',
    );
    this.#pending.push({ inference, context, looks, fails });
  }

  clear(): void {
    this.#pending = [];
  }

  /** Somebody looks for a result in the bucket of this S3 path: it comes up after so many looks. */
  async looked(path: string): Promise<void> {
    const [, bucket = '', key = ''] = /^\/([^/?]+)\/?([^?]*)/.exec(decodeURIComponent(path)) ?? [];
    for (const pending of [...this.#pending]) {
      const places = [pending.inference.output, pending.inference.failure ?? ''].map(s3Place);
      const isMeant = places.some((place) => place.bucket === bucket && (key === '' || place.key === key));
      if (isMeant && pending.context.resources.progress === 'describe') await this.#advance(pending);
    }
  }

  async tick(): Promise<void> {
    for (const pending of [...this.#pending]) await this.#advance(pending);
  }

  async #advance(pending: Pending): Promise<void> {
    if (pending.looks > 0) {
      pending.looks -= 1;
      return;
    }
    this.#pending = this.#pending.filter((other) => other !== pending);
    await finish(pending);
  }
}

/** Runs the model on the request, and puts its answer or the failure into the bucket. */
async function finish({ inference, context, fails }: Pending): Promise<void> {
  const { objects, containers } = context.effects;
  const { endpoint: name, contentType } = inference;
  const body = await objects.read(s3Place(inference.input));
  let failure = fails ?? (body ? undefined : `The object ${inference.input} cannot be read.`);
  if (body && failure === undefined) {
    const reply = await containers.invoke({ kind: 'endpoint', name, contentType, body });
    if (reply.status < 400) await objects.write(s3Place(inference.output), reply.body);
    else failure = `Received error (${reply.status}) from model with message "${reply.body}".`;
  }
  if (failure !== undefined && inference.failure) await objects.write(s3Place(inference.failure), failure);
  await notify(inference, failure, context);
}

async function notify(
  inference: AsyncInference,
  failure: string | undefined,
  context: Context,
): Promise<void> {
  const topic = failure === undefined ? inference.notify.SuccessTopic : inference.notify.ErrorTopic;
  if (topic === undefined) return;
  const message = {
    inferenceId: inference.id,
    invocationStatus: failure === undefined ? 'Completed' : 'Failed',
    requestParameters: { endpointName: inference.endpoint, inputLocation: inference.input },
    ...(failure === undefined
      ? { responseParameters: { contentType: 'application/json', outputLocation: inference.output } }
      : { failureReason: failure }),
  };
  const parameters = {
    Action: 'Publish',
    Version: '2010-03-31',
    TopicArn: topic,
    Message: JSON.stringify(message),
  };
  await context.effects.moto.query('sns', parameters, context.region);
}
