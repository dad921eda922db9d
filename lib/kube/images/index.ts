export { type PinOptions, pinImages } from './pin-images.js';
export {
  type ImageReference,
  isDigest,
  parseReference,
  pinnedReference,
  referenceFault,
} from './reference.js';
export type { RegistrySettings } from './transport.js';
