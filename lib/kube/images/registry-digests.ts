import { imageFault } from './faults.js';
import { DockerKeychain } from './keychain.js';
import { parseImagePlatform } from './manifest.js';
import { type Platform, platformFits, platformName } from './platform.js';
import { canonicalHost, type ImageReference, isDigest } from './reference.js';
import { RegistryClient } from './registry-client.js';
import type { DigestResolver } from './resolver.js';
import type { RegistrySettings } from './transport.js';

/** Makes one client per registry, all with the same logins. */
export class Registries {
  readonly #clients = new Map<string, RegistryClient>();
  readonly #keychain: DockerKeychain;

  constructor(
    private readonly settings: ReadonlyMap<string, RegistrySettings>,
    private readonly env: NodeJS.ProcessEnv,
    private readonly timeoutMs: number,
  ) {
    this.#keychain = new DockerKeychain(env, timeoutMs);
  }

  /** The client of the registry that holds the image. */
  clientFor({ host }: ImageReference): RegistryClient {
    const registry = canonicalHost(host);
    let client = this.#clients.get(registry);
    if (!client) {
      const { env, timeoutMs } = this;
      const settings = this.settings.get(registry) ?? {};
      client = new RegistryClient(registry, { settings, keychain: this.#keychain, env, timeoutMs });
      this.#clients.set(registry, client);
    }
    return client;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }
}

/** The digest behind a tag as the registry says it: that of the whole index where there are several platforms. */
export class RegistryDigests implements DigestResolver {
  constructor(private readonly registries: Registries) {}

  async resolve(reference: ImageReference): Promise<string | undefined> {
    return this.registries.clientFor(reference).digestOfTag(reference);
  }
}

/** Narrows another resolver's digest to the one image for a platform, and verifies that the image is for it. */
export class PlatformDigests implements DigestResolver {
  constructor(
    private readonly digests: DigestResolver,
    private readonly registries: Registries,
    private readonly platform: Platform,
  ) {}

  async resolve(reference: ImageReference): Promise<string | undefined> {
    const digest = await this.digests.resolve(reference);
    if (digest === undefined) return undefined;
    const client = this.registries.clientFor(reference);
    const manifest = await client.manifest(reference, digest);
    if (manifest.kind === 'image') {
      const platform = imagePlatform(reference, await client.blob(reference, manifest.config.digest));
      if (!platformFits(this.platform, platform)) {
        throw this.#mismatch(reference, `it is an image for ${platformName(platform)} alone`);
      }
      return digest;
    }
    const fitting = manifest.children.filter(({ platform }) => platformFits(this.platform, platform));
    const [child] = fitting;
    if (fitting.length !== 1 || !child) {
      const offered = manifest.children.map(({ platform }) => platformName(platform)).join(', ') || 'nothing';
      throw this.#mismatch(reference, `${fitting.length || 'none'} of its images fit; it has ${offered}`);
    }
    if (!isDigest(child.digest))
      throw imageFault(reference, `Its index names '${child.digest}'.`, 'Push it anew.');
    // An index may name images that were never pushed along with it.
    const image = await client.manifest(reference, child.digest);
    if (image.kind !== 'image') throw this.#mismatch(reference, 'its index names a further index for it');
    return child.digest;
  }

  #mismatch(reference: ImageReference, why: string): Error {
    const wanted = platformName(this.platform);
    return imageFault(
      reference,
      `There is not exactly one image for ${wanted}: ${why}.`,
      `Name a platform that it has, with its variant if there are several; or give the wanted image's digest.`,
    );
  }
}

function imagePlatform(reference: ImageReference, config: Buffer): Platform {
  try {
    return parseImagePlatform(config);
  } catch (error) {
    throw imageFault(
      reference,
      `Its configuration cannot be read: ${(error as Error).message}.`,
      'Push it anew.',
    );
  }
}
