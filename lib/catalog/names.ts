import { READONLY_SHELL_NAMES } from '../shell/index.js';

/** DEPLOYMENT_TARGET_EKS_STATUS -> deploymentTargetEksStatus: how a variable of do/config is called among the answers. */
export function camelCase(variable: string): string {
  return variable.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Variables that the shell, the tools or the scripts live by: a line in do/config that sets one of them breaks every verb. */
export const RESERVED_VARIABLES: readonly string[] = [
  ...READONLY_SHELL_NAMES,
  'BASH_ENV',
  'CDPATH',
  'CONFIG_FILE',
  'DO_DIR',
  'ENV',
  'GLOBIGNORE',
  'HOME',
  'IFS',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'PATH',
  'POSIXLY_CORRECT',
  'PROJECT_DIR',
  'PWD',
  'PYTHONHOME',
  'PYTHONPATH',
  'SHELL',
  'TMPDIR',
];

/** Flags that mlcc new, yo mlcc or do/deploy have themselves, so that no setting can have them. */
export const RESERVED_FLAGS: readonly string[] = [
  'answers',
  'answers-file',
  'dest',
  'dry-run',
  'force',
  'help',
  'here',
  'json',
  'reconfigure',
  'rollback',
  'set',
  'skip-prompts',
  'status',
  'targets-dir',
  'version',
  'yes',
];
