export { type Applied, type ApplyOptions, applyObjects } from './apply.js';
export { Cluster, type ConnectOptions, connect } from './cluster.js';
export { deleteObjects } from './delete.js';
export { type LiveObject, nameOf } from './objects.js';
export type { Change } from './plan.js';
export { waitUntilReady } from './wait.js';
