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

/** The look-up's settings as the profile writes them. */
export function pinOptionsOf({ cluster, registries = {} }: Profile): PinOptions {
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
