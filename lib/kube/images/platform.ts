import { Failure } from '../../failure/index.js';

/** What an image index or an image's configuration says of the machine that the image is for. */
export interface Platform {
  readonly os?: string | undefined;
  readonly architecture?: string | undefined;
  readonly variant?: string | undefined;
}

/** An absent variant means this one. */
const IMPLIED_VARIANT: Readonly<Record<string, string>> = { amd64: 'v1', arm: 'v7', arm64: 'v8' };

/** Splits `os/architecture[/variant]`. Throws a Failure for anything else. */
export function parsePlatform(text: string): Platform {
  const match = /^([a-z0-9]+)\/([a-z0-9_]+)(?:\/([a-z0-9.]+))?$/.exec(text);
  if (!match) {
    throw new Failure({
      what: `'${text}' is not a platform`,
      why: 'a platform is os/architecture or os/architecture/variant, in lower case',
      next: 'Write for example linux/amd64 or linux/arm64.',
      exit: 2,
    });
  }
  return { os: match[1], architecture: match[2], variant: match[3] };
}

/** Whether an image for `offered` is what `wanted` asks for; a wanted platform without variant takes any. */
export function platformFits(wanted: Platform, offered: Platform | undefined): boolean {
  if (offered?.os !== wanted.os || offered?.architecture !== wanted.architecture) return false;
  if (wanted.variant === undefined) return true;
  return wanted.variant === (offered?.variant || IMPLIED_VARIANT[offered?.architecture ?? '']);
}

/** `os/architecture[/variant]`, or `unknown` where an image does not say. */
export function platformName({ os, architecture, variant }: Platform = {}): string {
  return [os, architecture, variant].filter(Boolean).join('/') || 'unknown';
}
