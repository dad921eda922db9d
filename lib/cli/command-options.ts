/** One option of a command. Flags, help and documentation are made from this list; values of projects are in lib/project. */
export interface CommandOption {
  /** Flag without dashes. */
  flag: string;
  /** A second flag that means the same. */
  alias?: string;
  /** Name of the value in help; absent: a switch. */
  value?: string;
  /** Whether the flag may be given several times. */
  multiple?: boolean;
  choices?: readonly string[];
  description: string;
}

const YES: CommandOption = {
  flag: 'yes',
  alias: 'skip-prompts',
  description: 'Take the default of everything that is not given, and ask nothing.',
};
const ANSWERS: CommandOption = {
  flag: 'answers',
  value: 'FILE',
  description: 'Read answers from a JSON file: an object of answer names and texts.',
};
const TARGETS_DIR: CommandOption = {
  flag: 'targets-dir',
  value: 'DIR',
  multiple: true,
  description: 'Add the target descriptors of a folder to the built-in ones.',
};

/** What `yo mlcc` and `mlcc new` share, beside the options of the project itself. */
export const scaffoldOptions: readonly CommandOption[] = [
  YES,
  ANSWERS,
  { flag: 'here', description: 'Scaffold into the current folder instead of a new one.' },
  TARGETS_DIR,
];

export const newOptions: readonly CommandOption[] = [
  ...scaffoldOptions,
  { flag: 'dest', value: 'DIR', description: 'Scaffold into this folder instead of ./<name>.' },
  {
    flag: 'force',
    description:
      'Scaffold into a folder that has files: those stay, and what differs is laid beside as *.mlcc-new.',
  },
  { flag: 'dry-run', description: 'Show what would be written, and write nothing.' },
  { flag: 'json', description: 'Print the result as JSON.' },
];

export const targetsOptions: readonly CommandOption[] = [
  TARGETS_DIR,
  { flag: 'json', description: 'Print the matrix as JSON.' },
];

export const configOptions: readonly CommandOption[] = [
  { flag: 'dir', value: 'DIR', description: 'The project; the current folder by default.' },
];

/** What `yo mlcc:regenerate` and `mlcc regenerate` share. */
export const regenerateOptions: readonly CommandOption[] = [
  { ...YES, description: 'Ask nothing, as always: for scripts that give this to every generator.' },
  TARGETS_DIR,
  {
    flag: 'conflict',
    value: 'MODE',
    choices: ['side-file', 'markers', 'ours', 'theirs'],
    description:
      'Where both changed the same place: lay the proposal beside the file (the default), show both sides in it, keep yours, or take the new one.',
  },
  {
    flag: 'resolved',
    value: 'PATH',
    multiple: true,
    description: 'What this file holds now is right; forget the proposal.',
  },
  { flag: 'restore', value: 'PATH', multiple: true, description: 'Bring back a file that was deleted.' },
  {
    flag: 'allow-downgrade',
    description: 'Go back to an older generator than the one that made the project.',
  },
  { flag: 'dry-run', description: 'Show what would be done, and do nothing.' },
  { flag: 'diff', description: 'Show the changes as a unified diff.' },
  { flag: 'check', description: 'Do nothing, and exit with 3 if anything would be done.' },
  { flag: 'json', description: 'Print the result as JSON.' },
];
