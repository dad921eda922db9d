import { createHash } from 'node:crypto';
import { type AwsError, validationException } from '../aws-error.js';
import { ACCOUNT } from '../moto-client.js';
import { Plans } from './plans.js';
import { type Json, KIND_WORDS, type Kind, type Resource, type Tag } from './resource.js';
import { checkTags } from './tag-rules.js';

/** All resources of SageMaker, and their progress. */
export class Resources {
  readonly plans = new Plans();
  /** `describe`: a look at a resource moves it on. `manual`: only `tick` does. */
  progress: 'describe' | 'manual' = 'describe';
  #resources = new Map<string, Resource>();

  clear(): void {
    this.plans.clear();
    this.progress = 'describe';
    this.#resources.clear();
  }

  /** Copies all resources, which must not be changing; the returned function puts the copies in their place. */
  checkpoint(): () => void {
    const kept = structuredClone([...this.#resources]);
    return () => {
      this.#resources = new Map(structuredClone(kept));
    };
  }

  /** A new resource in its first state; refused when there is one of that name. */
  add(kind: Kind, region: string, name: string, spec: Json, status: string): Resource {
    const key = arnOf(kind, region, name);
    if (this.#resources.has(key)) throw alreadyThere(kind, key);
    const arn = kind === 'cluster' ? clusterArn(region, name) : key;
    const { Tags, ...rest } = spec;
    const tags = (Tags ?? []) as Tag[];
    checkTags(tags);
    const now = Date.now() / 1000;
    const times = { createdAt: now, modifiedAt: now };
    const resource: Resource = {
      kind,
      name,
      region,
      arn,
      status,
      tags,
      spec: rest,
      ...times,
      unseen: 0,
      steps: [],
    };
    this.#resources.set(key, resource);
    return resource;
  }

  /** The resource; undefined when there is none, or it cannot be seen yet. */
  find(kind: Kind, region: string, name: string): Resource | undefined {
    const resource = this.#resources.get(arnOf(kind, region, name));
    return resource && resource.unseen <= 0 ? resource : undefined;
  }

  /** The resource, or the service's error that there is none. */
  get(kind: Kind, region: string, name: string): Resource {
    const resource = this.find(kind, region, name);
    if (!resource) {
      this.#countUnseen(arnOf(kind, region, name));
      throw notFound(kind, region, name);
    }
    return resource;
  }

  byArn(arn: string): Resource | undefined {
    return [...this.#resources.values()].find((resource) => resource.arn === arn);
  }

  /** Whether the name is taken, also by one that cannot be seen yet. */
  has(kind: Kind, region: string, name: string): boolean {
    return this.#resources.has(arnOf(kind, region, name));
  }

  list(kind: Kind, region?: string): Resource[] {
    return [...this.#resources.values()].filter(
      (resource) => resource.kind === kind && (region === undefined || resource.region === region),
    );
  }

  remove(resource: Resource): void {
    this.#resources.delete(arnOf(resource.kind, resource.region, resource.name));
  }

  /** Begins a change that lasts some looks; `then` is its end. */
  begin(
    resource: Resource,
    status: string,
    looks: number | undefined,
    then: () => void | Promise<void>,
  ): void {
    resource.status = status;
    resource.modifiedAt = Date.now() / 1000;
    resource.steps = [{ looks: looks ?? 1, then }];
  }

  /** Somebody has looked at the resource: it moves on. */
  async looked(resource: Resource): Promise<void> {
    if (this.progress === 'describe') await advance(resource);
  }

  /** Moves everything on. */
  async tick(): Promise<void> {
    for (const resource of [...this.#resources.values()]) {
      if (resource.unseen > 0) resource.unseen -= 1;
      await advance(resource);
    }
  }

  #countUnseen(arn: string): void {
    const resource = this.#resources.get(arn);
    if (resource && this.progress === 'describe') resource.unseen -= 1;
  }
}

async function advance(resource: Resource): Promise<void> {
  const step = resource.steps[0];
  if (!step) return;
  step.looks -= 1;
  if (step.looks > 0) return;
  resource.steps.shift();
  resource.modifiedAt = Date.now() / 1000;
  await step.then();
}

/** A cluster's ARN ends in an id that the service makes up. */
function clusterArn(region: string, name: string): string {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return arnOf('cluster', region, id);
}

/** The ARN of a resource that goes by its name. */
export function arnOf(kind: Kind, region: string, name: string): string {
  return `arn:aws:sagemaker:${region}:${ACCOUNT}:${KIND_WORDS[kind].arn}/${name}`;
}

function notFound(kind: Kind, region: string, name: string): AwsError {
  return validationException(`Could not find ${KIND_WORDS[kind].words} "${arnOf(kind, region, name)}".`);
}

function alreadyThere(kind: Kind, arn: string): AwsError {
  return validationException(`Cannot create already existing ${KIND_WORDS[kind].words} "${arn}".`);
}
