/** `do/config`: parse, edit by key, and change the file under the lock that the shell and the Python store share. */
export {
  type ConfigDocument,
  type ConfigEntry,
  type ConfigItem,
  type ConfigLine,
  type ConfigProblem,
  type Placement,
  parseConfig,
} from './document.js';
export {
  readConfigFile,
  setConfigValue,
  unsetConfigValue,
  withConfigLock,
} from './file.js';
export {
  checkConfigKey,
  checkConfigValue,
  refuseSecret,
  SECRET_PREFIXES,
  secretKind,
  valueFault as configValueFault,
} from './values.js';
