import { AwsError } from './aws-error.js';
import type { CloudCall } from './calls.js';
import { Containers } from './containers.js';
import { EksClusters } from './eks.js';
import { LogWriter } from './logs.js';
import { MotoClient } from './moto-client.js';
import { S3Objects } from './objects.js';
import { type Answer, jsonAnswer } from './protocol/answer.js';
import type { Identity } from './protocol/identify.js';
import type { AwsRequest } from './protocol/request.js';
import { loadServiceModel } from './protocol/service-model.js';
import { Runtime } from './runtime.js';
import { type Context, type Json, ownsOperation, Resources, runOperation } from './sagemaker/index.js';

/** The services: SageMaker as it is modelled here, all others as the emulator behind has them. */
export class Cloud {
  readonly moto: MotoClient;
  readonly resources = new Resources();
  readonly containers = new Containers();
  readonly objects: S3Objects;
  readonly logs: LogWriter;
  readonly eks: EksClusters;
  readonly runtime = new Runtime();

  constructor(
    motoUrl: string,
    readonly dataFolder: string,
  ) {
    this.moto = new MotoClient(motoUrl);
    this.objects = new S3Objects(this.moto);
    this.logs = new LogWriter(this.moto);
    this.eks = new EksClusters(this.moto);
  }

  /** Carries a request out. */
  async handle(request: AwsRequest, { service, operation }: Identity, call: CloudCall): Promise<Answer> {
    if (service === 'sagemaker' && ownsOperation(operation)) {
      const model = loadServiceModel(this.dataFolder, 'sagemaker');
      const input = parseInput(request.body);
      call.request = input;
      return jsonAnswer(await runOperation(operation, input, model, this.#context(request.region)));
    }
    if (service === 'sagemaker-runtime') {
      const model = loadServiceModel(this.dataFolder, service);
      return this.runtime.handle(operation, request, model, this.#context(request.region));
    }
    if (service === 's3' && ['GET', 'HEAD'].includes(request.method)) {
      await this.runtime.inferences.looked(request.url);
    }
    const forwarded = await this.moto.forward(request);
    return service === 'eks' && operation === 'DescribeCluster' ? this.eks.describe(forwarded) : forwarded;
  }

  /** Moves all that changes by itself on. */
  async tick(count = 1): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      await this.resources.tick();
      await this.runtime.inferences.tick();
    }
  }

  async reset(): Promise<void> {
    this.resources.clear();
    this.runtime.inferences.clear();
    this.containers.reset();
    this.eks.clear();
    this.logs.groups.clear();
    await this.moto.reset();
  }

  #context(region: string): Context {
    const { moto, objects, logs, containers } = this;
    return { region, resources: this.resources, effects: { moto, objects, logs, containers } };
  }
}

function parseInput(body: Buffer): Json {
  try {
    const input: unknown = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Json;
  } catch {
    // Said below.
  }
  throw new AwsError('SerializationException', 'The request is no JSON object.');
}
