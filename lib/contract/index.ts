/** The contract of the scripts in do/: the verb registry, the header every script starts with, guards and exit codes. */
export { exitCodes } from './exit-codes.js';
export { headerFaults, type ParsedHeader, parseHeader, type ScriptHeader } from './header.js';
export * from './verbs.js';
