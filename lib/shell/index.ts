/** Quoting, the grammar of `export` lines, and escaping by the kind of file. Imports nothing. */
export { type Assignment, parseAssignment } from './assignment.js';
export { type Escape, escapeForPath, type TextKind, textKind } from './escape.js';
export { exportLine, isVariableName, quoteShell, READONLY_SHELL_NAMES } from './quote.js';
