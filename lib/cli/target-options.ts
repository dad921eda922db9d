import { type CommandOption, targetsOptions } from './command-options.js';

const shared: readonly CommandOption[] = [
  {
    flag: 'into',
    value: 'DIR',
    description:
      'A project, the generator’s own tree, or a folder of targets (a pack); by default the one that this folder is in.',
  },
  ...targetsOptions.filter(({ flag }) => flag === 'targets-dir'),
];

/** What `yo mlcc:add-target` and `mlcc add-target` share. */
export const addTargetOptions: readonly CommandOption[] = [
  { flag: 'family', value: 'F', description: 'Where it runs; the usual kind of that family is made.' },
  { flag: 'invocation', value: 'I', description: 'How one sends it work.' },
  { flag: 'workload', value: 'W', description: 'The Kubernetes workload that is rendered for it.' },
  {
    flag: 'like',
    value: 'TARGET',
    description: 'Start from the descriptor and the scripts of a target that there is.',
  },
  { flag: 'summary', value: 'TEXT', description: 'What it is, in one line.' },
  {
    flag: 'status-tag',
    value: 'T',
    description: 'The middle of DEPLOYMENT_TARGET_<T>_STATUS; by default made from the name.',
  },
  { flag: 'success', value: 'S', description: 'The status that means active.' },
  { flag: 'alias', value: 'A', multiple: true, description: 'Another name for it.' },
  {
    flag: 'required',
    value: 'VAR',
    multiple: true,
    description: 'A variable that must be set before a deploy, beside those of its kind.',
  },
  {
    flag: 'optional',
    value: 'VAR=DEFAULT',
    multiple: true,
    description: 'A variable that may be left out.',
  },
  { flag: 'serving-source', value: 'S', description: 'Where the resolved SERVING_* values come from.' },
  { flag: 'verb', value: 'V=yes|no', multiple: true, description: 'Whether a restricted verb applies.' },
  ...shared,
  { flag: 'yes', description: 'Ask nothing; what is not given has the default of its kind.' },
];

export const removeTargetOptions: readonly CommandOption[] = [
  ...shared,
  { flag: 'yes', description: 'Ask nothing, and remove also scripts that somebody has worked on.' },
];
