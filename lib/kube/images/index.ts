export { type PinOptions, pinImages } from './pin-images.js';
export { type ImageReference, isDigest, parseReference, pinnedReference } from './reference.js';
export type { RegistrySettings } from './transport.js';
