/** Whether a project, or the generator itself, agrees with its descriptors; and mending what derives. */
export { type CheckOptions, type CheckResult, check } from './check.js';
export { type Authority, authorities, type Finding } from './finding.js';
export {
  compareWith,
  type Demand,
  demandOf,
  type Inspection,
  type InspectOptions,
  inspect,
} from './inspect.js';
