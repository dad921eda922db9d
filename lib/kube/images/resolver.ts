import type { ImageReference } from './reference.js';

/** Finds the digest of an image. The chain of resolvers is the whole of "where does a digest come from". */
export interface DigestResolver {
  /** The digest, or undefined where this resolver has none and the next one is to be asked. */
  resolve(reference: ImageReference): Promise<string | undefined>;
}

/** A digest that stands in the reference is kept as it is, and looked up nowhere. */
export class GivenDigest implements DigestResolver {
  async resolve(reference: ImageReference): Promise<string | undefined> {
    return reference.digest;
  }
}

/** The first answer of several resolvers, asked one after the other. */
export class FirstAnswer implements DigestResolver {
  constructor(private readonly resolvers: readonly DigestResolver[]) {}

  async resolve(reference: ImageReference): Promise<string | undefined> {
    for (const resolver of this.resolvers) {
      const digest = await resolver.resolve(reference);
      if (digest !== undefined) return digest;
    }
    return undefined;
  }
}

/** Asks once for each distinct image, however many references name it and however many ask at the same time. */
export class OncePerImage implements DigestResolver {
  readonly #answers = new Map<string, Promise<string | undefined>>();

  constructor(private readonly resolver: DigestResolver) {}

  resolve(reference: ImageReference): Promise<string | undefined> {
    const key = `${reference.identity}@${reference.digest ?? ''}`;
    let answer = this.#answers.get(key);
    if (!answer) {
      answer = this.resolver.resolve(reference);
      this.#answers.set(key, answer);
    }
    return answer;
  }
}
