/** The contract of the scripts in do/: the verb registry, the header every script starts with, guards and exit codes. */
export * from './verbs.js';
