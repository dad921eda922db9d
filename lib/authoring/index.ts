/** New targets: made from what somebody says, placed where they belong, and removed again. */
export { type AddedTarget, addTarget, catalogAt } from './add.js';
export { DECISION_MARK } from './descriptor.js';
export { findHome, type Home } from './home.js';
export { aliasFault, nameFault, tagFault, tagOf } from './names.js';
export { withProjectPacks } from './project-packs.js';
export { type ConfirmLoss, type RemovedTarget, removeTarget } from './remove.js';
export type { TargetRequest } from './request.js';
export { type Kind, type Stub, stubs } from './stubs.js';
