import type { RegistrySettings } from './images/index.js';
import type { Profile } from './profile.js';

/** What the profile says about how images are looked up. */
export interface PinOptions {
  /** Pin to the one image for this platform, `os/architecture[/variant]`; absent: to the whole index. */
  platform?: string;
  registries: Readonly<Record<string, RegistrySettings>>;
}

/**
 * Finds the pinned spelling (`repo:tag@sha256:…`) of each reference, keyed by the reference as it was given. The one impure
 * step of rendering, so it is handed in.
 */
export type PinImages = (
  references: readonly string[],
  options: PinOptions,
) => Promise<ReadonlyMap<string, string>>;

/** Pins the images that a workload names; the result gives the pinned spelling of each. */
export async function pinAll(
  pin: PinImages,
  images: readonly string[],
  profile: Profile,
): Promise<(image: string) => string> {
  const digests = await pin(images, pinOptionsOf(profile));
  return (image) => {
    const found = digests.get(image);
    if (found === undefined) throw new Error(`the resolver left out ${image}`);
    return found;
  };
}

/** The look-up's settings as the profile writes them. */
function pinOptionsOf({ cluster, registries = {} }: Profile): PinOptions {
  const platform = cluster?.platform;
  return {
    ...(platform === undefined ? {} : { platform }),
    registries: Object.fromEntries(
      Object.entries(registries).map(([host, { insecure, ca_file: caFile }]) => [host, { insecure, caFile }]),
    ),
  };
}

/** Leaves every image as it was written: for `--no-pin`, and where only names matter. */
export const leaveUnpinned: PinImages = async (references) =>
  new Map(references.map((image) => [image, image]));
